// SPDX-License-Identifier: Apache-2.0
#include "match/content/match_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>

namespace weir::match::content {
namespace {

constexpr unsigned kDigitBitsMax = 11;

}  // namespace

void MatchSort::sort(std::vector<Match>& matches, std::size_t first) {
  constexpr std::size_t kFew = 24;
  const auto begin = matches.begin() + static_cast<std::ptrdiff_t>(first);
  std::uint64_t differing = 0;
  bool has_conjunctions = false;
  ids_.resize(matches.size() - first);
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    const Match& match = matches[first + i];
    ids_[i] = match.subscription.value;
    differing |= match.subscription.value ^ begin->subscription.value;
    has_conjunctions |= match.conjunction != 0;
  }
  if (has_conjunctions) {
    std::sort(begin, matches.end());
    matches.erase(std::unique(begin, matches.end()), matches.end());
    return;
  }
  if (ids_.size() <= kFew) {
    rank();
  } else {
    distribute(differing);
  }
  auto end = begin;
  for (const std::uint64_t id : ids_) {
    if (end == begin || std::prev(end)->subscription.value != id) *end++ = {SubscriptionId{id}, 0};
  }
  matches.erase(end, matches.end());
}

// Each goes to the place that the number of lesser ones gives: no branch depends on how they stand.
void MatchSort::rank() {
  spare_.resize(ids_.size());
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    std::size_t place = 0;
    for (std::size_t j = 0; j < i; ++j) place += ids_[j] <= ids_[i] ? 1U : 0U;
    for (std::size_t j = i + 1; j < ids_.size(); ++j) place += ids_[j] < ids_[i] ? 1U : 0U;
    spare_[place] = ids_[i];
  }
  std::swap(ids_, spare_);
}

// From the lowest digit to the highest in which any two differ: as few digits as make sense for so
// many, and all about as long.
void MatchSort::distribute(std::uint64_t differing) {
  const auto bits = static_cast<unsigned>(std::bit_width(differing));
  const unsigned longest =
      std::min(kDigitBitsMax, static_cast<unsigned>(std::bit_width(ids_.size())) + 1);
  const unsigned passes = (bits + longest - 1) / longest;
  const unsigned digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
  const std::size_t digit_count = std::size_t{1} << digit_bits;
  spare_.resize(ids_.size());
  for (unsigned pass = 0; pass < passes; ++pass) {
    const auto digit = [shift = pass * digit_bits, digit_count](std::uint64_t id) {
      return id >> shift & (digit_count - 1);
    };
    std::array<std::uint32_t, std::size_t{1} << kDigitBitsMax> places;
    std::fill_n(places.begin(), digit_count, 0U);
    for (const std::uint64_t id : ids_) ++places[digit(id)];
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < digit_count; ++i) sum += std::exchange(places[i], sum);
    for (const std::uint64_t id : ids_) spare_[places[digit(id)]++] = id;
    std::swap(ids_, spare_);
  }
}

}  // namespace weir::match::content
