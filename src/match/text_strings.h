// SPDX-License-Identifier: Apache-2.0
// The strings that the fields of a text are in an event.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "event/event.h"
#include "filter/ast.h"

namespace weir::match {

// In the order of the fields: a field's string, or the strings of its array, without markup where
// the field says html; of a path with [*] so for each value in turn. Empty if no field has text; an
// empty string is text.
std::vector<std::string> text_strings(const std::vector<filter::TextField>& fields,
                                      const event::Event& event);

// How long the strings of a field are, markup included.
struct TextSize {
  std::size_t value_count = 0;  // that were looked at
  std::size_t string_count = 0;
  std::size_t bytes = 0;
};
TextSize text_size(const filter::TextField& field, const event::Event& event);

}  // namespace weir::match
