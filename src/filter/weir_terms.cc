// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "filter/dialects.h"
#include "filter/keywords.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

using base::ErrorId;

// Tells an attribute from a word of the grammar: by = 1, silent in (2).
bool is_operator(const Token& token) {
  if (token.kind == TokenKind::kSymbol) {
    return std::string_view("=!<>").find(token.text[0]) != std::string_view::npos;
  }
  return token.kind == TokenKind::kWord &&
         std::ranges::any_of(kOperatorWords,
                             [&](std::string_view word) { return token.word(word); });
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

base::Result<ExprPtr> WeirParser::about() {
  lexer_.take();
  lexer_.take();
  About about;
  do {
    if (about.fields.size() == limits_.list_count_max) {
      return error(ErrorId::kFilterListTooLong, lexer_.peek().offset_bytes,
                   fmt::format("a list has at most {} elements", limits_.list_count_max));
    }
    auto field = path();
    if (!field) return field.error();
    about.fields.push_back(std::move(*field));
  } while (accept_symbol(","));
  if (!lexer_.peek().symbol(")")) return expected("',' or ')' after a field of text");
  lexer_.take();
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

base::Result<ExprPtr> WeirParser::change() {
  const Token keyword = lexer_.take();
  lexer_.take();
  if (inside_change_) {
    return error(ErrorId::kFilterChangePlace, keyword.offset_bytes,
                 "change cannot stand inside the condition of another change");
  }
  if (negated_) {
    return error(ErrorId::kFilterChangePlace, keyword.offset_bytes,
                 "change cannot stand under not, since its state moves only when it is delivered");
  }
  Change change;
  if (auto ok = change_arguments(change); !ok) return ok.error();
  if (auto ok = change_threshold(change); !ok) return ok.error();
  if (auto ok = change_modifiers(change); !ok) return ok.error();
  return make(std::move(change));
}

base::Result<void> WeirParser::change_arguments(Change& change) {
  const Token token = lexer_.peek();
  auto value = path();
  if (!value) return value.error();
  if (!value->is_data() && value->core() != event::CoreAttribute::kNone) {
    return error(ErrorId::kFilterType, token.offset_bytes,
                 fmt::format("change needs a number, and '{}' is none", token.text));
  }
  change.value = Operand{std::move(*value)};
  bool more = accept_symbol(",");
  if (more && lexer_.peek().word("by") && !is_operator(lexer_.peek(1))) {
    lexer_.take();
    auto keys = operands();
    if (!keys) return keys.error();
    change.keys = std::move(*keys);
    more = accept_symbol(",");
  }
  if (more) {
    if (auto ok = change_condition(change); !ok) return ok;
  }
  if (accept_symbol(")")) return {};
  return expected(change.condition != nullptr
                      ? "'and', 'or' or ')' after the condition of change (by comes before it)"
                      : "',' or ')' after an argument of change");
}

base::Result<void> WeirParser::change_condition(Change& change) {
  if (auto ok = deeper(lexer_.peek().offset_bytes); !ok) return ok;
  inside_change_ = true;
  auto condition = disjunction();
  inside_change_ = false;
  --depth_;
  if (!condition) return condition.error();
  change.condition = std::move(*condition);
  return {};
}

base::Result<void> WeirParser::change_threshold(Change& change) {
  change.inclusive = lexer_.peek().symbol(">=");
  if (!change.inclusive && !lexer_.peek().symbol(">")) {
    return expected("'>' or '>=' and a threshold after change(...)");
  }
  lexer_.take();
  const Token token = lexer_.peek();
  auto threshold = number("the threshold, a number or a percentage such as 2%");
  if (!threshold) return threshold.error();
  if (*threshold < 0) {
    return error(ErrorId::kFilterLiteral, token.offset_bytes, "a threshold is not below 0");
  }
  change.threshold = *threshold;
  change.percent = accept_symbol("%");
  return {};
}

base::Result<void> WeirParser::change_modifiers(Change& change) {
  for (;;) {
    const Token token = lexer_.peek();
    const bool silent =
        token.word("or") && lexer_.peek(1).word("silent") && !is_operator(lexer_.peek(2));
    if (!silent && !token.word("at")) return {};
    std::optional<base::Duration>& target = silent ? change.silent_for : change.at_most_every;
    if (target) {
      return error(ErrorId::kFilterSyntax, token.offset_bytes,
                   silent ? "'or silent for' stands twice" : "'at most every' stands twice");
    }
    lexer_.take();
    if (auto ok = take_word(silent ? "silent" : "most"); !ok) return ok;
    if (auto ok = take_word(silent ? "for" : "every"); !ok) return ok;
    auto span = duration();
    if (!span) return span.error();
    target = *span;
  }
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
