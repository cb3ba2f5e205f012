// SPDX-License-Identifier: Apache-2.0
// Upper case, lower case and white space by Unicode 14, whatever the language.
//
// Only the simple mappings, which turn one code point into one: 'ß' stays in upper case, and a
// text keeps its number of characters. Costs a binary search among 200 ranges for each character
// that is not ASCII.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::filter::cesql {

// Bytes that are no UTF-8 stay as they are.
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);

// Unicode's property White_Space.
bool is_white_space(std::uint32_t code_point);

}  // namespace weir::filter::cesql
