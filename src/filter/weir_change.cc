// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

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

bool begins_threshold(const Token& token) { return token.symbol(">") || token.symbol(">="); }

constexpr std::array<std::string_view, 3> kSilence = {"or", "silent", "for"};
constexpr std::array<std::string_view, 3> kPace = {"at", "most", "every"};
constexpr std::array<std::string_view, 2> kPrevious = {"with", "previous"};

}  // namespace

bool WeirParser::change_ahead() const {
  return function_ahead("change") ||
         (lexer_.peek().word("any") && lexer_.peek(1).word("change") && lexer_.peek(2).symbol("("));
}

base::Result<ExprPtr> WeirParser::change() {
  const Token keyword = lexer_.peek();
  Change change;
  if (accept_word("any")) change.movement = Differs{};
  lexer_.take();
  lexer_.take();
  if (inside_change_) {
    return error(ErrorId::kFilterChangePlace, keyword.offset_bytes,
                 "change cannot stand inside the condition of another change");
  }
  if (negated_) {
    return error(ErrorId::kFilterChangePlace, keyword.offset_bytes,
                 "change cannot stand under not, since its state moves only when it is delivered");
  }
  if (auto ok = change_arguments(change); !ok) return ok.error();
  const std::size_t movement_bytes = lexer_.peek().offset_bytes;
  if (auto ok = change_movement(change); !ok) return ok.error();
  if (auto ok = change_modifiers(change); !ok) return ok.error();
  warn_change(change, keyword.offset_bytes, movement_bytes);
  return make(std::move(change));
}

