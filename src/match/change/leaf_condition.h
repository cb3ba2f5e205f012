// SPDX-License-Identifier: Apache-2.0
// LeafCondition: what one source must have done for a composite: moved by one movement, or by
// either or both of two in the same direction (absolute and percent, say).
#pragma once

#include <cstdint>

#include "match/change/movement.h"

namespace weir::match {

struct LeafCondition {
  enum class Parts : std::uint8_t { kOne, kEither, kBoth };

  Movement movement;
  Movement second_movement;  // unless kOne
  Parts parts = Parts::kOne;
  double threshold = 0;
  double second_threshold = 0;

  bool is_valid() const {
    return parts == Parts::kOne || movement.direction == second_movement.direction;
  }
  bool satisfied(double last, double x) const;

  // Contains a finite x iff it does not satisfy. The bands of two parts overlap, since they have
  // one direction, so that what they cover together is a band.
  Band quiet_band(double last) const;
};

}  // namespace weir::match
