// SPDX-License-Identifier: Apache-2.0
// The parser of CESQL texts, by recursive descent.
//
// Precedence, tightest first: call; NOT and unary -; LIKE and IN; * / %; + -; comparisons; AND, OR
// and XOR, which are all alike. Operators of one precedence are read from left to right. So NOT
// a = b is (NOT a) = b, and a OR b AND c is (a OR b) AND c: both are allowed, and both earn a
// warning.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "filter/cesql/expression.h"
#include "filter/warning.h"

namespace weir::filter::cesql {

struct CesqlLimits {
  std::size_t text_bytes_max = 8192;
  // Of parentheses, lists and operators in each other; a chain of operators of one precedence
  // counts one, and one more for each change between AND, OR and XOR.
  std::size_t depth_max = 64;
  std::size_t list_count_max = 1024;     // elements of IN, arguments of a call
  std::size_t pattern_bytes_max = 1024;  // of LIKE
};

struct ParsedExpression {
  ExpressionPtr expression;
  std::vector<Warning> warnings;  // in the order in which they were noticed
};

// Fails with kFilterCesqlSyntax, kFilterTooLong, kFilterTooDeep, kFilterListTooLong or
// kFilterPatternTooLong; the error says where, what was found there and what was expected.
// Unknown functions parse: they are errors of evaluation, or of check_filter.
base::Result<ParsedExpression> parse_with_warnings(std::string_view text,
                                                   const CesqlLimits& limits = {});
base::Result<ExpressionPtr> parse(std::string_view text, const CesqlLimits& limits = {});

}  // namespace weir::filter::cesql
