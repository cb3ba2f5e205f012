// SPDX-License-Identifier: Apache-2.0
#include "match/bloom_prefilter.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/check.h"
#include "bloom/probe.h"

namespace weir::match {
namespace {

constexpr std::uint32_t kNoList = std::numeric_limits<std::uint32_t>::max();

// Hands out the set bits in ascending order.
template <typename Take>
void for_each_bit(std::span<const std::uint64_t> words, Take&& take) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::uint64_t rest = words[i]; rest != 0; rest &= rest - 1) {
      take(static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
    }
  }
}

std::uint32_t lowest_bit(std::span<const std::uint64_t> words) {
  std::size_t i = 0;
  while (words[i] == 0) ++i;
  return static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(words[i])));
}

}  // namespace

BloomPrefilter::BloomPrefilter(const PrefilterOptions& options)
    : options_(options), word_count_(options.bit_count / 64), scan_(scan_of(word_count_)) {
  WEIR_CHECK(std::has_single_bit(options.bit_count) && options.bit_count >= 64 &&
             options.bit_count <= kPrefilterBitCountMax);
  WEIR_CHECK(options.probe_count >= 1 && options.probe_count <= kPrefilterProbeCountMax);
  WEIR_CHECK(options.publications_per_halving >= 1 &&
             options.publications_per_halving <= 1U << 30U);
  lists_.resize(options.bit_count + 1);
  seen_.resize(options.bit_count);
}

PrefilterId BloomPrefilter::add(std::span<const std::uint64_t> pairs) {
  if (free_.empty()) {
    WEIR_CHECK(places_.size() < kNoList);
    free_.push_back(static_cast<PrefilterId>(places_.size()));
    places_.push_back({});
  }
  const PrefilterId id = free_.back();
  free_.pop_back();
  const Filter filter = filter_of(pairs);
  if (pairs.empty()) {
    put(options_.bit_count, id, filter);
  } else if (options_.registration == Registration::kRarestBit) {
    put(rarest_bit(filter), id, filter);
  } else {
    for_each_bit({filter.data(), word_count_}, [&](std::uint32_t bit) { put(bit, id, filter); });
  }
  return id;
}

void BloomPrefilter::remove(PrefilterId id) {
  WEIR_CHECK(id < places_.size() && places_[id].list_index != kNoList);
  const Place home = places_[id];
  if (options_.registration == Registration::kEveryBit && home.list_index < options_.bit_count) {
    const Filter filter = filter_at(home);
    for_each_bit({filter.data(), word_count_}, [&](std::uint32_t bit) {
      if (bit == home.list_index) return;
      const auto& ids = lists_[bit].ids;
      take({bit, static_cast<std::uint32_t>(std::ranges::find(ids, id) - ids.begin())});
    });
  }
  take(home);
  places_[id] = {kNoList, 0};
  free_.push_back(id);
}

std::size_t BloomPrefilter::reregister(std::size_t subscription_count_max) {
  if (options_.registration == Registration::kEveryBit) return 0;
  std::size_t moved_count = 0;
  for (std::size_t left = std::min(subscription_count_max, places_.size()); left > 0; --left) {
    const PrefilterId id = reregister_cursor_;
    reregister_cursor_ = (id + 1) % static_cast<std::uint32_t>(places_.size());
    const Place place = places_[id];
    if (place.list_index >= options_.bit_count) continue;
    const Filter filter = filter_at(place);
    const std::uint32_t bit = rarest_bit(filter);
    if (seen_[bit] >= seen_[place.list_index]) continue;
    take(place);
    put(bit, id, filter);
    ++moved_count;
  }
  return moved_count;
}

std::size_t BloomPrefilter::memory_bytes() const {
  std::size_t bytes =
      lists_.capacity() * sizeof(List) + places_.capacity() * sizeof(Place) +
      (free_.capacity() + found_.capacity() + seen_.capacity()) * sizeof(PrefilterId);
  for (const List& list : lists_) {
    bytes += list.words.capacity() * sizeof(std::uint64_t);
    bytes += list.ids.capacity() * sizeof(PrefilterId);
  }
  return bytes;
}

