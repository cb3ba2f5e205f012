// SPDX-License-Identifier: Apache-2.0
// The rules of CloudEvents 1.0.2 for single attribute values, as predicates on texts.
#pragma once

#include <string_view>

namespace weir::event {

// [a-z0-9]+
bool is_attribute_name(std::string_view name);

// RFC 3986: a URI reference, and a URI with its scheme. Characters and percent-escapes are
// checked, and that a scheme is one; authorities and their parts are not taken apart.
bool is_uri_reference(std::string_view text);
bool is_absolute_uri(std::string_view text);

// RFC 2045: type "/" subtype *(";" attribute "=" value), with optional blanks around ";".
bool is_media_type(std::string_view text);

// Offset of the first control character (U+0000-U+001F, U+007F-U+009F) or noncharacter in valid
// UTF-8, or the text's size if there is none.
std::size_t allowed_prefix_bytes(std::string_view text);

}  // namespace weir::event
