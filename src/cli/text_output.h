// SPDX-License-Identifier: Apache-2.0
// Text for people: what comes from the input is cut and cleaned before a terminal sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::cli {

// The text with every control character and every byte that is not UTF-8 as '?', and "..." in place
// of what is beyond bytes_max.
std::string printable(std::string_view text, std::size_t bytes_max = 400);
// The longest text on a damaged store: it quotes no input, and names several files and what to do.
inline constexpr std::size_t kStoreTextBytesMax = 4000;

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number);

// In the largest unit: 66.1 MiB.
std::string readable_bytes(double bytes);

// The line of a text that a position points at, and a caret below the column, both indented. A
// line that is too long for a terminal is cut around the column.
std::string excerpt(std::string_view text, std::size_t line, std::size_t column);

}  // namespace weir::cli
