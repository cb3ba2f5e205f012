// SPDX-License-Identifier: Apache-2.0
#include "server/binary_event.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "server/event_headers.h"
#include "server/http_text.h"

namespace weir::server {
namespace {

constexpr std::string_view kJsonDataType = "application/json";
constexpr std::string_view kEventTypes = "application/cloudevents";  // would say another mode

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
}

// Text that is not JSON travels as a JSON string inside an event, and as itself in a body.
std::string body_of(const event::Event& event, std::string_view type) {
  switch (event.data_kind()) {
    case event::DataKind::kNone:
      break;
    case event::DataKind::kBinary:
      return event.data_bytes();
    case event::DataKind::kJson: {
      const event::JsonRef data = event.data();
      const auto media = parse_media_type(type);
      const bool is_json = !media || media->is_json();
      const bool is_text = data.kind() == event::JsonKind::kString;
      return std::string(is_json || !is_text ? data.raw() : data.string());
    }
  }
  return {};
}

}  // namespace

bool put_binary_event(const event::Event& event, HttpCall& call) {
  std::string type(event.core_text(event::CoreAttribute::kDatacontenttype));
  if (!is_printable(type) || starts_with_in_any_case(type, kEventTypes)) return false;
  if (type.empty() && event.data_kind() == event::DataKind::kJson) type = kJsonDataType;
  call.body = body_of(event, type);
  if (!type.empty()) call.fields.push_back({"Content-Type", std::move(type)});
  for (const event::Attribute& attribute : event.attributes()) {
    if (attribute.name == "datacontenttype") continue;
    call.fields.push_back(
        {"ce-" + std::string(attribute.name), encode_event_header(attribute.text)});
  }
  return true;
}

}  // namespace weir::server
