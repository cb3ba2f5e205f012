// SPDX-License-Identifier: Apache-2.0
// Reading numbers and the parts of a line, as the inputs and arguments of all labs need it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace weir::lab {

// Cuts off the part before the separator; all of it if there is none.
inline std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

// False unless the text is exactly one number.
template <typename Number>
bool parse_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

inline bool parse_count(std::string_view text, std::size_t lowest, std::size_t& value) {
  return parse_number(text, value) && value >= lowest;
}

}  // namespace weir::lab
