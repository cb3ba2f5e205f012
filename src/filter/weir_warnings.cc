// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/near_name.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

using event::CoreAttribute;

constexpr std::array<std::string_view, 9> kCommonNames = {
    "data",       "id",         "source", "type", "subject", "time", "datacontenttype",
    "dataschema", "specversion"};

// Attributes that extensions of CloudEvents define, and `lang`, which Weir reads.
constexpr std::array<std::string_view, 18> kKnownExtensions = {
    "authclaims",         "authid",      "authtype",   "causationid",  "correlationid",
    "dataclassification", "dataref",     "expirytime", "lang",         "partitionkey",
    "recordedtime",       "sampledrate", "sequence",   "sequencetype", "severitynumber",
    "severitytext",       "traceparent", "tracestate"};

bool is_extension(const event::Path& path) {
  return !path.is_data() && path.core() == CoreAttribute::kNone;
}

bool is_known_extension(std::string_view name) {
  return std::ranges::find(kKnownExtensions, name) != kKnownExtensions.end();
}

// ": did you mean 'type'?" for a name that is nearly one of the core, or nothing.
std::string core_hint(std::string_view name) {
  constexpr std::size_t kNameBytesMin = 4;
  if (name.size() < kNameBytesMin) return {};
  return base::did_you_mean(name, kCommonNames);
}

// Whether a value that stays where it is has moved far enough.
bool lets_all_through(const Moves& moves) {
  const auto all = [](const std::optional<Threshold>& threshold) {
    return threshold && threshold->inclusive && threshold->amount == 0;
  };
  if (moves.direction != Direction::kEither) return false;
  if (moves.absolute && moves.percent && !moves.either) {
    return all(moves.absolute) && all(moves.percent);
  }
  return all(moves.absolute) || all(moves.percent);
}

bool is_out_of_reach(const Crosses& crosses) {
  return !std::isfinite(crosses.level + crosses.hysteresis) ||
         !std::isfinite(crosses.level - crosses.hysteresis);
}

}  // namespace

// A name in double quotes on the right was probably meant as a string.
void WeirParser::warn_quoted(const Token& right) {
  if (right.kind != TokenKind::kQuoted) return;
  warn(right.offset_bytes, WarningId::kQuotedString,
       fmt::format("{0} in double quotes is the attribute of that name; the string is '{1}'",
                   right.text, right.text.substr(1, right.text.size() - 2)));
}

// A core attribute and a literal whose types make the comparison constant.
void WeirParser::warn_literal(const Operand& operand, const Token& left, const Literal& literal) {
  if (operand.conversion != Operand::Conversion::kNone) return;
  if (is_extension(operand.path)) return warn_extension(operand.path, left, literal.view().kind());
  const CoreAttribute core = operand.path.core();
  if (core == CoreAttribute::kNone) return;
  const bool is_time = core == CoreAttribute::kTime;
  const auto wanted = is_time ? event::ValueKind::kTimestamp : event::ValueKind::kString;
  if (literal.view().kind() == wanted) return;
  warn(left.offset_bytes, WarningId::kCoreType,
       is_time ? "time is a timestamp and never equal to or ordered against another type: write "
                 "timestamp '...'"
               : fmt::format("{} is a string and never equal to or ordered against {}", left.text,
                             event::to_display(literal.view())));
}

void WeirParser::warn_string_operator(const Operand& operand, const Token& left,
                                      const Token& keyword) {
  const bool is_timestamp = operand.conversion == Operand::Conversion::kTimestamp ||
                            (operand.conversion == Operand::Conversion::kNone &&
                             operand.path.core() == CoreAttribute::kTime);
  if (!is_timestamp) return;
  warn(left.offset_bytes, WarningId::kTimestampPattern,
       fmt::format("{} looks at strings and is never true of a timestamp: write string({})",
                   keyword.text, operand.path.to_string()));
}

// A change that lets nothing through after the first reading, or every reading.
void WeirParser::warn_change(const Change& change, std::size_t change_bytes,
                             std::size_t movement_bytes) {
  const auto* const moves = std::get_if<Moves>(&change.movement);
  const auto* const crosses = std::get_if<Crosses>(&change.movement);
  const auto* const rewords = std::get_if<Rewords>(&change.movement);
  const bool all = (moves != nullptr && lets_all_through(*moves)) ||
                   (rewords != nullptr && rewords->distance == Threshold{0, true});
  if (all)
    warn(movement_bytes, WarningId::kEveryReading,
         "a change of >= 0 is every reading: did you mean > 0?");
  if (crosses != nullptr && is_out_of_reach(*crosses)) {
    warn(movement_bytes, WarningId::kNeverCrossed,
         "no number lies that far beyond the level: never crossed");
  }
  const bool differs = std::holds_alternative<Differs>(change.movement);
  if (differs && change.value.path.core() == CoreAttribute::kSpecversion) {
    warn(change_bytes, WarningId::kNeverChanges,
         "specversion is '1.0' in every event: it never changes");
  }
  if (differs && change.value.path.core() == CoreAttribute::kId) {
    warn(change_bytes, WarningId::kAlwaysChanges,
         "events have ids of their own: nearly each one is a change");
  }
  if (change.silent_for && change.at_most_every && *change.silent_for <= *change.at_most_every) {
    warn(change_bytes, WarningId::kSilenceWithinPace,
         "whenever another delivery may come it has been silent for long enough: how far the value "
         "has moved does not matter");
  }
}

void WeirParser::warn_name(const event::Path& path, std::size_t offset_bytes) {
  if (!is_extension(path)) return;
  const std::string_view name = path.attribute_name();
  if (name == "null") {
    return warn(offset_bytes, WarningId::kNull,
                "'null' is an extension attribute: whether there is a value is asked by exists");
  }
  const std::string hint = core_hint(name);
  if (hint.empty()) return;
  warn(offset_bytes, WarningId::kNearName,
       fmt::format("'{}' is an extension attribute{}", name, hint));
}

// An extension attribute where the text of a document or a number is read: probably a member of
// data was meant. A name in double quotes is meant as it is.
void WeirParser::warn_bare(const event::Path& path, const Token& token) {
  const std::string_view name = path.attribute_name();
  if (token.kind != TokenKind::kWord || !is_extension(path) || is_known_extension(name)) return;
  warn(token.offset_bytes, WarningId::kBareName,
       fmt::format("'{0}' is an extension attribute: did you mean data.{0}?", name));
}

// An extension attribute and a literal of a type that it may not have.
void WeirParser::warn_extension(const event::Path& path, const Token& left,
                                event::ValueKind literal) {
  if (literal == event::ValueKind::kString) return;
  warn_bare(path, left);
  if (literal == event::ValueKind::kTimestamp) {
    return warn(left.offset_bytes, WarningId::kStringAttribute,
                fmt::format("an extension attribute is no timestamp, and never equal to or ordered "
                            "against one: write timestamp({})",
                            left.text));
  }
  warn_string_attribute(left);
}

void WeirParser::warn_string_attribute(const Token& name) {
  warn(name.offset_bytes, WarningId::kStringAttribute,
       fmt::format("binary HTTP mode delivers {0} as a string, which is no number or boolean: "
                   "compare string({0}) with a string, or write cesql('...'), which converts it",
                   name.text));
}

void WeirParser::warn(std::size_t offset_bytes, WarningId id, std::string message) {
  warnings_.push_back({id, base::position_at(lexer_.text(), offset_bytes), std::move(message)});
}

}  // namespace weir::filter
