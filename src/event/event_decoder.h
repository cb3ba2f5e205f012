// SPDX-License-Identifier: Apache-2.0
// EventDecoder: turns the JSON values of a text into events, enforcing every rule on the way.
//
// Positions in errors refer to the whole text; those of all its events together cost one pass.
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
  EventDecoder(std::string_view text, const EventLimits& limits)
      : text_(text), limits_(limits), positions_(text) {}

  // Reads the JSON value at `offset_bytes` and tells where it ends. Fails if it is no JSON.
  base::Result<std::size_t> read(std::size_t offset_bytes);
  // Makes an event of the value just read.
  base::Result<EventPtr> decode();

 private:
  void own_text();
  bool members();
  bool member(const JsonRef& name, const JsonRef& value);
  bool data(const JsonRef& name, const JsonRef& value);
  bool data_base64(const JsonRef& name, const JsonRef& value);
  bool extension_name(const JsonRef& name);
  bool attribute(std::string_view name, CoreAttribute core, const JsonRef& value);
  bool string_attribute(Attribute& attribute, CoreAttribute core, const JsonRef& value);
  bool integer_attribute(Attribute& attribute, const JsonRef& value);
  bool well_formed(Attribute& attribute, CoreAttribute core, const JsonRef& value);
  bool required();
  bool fail(base::ErrorId id, const JsonRef& at, std::string message);

  std::string_view text_;
  const EventLimits& limits_;
  base::PositionFinder positions_;
  std::size_t begin_bytes_ = 0;  // of the value just read
  std::shared_ptr<Event> event_;
  std::optional<base::Error> error_;
};

}  // namespace weir::event
