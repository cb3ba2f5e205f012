// SPDX-License-Identifier: Apache-2.0
#include "match/movement.h"

#include <cmath>

namespace weir::match {
namespace {

using filter::Direction;

bool exceeds_percent(const filter::Threshold& percent, double last, double moved) {
  if (last == 0) return moved > 0;
  return exceeds({percent.amount / 100 * std::abs(last), percent.inclusive}, moved);
}

}  // namespace

bool exceeds(const filter::Threshold& threshold, double distance) {
  return threshold.inclusive ? distance >= threshold.amount : distance > threshold.amount;
}

double distance_moved(Direction direction, double last, double current) {
  switch (direction) {
    case Direction::kUp:
      return current - last;
    case Direction::kDown:
      return last - current;
    case Direction::kEither:
      break;
  }
  return std::abs(current - last);
}

bool has_moved(const filter::Moves& moves, double last, double current) {
  const double moved = distance_moved(moves.direction, last, current);
  if (!moves.percent) return exceeds(*moves.absolute, moved);
  const bool by_percent = exceeds_percent(*moves.percent, last, moved);
  if (!moves.absolute) return by_percent;
  const bool by_amount = exceeds(*moves.absolute, moved);
  return moves.either ? by_amount || by_percent : by_amount && by_percent;
}

bool has_changed(const filter::Literal& last, const filter::Literal& current) {
  return event::compare(last.view(), current.view()) != 0;
}

Side first_side(const filter::Crosses& crosses, double value) {
  return value > crosses.level ? Side::kAbove : Side::kBelow;
}

Side side_after(const filter::Crosses& crosses, Side last, double current) {
  if (current > crosses.level + crosses.hysteresis) return Side::kAbove;
  if (current < crosses.level - crosses.hysteresis) return Side::kBelow;
  return last;
}

bool has_crossed(const filter::Crosses& crosses, Side last, double current) {
  const Side side = side_after(crosses, last, current);
  if (side == last) return false;
  return crosses.direction == Direction::kEither ||
         (crosses.direction == Direction::kUp) == (side == Side::kAbove);
}

}  // namespace weir::match
