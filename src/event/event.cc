// SPDX-License-Identifier: Apache-2.0
#include "event/event.h"

#include "event/base64.h"

namespace weir::event {

std::string_view Event::core_text(CoreAttribute attribute) const {
  const Attribute* const found = find(attribute);
  return found == nullptr ? std::string_view() : found->text;
}

const Attribute* Event::find(std::string_view name) const {
  for (const Attribute& attribute : attributes_) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

const Attribute* Event::find(CoreAttribute attribute) const {
  const std::size_t index = core_index_[static_cast<std::size_t>(attribute)];
  return index == 0 ? nullptr : &attributes_[index - 1];
}

std::string Event::data_bytes() const {
  if (data_kind_ != DataKind::kBinary) return {};
  return decode_base64(document_.root().member("data_base64").string()).value_or("");
}

Value Event::at(const Path& path) const {
  if (!path.is_data()) {
    const Attribute* const found =
        path.core() == CoreAttribute::kNone ? find(path.attribute_name()) : find(path.core());
    return found == nullptr ? Value() : found->value;
  }
  if (data_kind_ == DataKind::kBinary && path.steps().empty()) {
    return Value::of_kind(ValueKind::kBytes);
  }
  const JsonRef found = json_at(path);
  return found ? found.value() : Value();
}

JsonRef Event::json_at(const Path& path) const {
  JsonRef here = path.is_data() ? data_ : JsonRef();
  for (const Path::Step& step : path.steps()) {
    if (!here) break;
    here = here.step(step);
  }
  return here;
}

void assign_sequence(const EventPtr& event, std::uint64_t sequence) { event->sequence_ = sequence; }

}  // namespace weir::event
