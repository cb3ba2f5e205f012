// SPDX-License-Identifier: Apache-2.0
#include "match/change/leaf_condition.h"

#include <algorithm>

namespace weir::match {

bool LeafCondition::satisfied(double last, double x) const {
  const bool first = movement.fires(threshold, last, x);
  if (parts == Parts::kOne) return first;
  const bool second = second_movement.fires(second_threshold, last, x);
  return parts == Parts::kEither ? first || second : first && second;
}

Band LeafCondition::quiet_band(double last) const {
  Band band = movement.quiet_band(threshold, last);
  if (parts == Parts::kOne) return band;
  const Band second = second_movement.quiet_band(second_threshold, last);
  if (parts == Parts::kEither) {
    band.intersect(second);
    return band;
  }
  if (band.is_empty()) return second;
  if (second.is_empty()) return band;
  return {std::min(band.low, second.low), std::max(band.high, second.high)};
}

}  // namespace weir::match
