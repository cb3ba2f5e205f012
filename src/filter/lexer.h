// SPDX-License-Identifier: Apache-2.0
// Lexer: the tokens of the weir language, read one at a time on demand.
//
// Paths and durations have their own small grammars: the parser reads them at a token's offset and
// then tells the lexer where to go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::filter {

enum class TokenKind : std::uint8_t {
  kEnd,
  kWord,    // [A-Za-z_][A-Za-z0-9_]*
  kQuoted,  // "..." (an attribute's name)
  kNumber,  // -?digits[.digits][e[+-]digits]
  kString,  // '...', a quote inside doubled
  kSymbol,  // ( ) , = != <> < <= > >= % [ . and what is no token at all
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // as written
  std::size_t offset_bytes = 0;

  bool symbol(std::string_view wanted) const {
    return kind == TokenKind::kSymbol && text == wanted;
  }
  // A word equal to the keyword (given in lower case), in any case.
  bool word(std::string_view keyword) const;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // The token at the cursor, without moving; and the one `ahead` tokens behind it.
  Token peek(std::size_t ahead = 0) const;
  Token take();
  void seek(std::size_t offset_bytes) { offset_ = offset_bytes; }

  std::string_view text() const { return text_; }

 private:
  Token token_at(std::size_t offset) const;
  std::size_t string_end(std::size_t offset) const;
  std::size_t number_end(std::size_t offset) const;

  std::string_view text_;
  std::size_t offset_ = 0;
};

// True if the string token has its closing quote.
bool is_closed(const Token& string_token);
// The value of a closed string token.
std::string unquote(const Token& string_token);

// As an error message names it: "'tok'" or "the end".
std::string describe(const Token& token);

}  // namespace weir::filter
