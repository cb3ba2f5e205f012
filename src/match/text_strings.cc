// SPDX-License-Identifier: Apache-2.0
#include "match/text_strings.h"

#include <string_view>

#include "match/html_text.h"

namespace weir::match {

namespace {

// Calls `use` with each string of a field, as it is written, and with null for any other value.
template <typename Use>
void for_each_string(const filter::TextField& field, const event::Event& event, Use use) {
  const auto take = [&](const event::Value& value) {
    use(value.kind() == event::ValueKind::kString ? &value : nullptr);
  };
  if (!field.path.is_data()) return take(event.at(field.path));
  event.any_json_at(field.path, [&](const event::JsonRef& json) {
    if (json.kind() == event::JsonKind::kArray) {
      json.for_each_element([&](const event::JsonRef& element) { take(element.value()); });
    } else {
      take(json.value());
    }
    return false;
  });
}

}  // namespace

std::vector<std::string> text_strings(const std::vector<filter::TextField>& fields,
                                      const event::Event& event) {
  std::vector<std::string> strings;
  for (const filter::TextField& field : fields) {
    for_each_string(field, event, [&](const event::Value* text) {
      if (text == nullptr) return;
      strings.push_back(field.html ? html_text(text->as_string()) : std::string(text->as_string()));
    });
  }
  return strings;
}

TextSize text_size(const filter::TextField& field, const event::Event& event) {
  TextSize size;
  for_each_string(field, event, [&](const event::Value* text) {
    ++size.value_count;
    if (text == nullptr) return;
    ++size.string_count;
    size.bytes += text->as_string().size();
  });
  return size;
}

}  // namespace weir::match
