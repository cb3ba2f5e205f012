// SPDX-License-Identifier: Apache-2.0
#include "match/content/code_tests.h"

#include <compare>

namespace weir::match::content {
namespace {

// What a detail's column holds, above kColumnBound.
constexpr std::uint32_t kNegated = 1U << 0U;
constexpr std::uint32_t kHasLow = 1U << 1U;
constexpr std::uint32_t kHasHigh = 1U << 2U;
constexpr std::uint32_t kLowOpen = 1U << 3U;
constexpr std::uint32_t kHighOpen = 1U << 4U;
// Of the fractions, whose other 32 bits stand in low and span.
constexpr std::uint32_t kLowLastBit = 1U << 5U;
constexpr std::uint32_t kHighLastBit = 1U << 6U;

std::uint32_t flag_if(bool condition, std::uint32_t flag) { return condition ? flag : 0; }

}  // namespace

CodeTest CodeTest::detail(const RangeDetail& detail) {
  const std::uint32_t flags =
      flag_if(detail.negated, kNegated) | flag_if(detail.has_low, kHasLow) |
      flag_if(detail.has_high, kHasHigh) | flag_if(detail.low_open, kLowOpen) |
      flag_if(detail.high_open, kHighOpen) | flag_if((detail.low_fraction & 1U) != 0, kLowLastBit) |
      flag_if((detail.high_fraction & 1U) != 0, kHighLastBit);
  return {kColumnBound + flags, static_cast<std::uint32_t>(detail.low_fraction >> 1U),
          static_cast<std::uint32_t>(detail.high_fraction >> 1U)};
}

RangeDetail CodeTest::to_detail() const {
  const auto has = [&](std::uint32_t flag) { return (column & flag) != 0; };
  return {.negated = has(kNegated),
          .has_low = has(kHasLow),
          .has_high = has(kHasHigh),
          .low_open = has(kLowOpen),
          .high_open = has(kHighOpen),
          .low_fraction = std::uint64_t{low} << 1U | (has(kLowLastBit) ? 1U : 0U),
          .high_fraction = std::uint64_t{span} << 1U | (has(kHighLastBit) ? 1U : 0U)};
}

// The bounds of a negated range are those of what lies outside, the other way round.
bool CodeTest::holds_at_tie(Code code, const event::Value& value, const RangeDetail& detail) const {
  const bool at_low = detail.has_low && code == (detail.negated ? high() : low);
  const bool at_high = detail.has_high && code == (detail.negated ? low : high());
  if (!at_low && !at_high) return true;  // the bound lies on a place: the code decides
  bool inside = true;
  if (at_low) {
    const auto order =
        event::compare(value, event::Value::of(number_at(code, detail.low_fraction)));
    inside = detail.low_open ? order > 0 : order >= 0;
  }
  if (at_high) {
    const auto order =
        event::compare(value, event::Value::of(number_at(code, detail.high_fraction)));
    inside = inside && (detail.high_open ? order < 0 : order <= 0);
  }
  return inside != detail.negated;
}

}  // namespace weir::match::content
