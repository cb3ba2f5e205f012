// SPDX-License-Identifier: Apache-2.0
#include "event/event_testing.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "base/check.h"

namespace weir::event {

EventPtr event_of(std::string_view json_object) {
  using Default = std::pair<std::string_view, std::string_view>;
  static constexpr auto kDefaults = std::to_array<Default>(
      {{"specversion", "1.0"}, {"id", "1"}, {"source", "/test"}, {"type", "test"}});
  const auto document = JsonDocument::parse(json_object);
  if (!document) std::fprintf(stderr, "%s\n", document.error().to_string().c_str());
  WEIR_CHECK(document.has_value() && document->root().kind() == JsonKind::kObject);

  std::string text;
  for (const auto& [name, value] : kDefaults) {
    if (!document->root().member(name)) text += fmt::format(R"("{}":"{}",)", name, value);
  }
  text += document->text().substr(1);
  if (const std::size_t comma = text.find_last_not_of("} \t\n"); text[comma] == ',') {
    text.erase(comma, 1);
  }
  const auto event = decode_event("{" + text);
  if (!event) std::fprintf(stderr, "%s\n", event.error().to_string().c_str());
  WEIR_CHECK(event.has_value());
  return *event;
}

}  // namespace weir::event
