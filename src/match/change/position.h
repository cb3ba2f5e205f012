// SPDX-License-Identifier: Apache-2.0
// Position: a subscriber's place in the order of thresholds; equal thresholds are ordered by id.
#pragma once

#include <cstdint>
#include <limits>

namespace weir::match {

struct Position {
  double threshold = 0;
  std::uint64_t id = 0;

  static constexpr Position end() {
    return {std::numeric_limits<double>::infinity(), std::numeric_limits<std::uint64_t>::max()};
  }
  // There is no position between this and the next. Requires an id below the largest.
  Position next() const { return {threshold, id + 1}; }

  friend bool operator<(const Position& a, const Position& b) {
    return a.threshold < b.threshold || (a.threshold == b.threshold && a.id < b.id);
  }
  friend bool operator<=(const Position& a, const Position& b) { return !(b < a); }
  friend bool operator>=(const Position& a, const Position& b) { return !(a < b); }
  bool operator==(const Position&) const = default;
};

}  // namespace weir::match
