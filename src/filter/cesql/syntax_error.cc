// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/syntax_error.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "base/near_name.h"

namespace weir::filter::cesql {
namespace {

constexpr auto kBetween =
    std::to_array<std::string_view>({"AND", "OR", "XOR", "LIKE", "IN", "NOT"});
constexpr auto kBefore = std::to_array<std::string_view>({"EXISTS", "NOT"});

bool is_keyword(TokenKind kind) { return kind >= TokenKind::kAnd; }

// A name where none can stand: the name itself, or the one before it, may be a mistyped keyword.
std::string mistyped(const Token& before, const Token& found) {
  if (found.kind == TokenKind::kName) {
    std::string guess = base::did_you_mean(found.text, kBetween);
    if (!guess.empty()) return guess;
  }
  if (before.kind != TokenKind::kName) return {};
  const std::string_view guess = base::near_name(before.text, kBefore);
  if (guess.empty()) return {};
  return fmt::format(": did you mean '{}' instead of '{}'?", guess, before.text);
}

std::string advice(const Token& before, const Token& found) {
  if (before.kind == TokenKind::kEqual && found.kind == TokenKind::kEqual) {
    return ": equality is a single =";
  }
  if (before.kind == TokenKind::kString && found.kind == TokenKind::kString) {
    return ": a quote inside a string is written with a backslash before it";
  }
  if (before.kind == TokenKind::kExists && found.kind == TokenKind::kLeftParenthesis) {
    return ": EXISTS takes no parentheses";
  }
  if (found.kind == TokenKind::kPlus) return ": a plus sign stands before digits only";
  if (is_keyword(found.kind) && before.kind != TokenKind::kName) {
    return ": a keyword cannot name an attribute";
  }
  return mistyped(before, found);
}

}  // namespace

base::Error syntax_error(std::string_view text, std::span<const Token> tokens, std::size_t index,
                         std::string_view expected) {
  const Token& found = tokens[index];
  const Token before = index == 0 ? Token{TokenKind::kEnd, {}, 0} : tokens[index - 1];
  return {base::ErrorId::kFilterCesqlSyntax,
          fmt::format("expected {}, found {}{}", expected, describe(found), advice(before, found)),
          base::position_at(text, found.offset_bytes)};
}

}  // namespace weir::filter::cesql
