// SPDX-License-Identifier: Apache-2.0
// What the parser says when a token does not fit: what was expected, what was found, and where it
// can tell, what was probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.h"
#include "filter/cesql/lexer.h"

namespace weir::filter::cesql {

// "expected {expected}, found 'x'", with advice. `index` is that of the token that does not fit.
base::Error syntax_error(std::string_view text, std::span<const Token> tokens, std::size_t index,
                         std::string_view expected);

}  // namespace weir::filter::cesql
