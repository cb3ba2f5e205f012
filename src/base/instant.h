// SPDX-License-Identifier: Apache-2.0
// Instant and Duration: points and spans of time in nanoseconds, handed in by the caller.
//
// Nothing below the runtime reads a clock. Both saturate instead of overflowing.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace weir::base {

struct Duration {
  std::int64_t nanoseconds = 0;

  static constexpr Duration seconds(std::int64_t count) { return of(count, 1'000'000'000); }
  static constexpr Duration milliseconds(std::int64_t count) { return of(count, 1'000'000); }

  auto operator<=>(const Duration&) const = default;

 private:
  static constexpr Duration of(std::int64_t count, std::int64_t unit_nanoseconds) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(count, unit_nanoseconds, &product)) return {product};
    return {count > 0 ? std::numeric_limits<std::int64_t>::max()
                      : std::numeric_limits<std::int64_t>::min()};
  }
};

struct Instant {
  std::int64_t nanoseconds = 0;  // since 1970-01-01T00:00:00Z, or any origin the caller keeps to

  auto operator<=>(const Instant&) const = default;
};

constexpr Instant operator+(Instant instant, Duration duration) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(instant.nanoseconds, duration.nanoseconds, &sum)) return {sum};
  return {duration.nanoseconds > 0 ? std::numeric_limits<std::int64_t>::max()
                                   : std::numeric_limits<std::int64_t>::min()};
}

constexpr Duration operator-(Instant later, Instant earlier) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(later.nanoseconds, earlier.nanoseconds, &difference)) {
    return {difference};
  }
  return {later > earlier ? std::numeric_limits<std::int64_t>::max()
                          : std::numeric_limits<std::int64_t>::min()};
}

}  // namespace weir::base