base::Result<void> WeirParser::change_arguments(Change& change) {
  if (auto ok = change_source(change); !ok) return ok;
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

base::Result<void> WeirParser::change_source(Change& change) {
  const Token token = lexer_.peek();
  const bool any = std::holds_alternative<Differs>(change.movement);
  if (function_ahead("text")) {
    if (any) {
      return error(ErrorId::kFilterType, token.offset_bytes,
                   "any change is of one value: a text is watched by change(text(...)) > 0");
    }
    auto source = text_source();
    if (!source) return source.error();
    change.movement = Rewords{std::move(*source), {}};
    return {};
  }
  auto value = path();
  if (!value) return value.error();
  if (auto ok = one_value(*value, token, "change"); !ok) return ok;
  if (!any && !value->is_data() && value->core() != event::CoreAttribute::kNone) {
    return error(ErrorId::kFilterType, token.offset_bytes,
                 fmt::format("change needs a number, and '{0}' is none: any change({0}) is of any "
                             "value",
                             token.text));
  }
  if (!any && !value->is_data()) {
    warn_bare(*value, token);
    warn_string_attribute(token);
  }
  change.value = Operand{std::move(*value)};
  return {};
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

base::Result<void> WeirParser::change_movement(Change& change) {
  if (std::holds_alternative<Differs>(change.movement)) {
    if (!begins_threshold(lexer_.peek())) return {};
    return error(ErrorId::kFilterSyntax, lexer_.peek().offset_bytes,
                 "any change has no threshold: what is measured is change(...) without any");
  }
  if (auto* const rewords = std::get_if<Rewords>(&change.movement)) {
    return change_distance(*rewords);
  }
  if (accept_word("crosses")) return change_level(change.movement.emplace<Crosses>());
  Moves& moves = change.movement.emplace<Moves>();
  const bool rises = lexer_.peek().word("rises");
  if (!rises && !lexer_.peek().word("falls")) return change_thresholds(moves);
  lexer_.take();
  moves.direction = rises ? Direction::kUp : Direction::kDown;
  if (auto ok = take_word("by"); !ok) return ok;
  return change_thresholds(moves);
}

// One threshold, or an absolute one and a percentage in either order.
base::Result<void> WeirParser::change_thresholds(Moves& moves) {
  if (!begins_threshold(lexer_.peek())) {
    return expected(moves.direction == Direction::kEither
                        ? "'>', '>=', 'rises by', 'falls by' or 'crosses' after change(...)"
                        : "'>' or '>=' and a threshold after 'by'");
  }
  if (auto ok = change_threshold(moves); !ok) return ok;
  const bool either = lexer_.peek().word("or");
  if ((!either && !lexer_.peek().word("and")) || !begins_threshold(lexer_.peek(1))) return {};
  moves.either = either;
  lexer_.take();
  const Token second = lexer_.peek();
  const bool had_percent = moves.percent.has_value();
  if (auto ok = change_threshold(moves); !ok) return ok;
  if (!moves.absolute || !moves.percent) {
    return error(ErrorId::kFilterSyntax, second.offset_bytes,
                 fmt::format("two thresholds of a change are an absolute one and a percentage, and "
                             "this is the second {}",
                             had_percent ? "percentage" : "absolute one"));
  }
  const bool third = lexer_.peek().word("or") || lexer_.peek().word("and");
  if (!third || !begins_threshold(lexer_.peek(1))) return {};
  return error(ErrorId::kFilterSyntax, lexer_.peek(1).offset_bytes,
               "a change has at most two thresholds, an absolute one and a percentage");
}

base::Result<void> WeirParser::change_threshold(Moves& moves) {
  const bool inclusive = lexer_.take().symbol(">=");
  auto amount =
      amount_not_negative("the threshold, a number or a percentage such as 2%", "a threshold");
  if (!amount) return amount.error();
  (accept_symbol("%") ? moves.percent : moves.absolute) = Threshold{*amount, inclusive};
  return {};
}

base::Result<void> WeirParser::change_level(Crosses& crosses) {
  auto level = number("the level, a number");
  if (!level) return level.error();
  crosses.level = *level + 0.0;  // no negative zero
  if (accept_word("upwards")) {
    crosses.direction = Direction::kUp;
  } else if (accept_word("downwards")) {
    crosses.direction = Direction::kDown;
  }
  if (!accept_word("hysteresis")) return {};
  auto hysteresis = amount_not_negative("the hysteresis, a number", "a hysteresis");
  if (!hysteresis) return hysteresis.error();
  crosses.hysteresis = *hysteresis;
  const Token rest = lexer_.peek();
  if (!rest.word("upwards") && !rest.word("downwards")) return {};
  return error(ErrorId::kFilterSyntax, rest.offset_bytes,
               fmt::format("'{}' comes right after the level", rest.text));
}

base::Result<void> WeirParser::change_distance(Rewords& rewords) {
  if (!begins_threshold(lexer_.peek())) {
    return expected("'>' or '>=' and a distance after the change of a text");
  }
  rewords.distance.inclusive = lexer_.take().symbol(">=");
  const Token token = lexer_.peek();
  auto amount = amount_not_negative("the distance, a number from 0 to below 1", "a distance");
  if (!amount) return amount.error();
  if (*amount >= 1 || lexer_.peek().symbol("%")) {
    return error(ErrorId::kFilterLiteral, token.offset_bytes,
                 "the distance of two texts is a number from 0, the same, to 1, no word in common: "
                 "expected one below 1");
  }
  rewords.distance.amount = *amount;
  return {};
}

base::Result<double> WeirParser::amount_not_negative(std::string_view what, std::string_view name) {
  const Token token = lexer_.peek();
  auto amount = number(what);
  if (!amount || *amount >= 0) return amount;
  return error(ErrorId::kFilterLiteral, token.offset_bytes, fmt::format("{} is not below 0", name));
}

base::Result<void> WeirParser::change_modifiers(Change& change) {
  for (;;) {
    const Token token = lexer_.peek();
    if (token.word("or") && lexer_.peek(1).word("silent") && !is_operator(lexer_.peek(2))) {
      if (auto ok = change_span(kSilence, change.silent_for); !ok) return ok;
    } else if (token.word("at")) {
      if (auto ok = change_span(kPace, change.at_most_every); !ok) return ok;
    } else if (token.word("with")) {
      if (auto ok = modifier(kPrevious, change.with_previous); !ok) return ok;
      change.with_previous = true;
    } else {
      return {};
    }
  }
}

base::Result<void> WeirParser::change_span(std::span<const std::string_view> words,
                                           std::optional<base::Duration>& target) {
  if (auto ok = modifier(words, target.has_value()); !ok) return ok;
  auto span = duration();
  if (!span) return span.error();
  target = *span;
  return {};
}

// The words of a modifier, which stands once.
base::Result<void> WeirParser::modifier(std::span<const std::string_view> words, bool repeated) {
  if (repeated) {
    return error(ErrorId::kFilterSyntax, lexer_.peek().offset_bytes,
                 fmt::format("'{}' stands twice", fmt::join(words, " ")));
  }
  for (const std::string_view word : words) {
    if (auto ok = take_word(word); !ok) return ok;
  }
  return {};
}

}  // namespace weir::filter
