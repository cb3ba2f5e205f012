// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "filter/cesql/literal.h"

namespace weir::filter::cesql {
namespace {

struct Spelling {
  std::string_view text;
  TokenKind kind;
};

constexpr auto kKeywords = std::to_array<Spelling>({
    {"AND", TokenKind::kAnd},
    {"OR", TokenKind::kOr},
    {"XOR", TokenKind::kXor},
    {"NOT", TokenKind::kNot},
    {"LIKE", TokenKind::kLike},
    {"EXISTS", TokenKind::kExists},
    {"IN", TokenKind::kIn},
    {"TRUE", TokenKind::kTrue},
    {"FALSE", TokenKind::kFalse},
});

// Longer ones first.
constexpr auto kSymbols = std::to_array<Spelling>({
    {"!=", TokenKind::kNotEqual},
    {"<>", TokenKind::kNotEqual},
    {"<=", TokenKind::kLessOrEqual},
    {">=", TokenKind::kGreaterOrEqual},
    {"(", TokenKind::kLeftParenthesis},
    {")", TokenKind::kRightParenthesis},
    {",", TokenKind::kComma},
    {"+", TokenKind::kPlus},
    {"-", TokenKind::kMinus},
    {"*", TokenKind::kStar},
    {"/", TokenKind::kSlash},
    {"%", TokenKind::kPercent},
    {"=", TokenKind::kEqual},
    {"<", TokenKind::kLess},
    {">", TokenKind::kGreater},
});

// What people write who come from another language, and what CESQL offers instead.
constexpr auto kStrangers = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"&&", "write AND"},
    {"&", "write AND"},
    {"||", "write OR"},
    {"|", "write OR"},
    {"!", "write NOT"},
    {"^", "write XOR"},
    {".", "CESQL has no fractions and cannot look into data"},
    {"[", "CESQL has no lists outside IN (...)"},
    {";", "an expression needs no semicolon"},
    {"`", "write an attribute's name without quotes"},
});

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// Enough of a long token to recognise it.
std::string_view beginning(std::string_view text) {
  constexpr std::size_t kShownBytesMax = 40;
  return base::utf8_prefix(text, kShownBytesMax);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  base::Result<std::vector<Token>> run() {
    const std::size_t valid_bytes = base::utf8_valid_prefix_bytes(text_);
    if (valid_bytes != text_.size()) return error_at(valid_bytes, "the text is not valid UTF-8");
    std::vector<Token> tokens;
    for (skip_blanks(); offset_ < text_.size(); skip_blanks()) {
      base::Result<Token> token = next();
      if (!token) return token.error();
      offset_ += token->text.size();
      tokens.push_back(*token);
    }
    tokens.push_back({TokenKind::kEnd, {}, offset_});
    return tokens;
  }

 private:
  void skip_blanks() {
    while (offset_ < text_.size() && is_blank(text_[offset_])) ++offset_;
  }

  base::Result<Token> next() const {
    const std::string_view rest = text_.substr(offset_);
    if (is_word(rest.front())) return word(rest);
    if (rest.front() == '\'' || rest.front() == '"') {
      const std::size_t bytes = string_literal_bytes(rest);
      if (bytes == 0) return error_at(offset_, "the string that starts here is not closed");
      return token(TokenKind::kString, bytes);
    }
    for (const Spelling& symbol : kSymbols) {
      if (rest.starts_with(symbol.text)) return token(symbol.kind, symbol.text.size());
    }
    return stranger(rest);
  }

  base::Result<Token> word(std::string_view rest) const {
    const auto end = std::ranges::find_if_not(rest, is_word);
    const auto bytes = static_cast<std::size_t>(end - rest.begin());
    const std::string_view found = rest.substr(0, bytes);
    if (std::ranges::all_of(found, is_digit)) return token(TokenKind::kInteger, bytes);
    if (found.find('_') != std::string_view::npos) {
      const bool callable = is_letter(found.front()) && std::ranges::none_of(found, is_digit);
      if (callable) return token(TokenKind::kFunctionName, bytes);
      return error_at(offset_, fmt::format("'{}' is no name: attributes have letters and digits, "
                                           "functions letters and underscores",
                                           found));
    }
    const std::string upper = to_upper_ascii(found);
    const auto* keyword = std::ranges::find(kKeywords, upper, &Spelling::text);
    return token(keyword == kKeywords.end() ? TokenKind::kName : keyword->kind, bytes);
  }

  base::Error stranger(std::string_view rest) const {
    for (const auto& [text, advice] : kStrangers) {
      if (rest.starts_with(text)) {
        return error_at(offset_, fmt::format("unexpected '{}': {}", text, advice));
      }
    }
    const std::size_t bytes = base::decode_utf8(rest).length_bytes;
    return error_at(offset_, fmt::format("unexpected character '{}'", rest.substr(0, bytes)));
  }

  Token token(TokenKind kind, std::size_t bytes) const {
    return {kind, text_.substr(offset_, bytes), offset_};
  }

  base::Error error_at(std::size_t offset_bytes, std::string message) const {
    return {base::ErrorId::kFilterCesqlSyntax, std::move(message),
            base::position_at(text_, offset_bytes)};
  }

  std::string_view text_;
  std::size_t offset_ = 0;
};

}  // namespace

base::Result<std::vector<Token>> tokenize(std::string_view text) { return Lexer(text).run(); }

std::string describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end";
  const bool string = token.kind == TokenKind::kString;
  const std::string_view shown = beginning(token.text);
  const std::string_view dots = shown.size() < token.text.size() ? "..." : "";
  return string ? fmt::format("the string {}{}", shown, dots) : fmt::format("'{}{}'", shown, dots);
}

std::string to_upper_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
  return out;
}

std::string to_lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return out;
}

}  // namespace weir::filter::cesql
