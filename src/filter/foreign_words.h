// SPDX-License-Identifier: Apache-2.0
// Foreign words: operators of other languages, and what is written in their place.
#pragma once

#include <string>

#include "filter/lexer.h"

namespace weir::filter {

// ": '&&' is written and", and the like; nothing for any other token.
std::string foreign_hint(const Token& token);

}  // namespace weir::filter
