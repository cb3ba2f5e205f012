// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/near_name.h"
#include "filter/duration.h"
#include "filter/foreign_words.h"
#include "filter/keywords.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

using base::ErrorId;

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

// The token, with the letters and digits that stand right behind it.
Token with_letters(std::string_view text, Token token) {
  std::size_t end = token.offset_bytes + token.text.size();
  while (end < text.size() && is_word_char(text[end])) ++end;
  token.text = text.substr(token.offset_bytes, end - token.offset_bytes);
  return token;
}

}  // namespace

base::Result<event::Path> WeirParser::path(std::string_view what) {
  const Token token = lexer_.peek();
  const auto is_token = [&](std::string_view keyword) { return token.word(keyword); };
  if (const auto* const reserved = std::ranges::find_if(kReservedWords, is_token);
      reserved != kReservedWords.end()) {
    return expected(
        fmt::format("{} (an attribute of that name is written \"{}\")", what, *reserved));
  }
  if (token.kind == TokenKind::kWord && lexer_.peek(1).symbol("(")) {
    if (std::ranges::any_of(kFunctionWords, is_token)) {
      return expected(fmt::format("{} (no {}(...) can stand here)", what, token.text));
    }
    const std::string foreign = foreign_hint(token);
    return error(
        ErrorId::kFilterSyntax, token.offset_bytes,
        fmt::format("there is no function '{}'{}", token.text,
                    foreign.empty() ? base::did_you_mean(token.text, kFunctionWords) : foreign));
  }
  if (token.kind != TokenKind::kWord && token.kind != TokenKind::kQuoted) {
    return expected(what);
  }
  auto prefix = event::parse_path_prefix(lexer_.text(), token.offset_bytes);
  if (!prefix) {
    base::Error wrong = prefix.error();
    if (wrong.id == ErrorId::kPathSyntax) wrong.id = ErrorId::kFilterSyntax;
    if (token.kind == TokenKind::kQuoted) {
      wrong.message += " (a string is written in single quotes)";
    }
    return wrong;
  }
  lexer_.seek(prefix->end_bytes);
  if (token.kind == TokenKind::kWord) warn_name(prefix->path, token.offset_bytes);
  return std::move(prefix->path);
}

base::Result<Operand> WeirParser::operand(std::string_view what) {
  const bool to_string = function_ahead("string");
  const bool to_timestamp = function_ahead("timestamp");
  if (to_string || to_timestamp) {
    lexer_.take();
    lexer_.take();
    what = to_string ? "an attribute or data"
                     : "an attribute or data (a given time is written timestamp '...')";
  }
  auto inner = path(what);
  if (!inner) return inner.error();
  if (!to_string && !to_timestamp) return Operand{std::move(*inner)};
  if (auto ok = take_symbol(")"); !ok) return ok.error();
  return Operand{std::move(*inner),
                 to_string ? Operand::Conversion::kString : Operand::Conversion::kTimestamp};
}

base::Result<void> WeirParser::one_value(const event::Path& path, const Token& token,
                                         std::string_view what) const {
  if (!path.is_many()) return {};
  return error(ErrorId::kFilterType, token.offset_bytes,
               fmt::format("{} needs one value, and {} may have several: [*] stands in predicates "
                           "and in text(...)",
                           what, path.to_string()));
}

// One operand, or several in parentheses.
base::Result<std::vector<Operand>> WeirParser::operands() {
  std::vector<Operand> list;
  const bool several = accept_symbol("(");
  do {
    if (list.size() == limits_.list_count_max) {
      return error(ErrorId::kFilterListTooLong, lexer_.peek().offset_bytes,
                   fmt::format("a list has at most {} elements", limits_.list_count_max));
    }
    const Token token = lexer_.peek();
    auto next = operand();
    if (!next) return next.error();
    if (auto ok = one_value(next->path, token, "a key"); !ok) return ok.error();
    list.push_back(std::move(*next));
  } while (several && accept_symbol(","));
  if (!several) return list;
  if (!lexer_.peek().symbol(")")) return expected("',' or ')'");
  lexer_.take();
  return list;
}

