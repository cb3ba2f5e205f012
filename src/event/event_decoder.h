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
#include <utility>

#include "base/result.h"
#include "event/event.h"
#include "event/padded_text.h"

namespace weir::event {

class EventDecoder {
 public:
  EventDecoder(const PaddedText& text, const EventLimits& limits)
      : text_(text), limits_(limits), positions_(text.view()) {}

  // Reads the JSON value at `offset_bytes`. False if it is no JSON; take_error() tells why.
  bool read(std::size_t offset_bytes);
  base::Error take_error() { return std::move(*error_); }
  // Where the value just read ends.
  std::size_t end_bytes() const { return end_bytes_; }
  // Makes an event of it.
  base::Result<EventPtr> decode();

 private:
  bool members();
  bool member(const JsonRef& name, const JsonRef& value);
  bool data(const JsonRef& name, const JsonRef& value);
  bool data_base64(const JsonRef& name, const JsonRef& value);
  bool extension_name(const JsonRef& name);
  bool attribute(Attribute& attribute, CoreAttribute core, const JsonRef& value);
  bool string_attribute(Attribute& attribute, CoreAttribute core, const JsonRef& value);
  bool integer_attribute(Attribute& attribute, const JsonRef& value);
  bool well_formed(Attribute& attribute, CoreAttribute core, const JsonRef& value);
  bool required();
  bool fail(base::ErrorId id, const JsonRef& at, std::string message);

  const PaddedText& text_;
  const EventLimits& limits_;
  base::PositionFinder positions_;
  std::size_t begin_bytes_ = 0;
  std::size_t end_bytes_ = 0;
  std::shared_ptr<Event> event_;
  std::optional<base::Error> error_;
};

}  // namespace weir::event
