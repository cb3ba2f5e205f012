// SPDX-License-Identifier: Apache-2.0
// Text in HTML, XML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace weir::base {

// Appends the text so that it stands for itself, between tags and in quoted attributes.
void append_escaped(std::string_view text, std::string& markup);

}  // namespace weir::base
