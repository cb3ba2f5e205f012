// SPDX-License-Identifier: Apache-2.0
// Base64 of RFC 4648, section 4: the standard alphabet, padded, nothing else tolerated.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weir::event {

// Offset of the first character that makes the text no base64 (its size if the text ends too
// early); nothing if it is base64.
std::optional<std::size_t> base64_error_offset(std::string_view text);

std::optional<std::string> decode_base64(std::string_view text);
void append_base64(std::string_view bytes, std::string& out);

}  // namespace weir::event
