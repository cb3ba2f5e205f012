// SPDX-License-Identifier: Apache-2.0
// The first line is a path, the rest the data of an event (or an event): a path that parses reads
// back as it is written, and leads to the value that walking step by step leads to.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "event/event.h"
#include "event/event_builder.h"
#include "event/path.h"

namespace {

using namespace weir::event;

void check_round_trip(const Path& path) {
  const std::string text = path.to_string();
  const auto again = parse_path(text);
  WEIR_CHECK(again.has_value());
  WEIR_CHECK(*again == path && (*again <=> path) == 0);
  WEIR_CHECK(again->to_string() == text);
  const auto prefix = parse_path_prefix("  " + text + ")", 2);
  WEIR_CHECK(prefix.has_value() && prefix->path == path);
  WEIR_CHECK(prefix->end_bytes == text.size() + 2);
}

JsonRef step_into(const JsonRef& from, const Path::Step& step) {
  JsonRef found;
  if (const auto* name = std::get_if<std::string>(&step)) {
    if (from.kind() != JsonKind::kObject) return found;
    from.for_each_member([&](const JsonRef& member, const JsonRef& value) {
      if (member.string() == *name) found = value;
    });
    return found;
  }
  std::size_t index = 0;
  if (from.kind() != JsonKind::kArray) return found;
  from.for_each_element([&](const JsonRef& value) {
    if (index++ == std::get<std::uint32_t>(step)) found = value;
  });
  return found;
}

// Every value that the steps lead to, in the order of the text.
void walk(const JsonRef& from, std::span<const Path::Step> steps, std::vector<JsonRef>& found) {
  if (steps.empty()) return found.push_back(from);
  if (!std::holds_alternative<EveryElement>(steps[0])) {
    if (const JsonRef next = step_into(from, steps[0])) walk(next, steps.subspan(1), found);
    return;
  }
  if (from.kind() != JsonKind::kArray) return;
  from.for_each_element([&](const JsonRef& element) { walk(element, steps.subspan(1), found); });
}

void check_values(const Event& event, const Path& path) {
  std::vector<JsonRef> expected;
  if (event.data()) walk(event.data(), path.steps(), expected);
  std::size_t count = 0;
  const bool stopped = event.any_json_at(path, [&](const JsonRef& found) {
    WEIR_CHECK(count < expected.size());
    WEIR_CHECK(found.offset_bytes() == expected[count].offset_bytes());
    ++count;
    return false;
  });
  WEIR_CHECK(!stopped && count == expected.size());
}

void check_lookup(const Event& event, const Path& path) {
  if (path.is_data()) check_values(event, path);
  if (path.is_many()) return;
  const Value value = event.at(path);
  if (!path.is_data()) {
    WEIR_CHECK(value.missing() == (event.find(path.attribute_name()) == nullptr));
    return;
  }
  JsonRef expected = event.data();
  for (const Path::Step& step : path.steps()) {
    if (expected) expected = step_into(expected, step);
  }
  const JsonRef found = event.json_at(path);
  WEIR_CHECK(static_cast<bool>(found) == static_cast<bool>(expected));
  if (!found) return;
  WEIR_CHECK(found.offset_bytes() == expected.offset_bytes());
  WEIR_CHECK(value.kind() == found.value().kind());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const auto path = parse_path(std::string_view(text).substr(0, line_end));
  if (!path) {
    WEIR_CHECK(path.error().position->offset_bytes <= line_end);
    return 0;
  }
  check_round_trip(*path);
  const std::string_view rest = std::string_view(text).substr(line_end);
  if (const auto event = decode_event(rest)) check_lookup(**event, *path);
  const auto built = EventBuilder().id("1").source("/s").type("t").data_json(rest).build();
  if (built) check_lookup(**built, *path);
  return 0;
}
