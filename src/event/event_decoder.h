// SPDX-License-Identifier: Apache-2.0
// EventDecoder: turns a parsed JSON value into an event, enforcing every rule on the way.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "event/event.h"

namespace weir::event {

class EventDecoder {
 public:
  // `whole` is the text that positions in errors refer to; the document's text lies inside it at
  // `offset_bytes`.
  EventDecoder(std::string_view whole, std::size_t offset_bytes, const EventLimits& limits)
      : whole_(whole), offset_bytes_(offset_bytes), limits_(limits) {}

  // Copies the document's text into the event.
  base::Result<EventPtr> decode(JsonDocument document);

 private:
  bool members();
  bool member(const JsonRef& name, const JsonRef& value);
  bool data(bool base64, const JsonRef& name, const JsonRef& value);
  bool attribute(std::string_view name, const JsonRef& value);
  bool string_attribute(Attribute& attribute, CoreAttribute core, const JsonRef& value);
  bool integer_attribute(Attribute& attribute, const JsonRef& value);
  bool well_formed(Attribute& attribute, CoreAttribute core, const JsonRef& value);
  bool required();
  bool fail(base::ErrorId id, const JsonRef& at, std::string message);

  std::string_view whole_;
  std::size_t offset_bytes_;
  const EventLimits& limits_;
  std::shared_ptr<Event> event_;
  std::optional<base::Error> error_;
};

}  // namespace weir::event
