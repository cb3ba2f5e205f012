// SPDX-License-Identifier: Apache-2.0
// UTF-8: decoding, encoding and counting of code points, strictly by the standard (no overlong
// forms, no surrogates, nothing above U+10FFFF).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::base {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length_bytes = 0;  // 0: the bytes at that place are not valid UTF-8
};

// Decodes the code point at the start of `text`, which must not be empty.
CodePoint decode_utf8(std::string_view text);

// Appends a code point that is not a surrogate and not above U+10FFFF.
void append_utf8(std::uint32_t code_point, std::string& out);

// Offset of the first invalid byte, or text.size() if the text is valid.
std::size_t utf8_valid_prefix_bytes(std::string_view text);

// The longest prefix of at most `bytes_max` bytes that does not cut a code point of valid UTF-8.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);

// Number of code points in valid UTF-8.
std::size_t utf8_length(std::string_view text);

}  // namespace weir::base
