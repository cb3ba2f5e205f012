// SPDX-License-Identifier: Apache-2.0
#include "filter/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "filter/keywords.h"

namespace weir::filter {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kShownBytesMax = 40;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_word(char c) { return is_word_start(c) || is_digit(c); }

}  // namespace

bool Token::word(std::string_view keyword) const {
  return kind == TokenKind::kWord && is_keyword(text, keyword);
}

Token Lexer::peek(std::size_t ahead) const {
  Token token = token_at(offset_);
  for (std::size_t i = 0; i < ahead; ++i) {
    token = token_at(token.offset_bytes + token.text.size());
  }
  return token;
}

Token Lexer::take() {
  const Token token = peek();
  offset_ = token.offset_bytes + token.text.size();
  return token;
}

Token Lexer::token_at(std::size_t offset) const {
  offset = std::min(text_.find_first_not_of(kSpace, offset), text_.size());
  const auto token = [&](TokenKind kind, std::size_t end) {
    return Token{kind, text_.substr(offset, end - offset), offset};
  };
  if (offset == text_.size()) return token(TokenKind::kEnd, offset);
  const char c = text_[offset];
  const char next = offset + 1 < text_.size() ? text_[offset + 1] : '\0';
  if (is_word_start(c)) {
    std::size_t end = offset + 1;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return token(TokenKind::kWord, end);
  }
  if (is_digit(c) || (c == '-' && is_digit(next))) {
    return token(TokenKind::kNumber, number_end(offset));
  }
  if (c == '\'') return token(TokenKind::kString, string_end(offset));
  if (c == '"') {
    const std::size_t quote = text_.find('"', offset + 1);
    return token(TokenKind::kQuoted, quote == std::string_view::npos ? text_.size() : quote + 1);
  }
  // Those after the fourth are of other languages: an error names them whole.
  static constexpr std::array<std::string_view, 9> kPairs = {
      "!=", "<>", "<=", ">=", "==", "&&", "||", "=~", "!~"};
  const std::string_view pair = text_.substr(offset, 2);
  if (std::ranges::find(kPairs, pair) != kPairs.end()) return token(TokenKind::kSymbol, offset + 2);
  const base::CodePoint point = base::decode_utf8(text_.substr(offset));
  return token(TokenKind::kSymbol, offset + std::max<std::size_t>(point.length_bytes, 1));
}

std::size_t Lexer::string_end(std::size_t offset) const {
  for (std::size_t i = offset + 1; i < text_.size(); ++i) {
    if (text_[i] != '\'') continue;
    if (i + 1 == text_.size() || text_[i + 1] != '\'') return i + 1;
    ++i;
  }
  return text_.size();
}

std::size_t Lexer::number_end(std::size_t offset) const {
  const auto at = [this](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  std::size_t end = offset + 1;
  while (is_digit(at(end))) ++end;
  if (at(end) == '.' && is_digit(at(end + 1))) {
    ++end;
    while (is_digit(at(end))) ++end;
  }
  if (at(end) == 'e' || at(end) == 'E') {
    const std::size_t sign = at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0;
    if (is_digit(at(end + 1 + sign))) {
      end += 1 + sign;
      while (is_digit(at(end))) ++end;
    }
  }
  return end;
}

bool is_closed(const Token& string_token) {
  // Doubled quotes come in pairs, so a closed string has an even number of quotes.
  return string_token.text.size() >= 2 && std::ranges::count(string_token.text, '\'') % 2 == 0;
}

std::string unquote(const Token& string_token) {
  std::string value;
  const std::string_view inner = string_token.text.substr(1, string_token.text.size() - 2);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '\'') ++i;
    value += inner[i];
  }
  return value;
}

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end";
  const bool quoted = token.kind == TokenKind::kString;
  if (token.text.size() <= kShownBytesMax) {
    return quoted ? std::string(token.text) : fmt::format("'{}'", token.text);
  }
  return fmt::format("{}{}...'", quoted ? "" : "'", base::utf8_prefix(token.text, kShownBytesMax));
}

}  // namespace weir::filter
