// SPDX-License-Identifier: Apache-2.0
// Movement: when a value has moved far enough from the last delivered one, and the exact band of
// values that have not.
//
//   kChanges  |x - l| > c      kRises  x - l > c      kFalls  l - x > c      inclusive: >=
//   percent   c / 100 * |l| stands for c; from l == 0 any move in the direction counts
//
// fires() is the definition, with exactly these expressions of doubles. Two monotonies hold for
// them as well as for real numbers, and all of match/change rests on them: if a threshold fires, so
// does every smaller one; and the farther x is from l, the more fires.
//
// Requires finite l and x, and a finite c >= 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace weir::match {

// The values from low to high. Empty if low > high.
struct Band {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  static constexpr Band empty() {
    return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  }
  bool is_empty() const { return low > high; }
  bool contains(double x) const { return low <= x && x <= high; }
  // Keeps what both contain.
  void intersect(const Band& other) {
    low = low > other.low ? low : other.low;
    high = high < other.high ? high : other.high;
  }

  bool operator==(const Band&) const = default;
};

enum class Direction : std::uint8_t { kChanges, kRises, kFalls };

struct Movement {
  Direction direction = Direction::kChanges;
  bool percent = false;
  bool inclusive = false;

  double distance(double last, double x) const {
    return direction == Direction::kRises   ? x - last
           : direction == Direction::kFalls ? last - x
                                            : std::abs(x - last);
  }
  bool fires(double c, double last, double x) const {
    const double moved = distance(last, x);
    if (percent && last == 0) return moved > 0;
    const double threshold = percent ? c / 100 * std::abs(last) : c;
    return inclusive ? moved >= threshold : moved > threshold;
  }

  // The least c >= 0 that does not fire; infinite if all do.
  double first_quiet_threshold(double last, double x) const {
    if (percent) return first_quiet_percentage(last, x);
    const double moved = distance(last, x);
    if (moved < 0) return 0;
    return inclusive ? std::nextafter(moved, std::numeric_limits<double>::infinity()) : moved;
  }

  // Contains a finite x iff c does not fire for it. A side without an end is infinite.
  Band quiet_band(double c, double last) const;

  bool operator==(const Movement&) const = default;

 private:
  double first_quiet_percentage(double last, double x) const;
};

}  // namespace weir::match
