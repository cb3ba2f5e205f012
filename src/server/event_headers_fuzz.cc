// SPDX-License-Identifier: Apache-2.0
// Lines `name: value` up to an empty line are headers, the rest is a body: they make a valid event,
// or an error with a place in the body at most. Header values survive encoding.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "event/event.h"
#include "server/event_headers.h"

namespace {

using namespace weir::server;

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

void check_values(const weir::event::Event& event) {
  for (const auto& attribute : event.attributes()) {
    const std::string encoded = encode_event_header(attribute.text);
    WEIR_CHECK(decode_event_header("ce-x", encoded).value() == attribute.text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  std::string_view rest = text;
  std::vector<Field> fields;
  for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest)) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    fields.push_back({line.substr(0, colon), line.substr(std::min(colon + 1, line.size()))});
  }
  (void)content_mode(fields);
  const auto event = decode_binary_event(fields, rest);
  if (!event) {
    WEIR_CHECK(!event.error().message.empty());
    WEIR_CHECK(!event.error().position || event.error().position->offset_bytes <= rest.size());
    return 0;
  }
  WEIR_CHECK(weir::event::decode_event((*event)->json()).has_value());
  check_values(**event);
  return 0;
}