bool WeirParser::at_literal() const {
  const Token token = lexer_.peek();
  if (token.kind == TokenKind::kNumber || token.kind == TokenKind::kString) return true;
  if (token.word("true") || token.word("false")) return true;
  return token.word("timestamp") && lexer_.peek(1).kind == TokenKind::kString;
}

base::Result<Literal> WeirParser::literal() {
  const Token token = lexer_.peek();
  if (token.kind == TokenKind::kNumber) return number_literal();
  if (token.word("true") || token.word("false")) {
    lexer_.take();
    return Literal{token.word("true")};
  }
  if (token.kind == TokenKind::kString) {
    auto text = string("a string in single quotes");
    if (!text) return text.error();
    return Literal{std::move(*text)};
  }
  if (!at_literal()) {
    return expected("a number, a string in single quotes, true, false or timestamp '...'");
  }
  lexer_.take();
  const Token argument = lexer_.peek();
  auto text = string("a time in single quotes");
  if (!text) return text.error();
  const auto timestamp = event::parse_timestamp(*text);
  if (timestamp) return Literal{*timestamp};
  return error(ErrorId::kFilterLiteral, argument.offset_bytes,
               fmt::format("expected an RFC 3339 time such as '2026-01-31T12:00:00Z', found {}",
                           describe(argument)));
}

base::Result<Literal> WeirParser::number_literal() {
  const Token token = lexer_.peek();
  const char* const end = token.text.data() + token.text.size();
  std::int64_t integer = 0;
  const auto [stop, failure] = std::from_chars(token.text.data(), end, integer);
  if (failure == std::errc() && stop == end &&
      with_letters(lexer_.text(), token).text == token.text) {
    lexer_.take();
    return Literal{integer};
  }
  auto value = number("a number");
  if (!value) return value.error();
  return Literal{*value};
}

base::Result<double> WeirParser::number(std::string_view what) {
  const Token token = lexer_.peek();
  if (token.kind != TokenKind::kNumber) return expected(what);
  if (const Token all = with_letters(lexer_.text(), token); all.text != token.text) {
    return error(ErrorId::kFilterLiteral, token.offset_bytes,
                 fmt::format("expected {}, found {}", what, describe(all)));
  }
  double value = 0;
  const auto parsed =
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (parsed.ec != std::errc()) {
    return error(
        ErrorId::kFilterLiteral, token.offset_bytes,
        fmt::format("expected a number within the range of a double, found {}", describe(token)));
  }
  lexer_.take();
  return value;
}

base::Result<std::string> WeirParser::string(std::string_view what) {
  const Token token = lexer_.peek();
  if (token.kind != TokenKind::kString) return expected(what);
  if (!is_closed(token)) {
    return error(ErrorId::kFilterLiteral, token.offset_bytes,
                 "this string has no closing quote (a quote inside is written '')");
  }
  lexer_.take();
  return unquote(token);
}

base::Result<base::Duration> WeirParser::duration() {
  const Token token = lexer_.peek();
  const auto prefix = parse_duration_prefix(lexer_.text().substr(token.offset_bytes));
  if (!prefix || prefix->duration.nanoseconds == 0) {
    const bool number = token.kind == TokenKind::kNumber;
    return error(number ? ErrorId::kFilterLiteral : ErrorId::kFilterSyntax, token.offset_bytes,
                 fmt::format("expected a duration above zero and below 292 years, such as 500ms, "
                             "10m or 1h30m, found {}",
                             describe(number ? with_letters(lexer_.text(), token) : token)));
  }
  lexer_.seek(token.offset_bytes + prefix->length_bytes);
  return prefix->duration;
}

}  // namespace weir::filter
