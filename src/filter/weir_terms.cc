// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/near_name.h"
#include "filter/dialects.h"
#include "filter/keywords.h"
#include "filter/text_languages.h"
#include "filter/text_words.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

using base::ErrorId;

// Where a byte of a string's value stands in its token: behind the quote that opens it, and quotes
// inside are doubled.
std::size_t offset_as_written(const Token& string_token, std::size_t value_bytes) {
  std::size_t offset = 1;
  for (; value_bytes > 0; --value_bytes) offset += string_token.text[offset] == '\'' ? 2U : 1U;
  return offset;
}

}  // namespace

base::Result<ExprPtr> WeirParser::exists() {
  lexer_.take();
  auto where =
      path(lexer_.peek().symbol("(") ? "an attribute or data after 'exists', without parentheses"
                                     : "an attribute or data after 'exists'");
  if (!where) return where.error();
  return make(Exists{std::move(*where)});
}

base::Result<TextField> WeirParser::text_field() {
  const bool html = function_ahead("html");
  if (html) {
    lexer_.take();
    lexer_.take();
  }
  const Token token = lexer_.peek();
  auto where = path();
  if (!where) return where.error();
  warn_bare(*where, token);
  if (html) {
    if (auto ok = take_symbol(")", " after the field of html"); !ok) return ok.error();
  }
  return TextField{std::move(*where), html};
}

// text(...), and its language
base::Result<TextSource> WeirParser::text_source() {
  lexer_.take();
  lexer_.take();
  TextSource source;
  do {
    if (source.fields.size() == limits_.list_count_max) {
      return error(ErrorId::kFilterListTooLong, lexer_.peek().offset_bytes,
                   fmt::format("a list has at most {} elements", limits_.list_count_max));
    }
    auto field = text_field();
    if (!field) return field.error();
    source.fields.push_back(std::move(*field));
  } while (accept_symbol(","));
  if (!lexer_.peek().symbol(")")) return expected("',' or ')' after a field of text");
  lexer_.take();
  if (!accept_word("in")) return source;
  const Token token = lexer_.peek();
  auto language = string("a language in single quotes after 'in'");
  if (!language) return language.error();
  if (language->empty()) {
    return error(ErrorId::kFilterLiteral, token.offset_bytes,
                 "expected the name of a language, such as 'german', found ''");
  }
  if (!text_language(*language)) return unknown_language(token, *language);
  source.language = std::move(*language);
  return source;
}

base::Error WeirParser::unknown_language(const Token& token, std::string_view language) const {
  return error(ErrorId::kFilterLanguage, token.offset_bytes,
               fmt::format("there is no language {}{}; there are {}, and tags such as 'de'",
                           describe(token), base::did_you_mean(language, text_languages()),
                           fmt::join(text_languages(), ", ")));
}

base::Result<ExprPtr> WeirParser::about() {
  About about;
  auto source = text_source();
  if (!source) return source.error();
  about.source = std::move(*source);
  if (auto ok = take_word("about"); !ok) return ok.error();
  if (accept_word("all")) {
    about.mode = About::Mode::kAll;
  } else if (accept_word("any")) {
    about.mode = About::Mode::kAny;
  }
  if (auto ok = about_words(about); !ok) return ok.error();
  if (auto ok = about_score(about); !ok) return ok.error();
  return make(std::move(about));
}

base::Result<void> WeirParser::about_words(About& about) {
  const Token token = lexer_.peek();
  auto words = string(about.mode == About::Mode::kScore
                          ? "all, any or the words in single quotes after 'about'"
                          : "the words in single quotes");
  if (!words) return words.error();
  about.words = std::move(*words);
  const auto parts = split_words(about.words);
  if (parts) return {};
  const base::Error& wrong = parts.error();
  return error(wrong.id,
               token.offset_bytes + offset_as_written(token, wrong.position->offset_bytes),
               wrong.message);
}

base::Result<void> WeirParser::about_score(About& about) {
  if (!accept_word("score")) {
    static constexpr std::array<std::string_view, 1> kScore = {"score"};
    const Token next = lexer_.peek();
    const std::string hint =
        next.kind == TokenKind::kWord ? base::did_you_mean(next.text, kScore) : std::string();
    if (hint.empty()) return {};
    base::Error wrong = expected("'score', 'and', 'or' or the end");
    wrong.message += hint;
    return wrong;
  }
  if (auto ok = take_symbol(">=", " after 'score'"); !ok) return ok.error();
  const Token token = lexer_.peek();
  auto score = number("the lowest score, a number");
  if (!score) return score.error();
  if (*score < 0) {
    return error(ErrorId::kFilterLiteral, token.offset_bytes, "a score is not below 0");
  }
  about.score_min = *score;
  return {};
}

base::Result<ExprPtr> WeirParser::cesql() {
  lexer_.take();
  lexer_.take();
  const Token argument = lexer_.peek();
  auto text = string("a CESQL expression in single quotes");
  if (!text) return text.error();
  auto parsed = parse_cesql(*text, limits_);
  if (!parsed) {
    const base::Error& inner = parsed.error();
    return error(inner.id, argument.offset_bytes,
                 fmt::format("inside the CESQL expression, {}", inner.to_string()));
  }
  if (auto ok = take_symbol(")", " after the CESQL expression"); !ok) return ok.error();
  for (Warning& warning : parsed->warnings) {
    warn(argument.offset_bytes, warning.id, std::move(warning.message));
  }
  return std::move(parsed->expr);
}

}  // namespace weir::filter
