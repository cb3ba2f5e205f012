// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "filter/dialects.h"
#include "filter/keywords.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

using base::ErrorId;

}  // namespace

base::Result<ExprPtr> WeirParser::exists() {
  lexer_.take();
  auto where =
      path(lexer_.peek().symbol("(") ? "an attribute or data after 'exists', without parentheses"
                                     : "an attribute or data after 'exists'");
  if (!where) return where.error();
  return make(Exists{std::move(*where)});
}

// text(...)
base::Result<std::vector<event::Path>> WeirParser::text_fields() {
  lexer_.take();
  lexer_.take();
  std::vector<event::Path> fields;
  do {
    if (fields.size() == limits_.list_count_max) {
      return error(ErrorId::kFilterListTooLong, lexer_.peek().offset_bytes,
                   fmt::format("a list has at most {} elements", limits_.list_count_max));
    }
    auto field = path();
    if (!field) return field.error();
    fields.push_back(std::move(*field));
  } while (accept_symbol(","));
  if (!lexer_.peek().symbol(")")) return expected("',' or ')' after a field of text");
  lexer_.take();
  return fields;
}

base::Result<ExprPtr> WeirParser::about() {
  About about;
  auto fields = text_fields();
  if (!fields) return fields.error();
  about.fields = std::move(*fields);
  if (auto ok = take_word("about"); !ok) return ok.error();
  auto words = string("the words in single quotes after 'about'");
  if (!words) return words.error();
  about.words = std::move(*words);
  if (auto ok = take_word("score"); !ok) return ok.error();
  if (auto ok = take_symbol(">=", " after 'score'"); !ok) return ok.error();
  const Token token = lexer_.peek();
  auto score = number("the lowest score, a number");
  if (!score) return score.error();
  if (*score < 0) {
    return error(ErrorId::kFilterLiteral, token.offset_bytes, "a score is not below 0");
  }
  about.score_min = *score;
  return make(std::move(about));
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
  for (Warning& warning : parsed->warnings) warn(argument.offset_bytes, std::move(warning.message));
  return std::move(parsed->expr);
}

}  // namespace weir::filter
