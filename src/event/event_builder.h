// SPDX-License-Identifier: Apache-2.0
// EventBuilder: makes an event from parts, under the same rules as one that is decoded.
//
//   auto event = EventBuilder().id("1").source("/nyse").type("quote")
//                    .attribute("lot", 100).data_json(R"({"price":20.5})").build();
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "event/event.h"

namespace weir::event {

class EventBuilder {
 public:
  EventBuilder();

  EventBuilder& id(std::string_view text) { return attribute("id", text); }
  EventBuilder& source(std::string_view text) { return attribute("source", text); }
  EventBuilder& type(std::string_view text) { return attribute("type", text); }
  EventBuilder& subject(std::string_view text) { return attribute("subject", text); }
  EventBuilder& time(std::string_view rfc3339) { return attribute("time", rfc3339); }

  EventBuilder& attribute(std::string_view name, std::string_view text);
  EventBuilder& attribute(std::string_view name, const char* text) {
    return attribute(name, std::string_view(text));
  }
  EventBuilder& attribute(std::string_view name, bool boolean);
  EventBuilder& attribute(std::string_view name, std::int32_t integer);

  // Data as a JSON text that is exactly one value, kept byte for byte.
  EventBuilder& data_json(std::string_view json);
  // Data as bytes, which travel as data_base64.
  EventBuilder& data_bytes(std::string_view bytes);

  // Fails with the same errors as decode_event; positions refer to the JSON text built.
  base::Result<EventPtr> build(const EventLimits& limits = {}) const;

 private:
  void member(std::string_view name);

  std::string json_;
  std::size_t data_end_bytes_ = 0;
};

}  // namespace weir::event
