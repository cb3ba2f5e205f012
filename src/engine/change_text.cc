// SPDX-License-Identifier: Apache-2.0
#include "engine/change_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/utf8.h"
#include "filter/print.h"

namespace weir::engine {
namespace {

using filter::Crosses;
using filter::Differs;
using filter::Direction;
using filter::Moves;
using filter::Rewords;
using match::ChangeReading;
using match::Side;

constexpr std::size_t kShownBytesMax = 120;

std::string shown(const filter::Literal& literal) {
  std::string text = event::to_display(literal.view());
  if (text.size() <= kShownBytesMax) return text;
  return fmt::format("{}...", base::utf8_prefix(text, kShownBytesMax));
}

std::string_view verb(Direction direction) {
  switch (direction) {
    case Direction::kUp:
      return "risen";
    case Direction::kDown:
      return "fallen";
    case Direction::kEither:
      break;
  }
  return "moved";
}

// Without what the direction says.
std::string thresholds(Moves moves) {
  moves.direction = Direction::kEither;
  return to_text(filter::Movement(moves));
}

std::string describe_move(const filter::Change& change, const ChangeReading& reading) {
  const Moves& moves = std::get<Moves>(change.movement);
  const double last = std::get<double>(*reading.last);
  const double moved =
      match::distance_moved(moves.direction, last, std::get<double>(*reading.value));
  std::string text = fmt::format("last delivered {}, {} by {}", last, verb(moves.direction), moved);
  if (moves.percent && last != 0) {
    text += fmt::format(" ({:.6g}%)", moved / std::abs(last) * 100);
  }
  return text + fmt::format(", asked for{}", thresholds(moves));
}

std::string describe_crossing(const Crosses& crosses, Side last) {
  return fmt::format("last seen {} {}: below begins under {}, above over {}",
                     last == Side::kAbove ? "above" : "below", crosses.level,
                     crosses.level - crosses.hysteresis, crosses.level + crosses.hysteresis);
}

std::string describe_last(const filter::Change& change, const ChangeReading& reading) {
  if (const auto* const crosses = std::get_if<Crosses>(&change.movement)) {
    return describe_crossing(*crosses, std::get<Side>(*reading.last));
  }
  if (const auto* const rewords = std::get_if<Rewords>(&change.movement)) {
    return fmt::format("its distance from the last delivered one is {:.4f}, asked for{}",
                       *reading.text_distance, to_text(filter::Movement(*rewords)));
  }
  if (std::holds_alternative<Differs>(change.movement)) {
    return fmt::format("last delivered {}", shown(std::get<filter::Literal>(*reading.last)));
  }
  return describe_move(change, reading);
}

std::string describe_value(const filter::Change& change, const ChangeReading& reading) {
  if (const auto* const document = std::get_if<match::TermCounts>(&*reading.value)) {
    return fmt::format("the text has {} terms", document->counts.size());
  }
  if (const auto* const literal = std::get_if<filter::Literal>(&*reading.value)) {
    return fmt::format("{} is {}", to_text(change.value), shown(*literal));
  }
  return fmt::format("{} is {}", to_text(change.value), std::get<double>(*reading.value));
}

std::string describe_missing(const filter::Change& change) {
  if (std::holds_alternative<Rewords>(change.movement)) return "no field has text in its language";
  const bool any = std::holds_alternative<Differs>(change.movement);
  return fmt::format("{} is no {}", to_text(change.value),
                     any ? "text, number, boolean or time" : "finite number");
}

}  // namespace

std::string describe(const filter::Change& change, const ChangeReading& reading) {
  if (!reading.value) return describe_missing(change);
  const std::string now = describe_value(change, reading);
  if (!reading.last) return now + ", nothing was delivered yet";
  std::string text = fmt::format("{}, {}", now, describe_last(change, reading));
  if (reading.silent) text += ", silent for long enough";
  if (reading.held) text += ", too early for another delivery";
  return text;
}

}  // namespace weir::engine
