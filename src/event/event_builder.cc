// SPDX-License-Identifier: Apache-2.0
#include "event/event_builder.h"

#include <fmt/format.h>

#include <iterator>

#include "event/base64.h"

namespace weir::event {

EventBuilder::EventBuilder() : json_(R"({"specversion":"1.0")") {}

EventBuilder& EventBuilder::attribute(std::string_view name, std::string_view text) {
  member(name);
  append_json_string(text, json_);
  return *this;
}

EventBuilder& EventBuilder::attribute(std::string_view name, bool boolean) {
  member(name);
  json_ += boolean ? "true" : "false";
  return *this;
}

EventBuilder& EventBuilder::attribute(std::string_view name, std::int32_t integer) {
  member(name);
  fmt::format_to(std::back_inserter(json_), "{}", integer);
  return *this;
}

EventBuilder& EventBuilder::data_json(std::string_view json) {
  member("data");
  json_ += json;
  data_end_bytes_ = json_.size();
  return *this;
}

EventBuilder& EventBuilder::data_bytes(std::string_view bytes) {
  member("data_base64");
  json_.push_back('"');
  append_base64(bytes, json_);
  json_.push_back('"');
  return *this;
}

base::Result<EventPtr> EventBuilder::build(const EventLimits& limits) const {
  const std::string text = json_ + "}";
  auto event = decode_event(text, limits);
  if (event && data_end_bytes_ != 0) {
    // What was given as data must have been read as data, up to its last byte.
    const JsonRef data = (*event)->data();
    const std::string_view given = std::string_view(text).substr(0, data_end_bytes_);
    const auto end = JsonDocument::expect_end(given, data.offset_bytes() + data.raw().size());
    if (!end) return end.error();
  }
  return event;
}

void EventBuilder::member(std::string_view name) {
  json_.push_back(',');
  append_json_string(name, json_);
  json_.push_back(':');
}

}  // namespace weir::event