BloomPrefilter::Filter BloomPrefilter::filter_of(std::span<const std::uint64_t> pairs) const {
  Filter filter;
  std::fill_n(filter.begin(), word_count_, 0);
  for (const std::uint64_t pair : pairs) {
    for (std::uint32_t i = 0; i < options_.probe_count; ++i) {
      const std::uint64_t bit = bloom::probe(pair, i, options_.bit_count);
      filter[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }
  return filter;
}

void BloomPrefilter::find(std::span<const std::uint64_t> pairs) {
  const Filter publication = filter_of(pairs);
  Filter absent;
  for (std::size_t i = 0; i < word_count_; ++i) absent[i] = ~publication[i];
  found_.clear();
  for_each_bit({publication.data(), word_count_},
               [&](std::uint32_t bit) { find_in_list(bit, absent); });
  const std::vector<PrefilterId>& always = lists_.back().ids;
  found_.insert(found_.end(), always.begin(), always.end());
  ++counters_.lists;
  counters_.entries += always.size();
  counters_.candidates += found_.size();
  count_publication(publication);
}

void BloomPrefilter::find_in_list(std::uint32_t bit, const Filter& absent) {
  const List& list = lists_[bit];
  ++counters_.lists;
  counters_.entries += list.ids.size();
  counters_.inclusion_tests += list.ids.size();
  const std::size_t known_count = found_.size();
  scan_(list, absent, found_);
  if (options_.registration == Registration::kEveryBit) {
    const auto begin = found_.begin() + static_cast<std::ptrdiff_t>(known_count);
    found_.erase(std::remove_if(begin, found_.end(),
                                [&](PrefilterId id) { return places_[id].list_index != bit; }),
                 found_.end());
  }
}

template <std::size_t WordCount>
void BloomPrefilter::scan(const List& list, const Filter& absent, std::vector<PrefilterId>& found) {
  const std::uint64_t* words = list.words.data();
  for (const PrefilterId id : list.ids) {
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < WordCount; ++i) missing |= words[i] & absent[i];
    if (missing == 0) found.push_back(id);
    words += WordCount;
  }
}

BloomPrefilter::Scan BloomPrefilter::scan_of(std::size_t word_count) {
  switch (word_count) {
    case 1:
      return scan<1>;
    case 2:
      return scan<2>;
    case 4:
      return scan<4>;
    case 8:
      return scan<8>;
    case 16:
      return scan<16>;
    case 32:
      return scan<32>;
    default:
      return scan<kWordCountMax>;
  }
}

void BloomPrefilter::count_publication(const Filter& publication) {
  ++counters_.publications;
  for_each_bit({publication.data(), word_count_}, [&](std::uint32_t bit) { ++seen_[bit]; });
  if (++counted_count_ < options_.publications_per_halving) return;
  counted_count_ = 0;
  for (std::uint32_t& count : seen_) count /= 2;
}

// Of equally rare bits, that with the shortest list: before any publication, lists become alike.
std::uint32_t BloomPrefilter::rarest_bit(const Filter& filter) const {
  const auto weight = [&](std::uint32_t bit) {
    return std::pair{seen_[bit], lists_[bit].ids.size()};
  };
  std::uint32_t rarest = lowest_bit({filter.data(), word_count_});
  for_each_bit({filter.data(), word_count_}, [&](std::uint32_t bit) {
    if (weight(bit) < weight(rarest)) rarest = bit;
  });
  return rarest;
}

BloomPrefilter::Filter BloomPrefilter::filter_at(const Place& place) const {
  Filter filter;
  std::copy_n(lists_[place.list_index].words.data() + place.position * word_count_, word_count_,
              filter.begin());
  return filter;
}

void BloomPrefilter::put(std::uint32_t list_index, PrefilterId id, const Filter& filter) {
  List& list = lists_[list_index];
  places_[id] = {list_index, static_cast<std::uint32_t>(list.ids.size())};
  list.ids.push_back(id);
  if (list_index == options_.bit_count) return;
  list.words.insert(list.words.end(), filter.data(), filter.data() + word_count_);
}

// The last entry fills the gap.
void BloomPrefilter::take(const Place& place) {
  List& list = lists_[place.list_index];
  const PrefilterId last = list.ids.back();
  list.ids[place.position] = last;
  list.ids.pop_back();
  if (places_[last].list_index == place.list_index) places_[last].position = place.position;
  if (place.list_index == options_.bit_count) return;
  const std::size_t rest_words = list.words.size() - word_count_;
  for (std::size_t i = 0; i < word_count_; ++i) {
    list.words[place.position * word_count_ + i] = list.words[rest_words + i];
  }
  list.words.resize(rest_words);
}

}  // namespace weir::match
