// SPDX-License-Identifier: Apache-2.0
#include "match/content/interval_index.h"

#include <algorithm>

#include "base/check.h"

namespace weir::match::content {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;

// Rounding to the nearest double keeps the order; so do the bits of doubles, once those of the
// negative ones are turned round.
std::uint64_t number_key(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0 becomes 0
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// 39 bits of seconds, which hold the years 0 to 9999 and more, and 24 of the second's fraction.
std::uint64_t timestamp_key(event::Timestamp timestamp) {
  constexpr std::int64_t kBias = std::int64_t{1} << 37U;
  if (timestamp.seconds < -kBias) return 0;
  if (timestamp.seconds > 2 * kBias) return ~std::uint64_t{0};
  return (static_cast<std::uint64_t>(timestamp.seconds + kBias) << 24U) |
         (static_cast<std::uint64_t>(timestamp.nanoseconds) >> 6U);
}

}  // namespace

std::uint64_t order_key(const event::Value& value) {
  return value.is_number() ? number_key(value.as_number()) : timestamp_key(value.as_timestamp());
}

std::uint64_t IntervalIndex::centre_of(const KeyInterval& interval) {
  const std::uint64_t centre_bit = std::bit_floor((interval.low ^ interval.high) | 1U);
  return (interval.high & ~(centre_bit - 1)) | centre_bit;
}

void IntervalIndex::add(const KeyInterval& interval, ConjunctionId id) {
  WEIR_CHECK(interval.low <= interval.high);
  const std::uint64_t centre = centre_of(interval);
  const auto [node, added] = nodes_.try_emplace(centre);
  if (added) {
    const auto level = static_cast<std::size_t>(std::countr_zero(centre));
    ++node_counts_[level];
    level_mask_ |= std::uint64_t{1} << level;
  }
  node->second.by_low.add({interval.low, id});
  node->second.by_high.add({interval.high, id});
}

void IntervalIndex::remove(const KeyInterval& interval, ConjunctionId id) {
  const std::uint64_t centre = centre_of(interval);
  const auto node = nodes_.find(centre);
  WEIR_CHECK(node != nodes_.end());
  node->second.by_low.remove({interval.low, id});
  node->second.by_high.remove({interval.high, id});
  if (!node->second.by_low.empty()) return;
  nodes_.erase(node);
  const auto level = static_cast<std::size_t>(std::countr_zero(centre));
  if (--node_counts_[level] == 0) level_mask_ &= ~(std::uint64_t{1} << level);
}

}  // namespace weir::match::content
