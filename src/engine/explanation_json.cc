// SPDX-License-Identifier: Apache-2.0
#include "engine/explanation_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "event/json_document.h"
#include "event/json_writer.h"

namespace weir::engine {
namespace {

using event::JsonKind;
using event::JsonRef;

constexpr std::array kOutcomes = {
    Outcome::kPassed,          Outcome::kNoMatch, Outcome::kBelowScore, Outcome::kNoValue,
    Outcome::kWithinThreshold, Outcome::kHeld,    Outcome::kDuplicate};
// Each part of a filter is two levels deep, and filters may be deep.
constexpr std::size_t kDepthMax = 4096;

std::string_view sentence(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "Delivered: the filter holds.";
    case Outcome::kNoMatch:
      return "Not delivered: the filter is about other events.";
    case Outcome::kBelowScore:
      return "Not delivered: the text is not what is asked for, all else holds.";
    case Outcome::kNoValue:
      return "Not delivered: change finds no value in the event that it can judge.";
    case Outcome::kWithinThreshold:
      return "Not delivered: the value has not changed enough since the last delivery.";
    case Outcome::kHeld:
      return "Not delivered yet: too early; when the interval is over the newest value counts.";
    case Outcome::kDuplicate:
      return "Not delivered: an event with the same keys was delivered within the window.";
  }
  return "Not delivered.";
}

std::string name_of(Outcome outcome) {
  std::string name(to_string(outcome));
  std::ranges::replace(name, ' ', '_');
  return name;
}

void append_part(const filter::Explanation& part, std::string& out) {
  event::JsonObject object(out);
  object.member("text", part.text);
  object.member("holds", part.holds);
  object.member("decided", part.decided);
  object.member("detail", part.detail);
  object.name("parts");
  out += '[';
  for (const filter::Explanation& inner : part.parts) {
    if (&inner != &part.parts.front()) out += ',';
    append_part(inner, out);
  }
  out += ']';
  object.close();
}

// False if the value is of another kind.
bool read(const JsonRef& value, std::string& out) {
  if (!value || value.kind() != JsonKind::kString) return false;
  out = value.string();
  return true;
}

bool read(const JsonRef& value, bool& out) {
  if (!value || (value.kind() != JsonKind::kTrue && value.kind() != JsonKind::kFalse)) return false;
  out = value.kind() == JsonKind::kTrue;
  return true;
}

bool read(const JsonRef& value, Outcome& out) {
  std::string name;
  if (!read(value, name)) return false;
  const auto* const found = std::ranges::find(kOutcomes, name, name_of);
  if (found == kOutcomes.end()) return false;
  out = *found;
  return true;
}

bool read(const JsonRef& value, filter::Explanation& out) {
  if (!value) return false;
  const JsonRef parts = value.member("parts");
  bool good = read(value.member("text"), out.text) && read(value.member("holds"), out.holds) &&
              read(value.member("decided"), out.decided) &&
              read(value.member("detail"), out.detail) && parts && parts.kind() == JsonKind::kArray;
  if (!good) return false;
  parts.for_each_element(
      [&](const JsonRef& part) { good = good && read(part, out.parts.emplace_back()); });
  return good;
}

// One that may be absent.
bool read_optional(const JsonRef& value, std::string& out) { return !value || read(value, out); }

}  // namespace

std::string reason(const EventExplanation& explanation) {
  if (explanation.note.empty()) return std::string(sentence(explanation.outcome));
  return fmt::format("Not delivered: {}.", explanation.note);
}

void append_json(const EventExplanation& explanation, std::string& out) {
  event::JsonObject object(out);
  object.member("delivered", explanation.outcome == Outcome::kPassed);
  object.member("outcome", name_of(explanation.outcome));
  object.member("reason", reason(explanation));
  object.name("filter");
  append_part(explanation.filter, out);
  if (!explanation.distinct.empty()) object.member("distinct", explanation.distinct);
  if (!explanation.note.empty()) object.member("note", explanation.note);
  object.close();
}

std::optional<EventExplanation> read_explanation(std::string_view json) {
  const auto document = event::JsonDocument::parse(json, {.depth_max = kDepthMax});
  if (!document) return std::nullopt;
  const JsonRef root = document->root();
  EventExplanation out;
  const bool good = read(root.member("outcome"), out.outcome) &&
                    read(root.member("filter"), out.filter) &&
                    read_optional(root.member("distinct"), out.distinct) &&
                    read_optional(root.member("note"), out.note);
  if (!good) return std::nullopt;
  return out;
}

}  // namespace weir::engine
