// SPDX-License-Identifier: Apache-2.0
// The canonical text of an expression: one text for all spellings of one expression, which parses
// to the same expression again.
//
// Keywords and functions in upper case, attributes in lower, != for <>, single quotes and only the
// parentheses that are needed. Where AND, OR and XOR mix, each change of operator has a parenthesis
// although our reading would do without: other engines read them from the right.
//
// Blanks are added, so that it can be up to three times as long as the text it came from; whoever
// parses it again sets CesqlLimits::text_bytes_max accordingly. It exceeds no other limit.
#pragma once

#include <string>

#include "filter/cesql/expression.h"

namespace weir::filter::cesql {

std::string to_text(const Expression& expression);

}  // namespace weir::filter::cesql
