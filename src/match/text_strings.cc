// SPDX-License-Identifier: Apache-2.0
#include "match/text_strings.h"

#include <string_view>

#include "match/html_text.h"

namespace weir::match {

std::vector<std::string> text_strings(const std::vector<filter::TextField>& fields,
                                      const event::Event& event) {
  std::vector<std::string> strings;
  for (const auto& [path, html] : fields) {
    const auto take = [&](const event::Value& value) {
      if (value.kind() != event::ValueKind::kString) return;
      const std::string_view text = value.as_string();
      strings.push_back(html ? html_text(text) : std::string(text));
    };
    if (!path.is_data()) {
      take(event.at(path));
      continue;
    }
    event.any_json_at(path, [&](const event::JsonRef& json) {
      if (json.kind() == event::JsonKind::kArray) {
        json.for_each_element([&](const event::JsonRef& element) { take(element.value()); });
      } else {
        take(json.value());
      }
      return false;
    });
  }
  return strings;
}

}  // namespace weir::match
