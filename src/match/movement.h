// SPDX-License-Identifier: Apache-2.0
// Movements: whether a value has changed since what was last delivered, by definition. Pure.
//
// x is the current value, l the last delivered one:
//
//   > c, >= c      |x - l| > c, >= c; rises by: x - l instead; falls by: l - x instead
//   > p%, >= p%    the same with p/100 |l| for c; from l = 0 any distance above 0 is enough
//   a and b, or    both of them, one of them
//   any            x is of another type or not equal to l; numbers are equal by value
//   crosses v      above is x > v + h, below is x < v - h, and in between x is on neither side;
//                  crossed if x is on the other side than the last one
//
// Decided in doubles exactly as written here, so that whoever replaces this by bounds (l + c) must
// ask it where they are close.
#pragma once

#include <cstdint>
#include <optional>

#include "filter/ast.h"

namespace weir::match {

enum class Side : std::uint8_t { kBelow, kAbove };

// |x - l|, x - l or l - x.
double distance_moved(filter::Direction direction, double last, double current);
bool has_moved(const filter::Moves& moves, double last, double current);

bool has_changed(const filter::Literal& last, const filter::Literal& current);

// Where a first value lies: above the level or not, whatever the hysteresis.
Side first_side(const filter::Crosses& crosses, double value);
// The side after a value: between the sides it stays.
Side side_after(const filter::Crosses& crosses, Side last, double current);
// True if the side changes in a direction that is asked for.
bool has_crossed(const filter::Crosses& crosses, Side last, double current);

// Whether the distance is beyond the threshold.
bool exceeds(const filter::Threshold& threshold, double distance);

}  // namespace weir::match
