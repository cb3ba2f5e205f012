// SPDX-License-Identifier: Apache-2.0
// The words of a CESQL text.
//
// Keywords are known in any case. A run of letters and digits that is not all digits is a name;
// with underscores it can only be a function's. Signs are tokens of their own: whether `-1` is a
// literal or a subtraction depends on what stands before it, which the parser knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::filter::cesql {

enum class TokenKind : std::uint8_t {
  kEnd,
  kName,          // letters and digits
  kFunctionName,  // letters and underscores, at least one underscore
  kInteger,       // digits only
  kString,        // with its quotes
  kLeftParenthesis,
  kRightParenthesis,
  kComma,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kEqual,
  kNotEqual,  // != and <>
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kXor,
  kNot,
  kLike,
  kExists,
  kIn,
  kTrue,
  kFalse,
};

struct Token {
  TokenKind kind;
  std::string_view text;  // as written; empty at the end
  std::size_t offset_bytes;
};

// The tokens of the text, the last one kEnd. Fails with kFilterCesqlSyntax at the first character
// that belongs to no token.
base::Result<std::vector<Token>> tokenize(std::string_view text);

// As it is named in a message: 'text', the string 'abc', the end.
std::string describe(const Token& token);

std::string to_upper_ascii(std::string_view text);
std::string to_lower_ascii(std::string_view text);

}  // namespace weir::filter::cesql
