// SPDX-License-Identifier: Apache-2.0
#include "filter/weir_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/near_name.h"
#include "base/utf8.h"
#include "filter/foreign_words.h"
#include "filter/keywords.h"
#include "filter/print.h"

namespace weir::filter {
namespace {

using base::ErrorId;

CompareOp flipped(CompareOp op) {
  switch (op) {
    case CompareOp::kLess:
      return CompareOp::kGreater;
    case CompareOp::kLessEqual:
      return CompareOp::kGreaterEqual;
    case CompareOp::kGreater:
      return CompareOp::kLess;
    case CompareOp::kGreaterEqual:
      return CompareOp::kLessEqual;
    default:
      return op;
  }
}

}  // namespace

base::Result<Parsed> parse_weir(std::string_view text, const FilterLimits& limits) {
  if (text.size() > limits.text_bytes_max) {
    return base::Error{
        ErrorId::kFilterTooLong,
        fmt::format("the filter has {} bytes, the limit is {}", text.size(), limits.text_bytes_max),
        std::nullopt};
  }
  if (const std::size_t valid = base::utf8_valid_prefix_bytes(text); valid != text.size()) {
    return base::Error{ErrorId::kFilterSyntax, "expected valid UTF-8",
                       base::position_at(text, valid)};
  }
  return WeirParser(text, limits).parse();
}

base::Result<Parsed> WeirParser::parse() {
  Parsed parsed;
  if (lexer_.peek().kind == TokenKind::kEnd) {
    return expected("a filter (true lets every event through)");
  }
  if (function_ahead("distinct")) {
    parsed.expr = make(Constant{true});
    distinct_follows_ = true;
  } else {
    auto expr = disjunction();
    if (!expr) return expr.error();
    parsed.expr = std::move(*expr);
  }
  if (distinct_follows_) {
    auto distinct_clause = distinct();
    if (!distinct_clause) return distinct_clause.error();
    parsed.distinct = std::move(*distinct_clause);
  }
  if (auto done = finish(); !done) return done.error();
  parsed.warnings = std::move(warnings_);
  return parsed;
}

base::Result<void> WeirParser::finish() {
  const Token rest = lexer_.peek();
  if (rest.kind == TokenKind::kEnd) return {};
  if (distinct_follows_) {
    static constexpr auto kEnding =
        std::to_array<std::string_view>({"refresh", "exact", "false", "verify"});
    return error(ErrorId::kFilterDistinctPlace, rest.offset_bytes,
                 fmt::format("distinct comes last: expected the end, found {}{}", describe(rest),
                             rest.kind == TokenKind::kWord ? base::did_you_mean(rest.text, kEnding)
                                                           : std::string()));
  }
  if (rest.symbol(")")) return expected("the end (this ')' closes nothing)");
  base::Error wrong = expected("'and', 'or' or the end");
  const bool string_before = lexer_.text().substr(0, rest.offset_bytes).ends_with('\'');
  if (string_before && rest.kind == TokenKind::kWord) {
    wrong.message += ": a quote inside a string is written ''";
  } else if (rest.kind == TokenKind::kWord) {
    static constexpr std::array<std::string_view, 2> kJoining = {"and", "or"};
    wrong.message += base::did_you_mean(rest.text, kJoining);
  }
  return wrong;
}

base::Result<ExprPtr> WeirParser::disjunction() {
  std::vector<ExprPtr> terms;
  do {
    auto term = conjunction();
    if (!term) return term;
    terms.push_back(std::move(*term));
  } while (!distinct_follows_ && accept_word("or"));
  if (distinct_follows_ && terms.size() > 1) {
    return error(ErrorId::kFilterDistinctPlace, lexer_.peek().offset_bytes,
                 "distinct applies to the whole filter: put what stands before it in parentheses");
  }
  return make_or(std::move(terms));
}

base::Result<ExprPtr> WeirParser::conjunction() {
  std::vector<ExprPtr> terms;
  do {
    if (depth_ == 0 && !terms.empty() && function_ahead("distinct")) {
      distinct_follows_ = true;
      break;
    }
    auto term = negation();
    if (!term) return term;
    terms.push_back(std::move(*term));
  } while (accept_word("and"));
  return make_and(std::move(terms));
}

base::Result<ExprPtr> WeirParser::negation() {
  const Token token = lexer_.peek();
  if (!token.word("not")) return primary();
  lexer_.take();
  if (auto ok = deeper(token.offset_bytes); !ok) return ok.error();
  negated_ = !negated_;
  auto term = negation();
  negated_ = !negated_;
  --depth_;
  if (!term) return term;
  return make_not(std::move(*term));
}

base::Result<ExprPtr> WeirParser::primary() {
  const Token token = lexer_.peek();
  if (token.symbol("(")) return parenthesised();
  if (token.word("exists")) return exists();
  if (function_ahead("text")) return about();
  if (change_ahead()) return change();
  if (function_ahead("cesql")) return cesql();
  if (function_ahead("distinct")) {
    return error(ErrorId::kFilterDistinctPlace, token.offset_bytes,
                 "distinct applies to the whole filter and stands last, after a final 'and'");
  }
  if (at_literal()) return literal_first();
  return comparison();
}

base::Result<ExprPtr> WeirParser::parenthesised() {
  const Token open = lexer_.take();
  if (auto ok = deeper(open.offset_bytes); !ok) return ok.error();
  auto expr = disjunction();
  --depth_;
  if (!expr) return expr;
  if (!lexer_.peek().symbol(")")) return expected("'and', 'or' or ')'");
  lexer_.take();
  return expr;
}

// true and false stand alone or begin a comparison; any other literal begins one.
base::Result<ExprPtr> WeirParser::literal_first() {
  const bool name =
      lexer_.peek().kind == TokenKind::kNumber && lexer_.peek(1).kind == TokenKind::kWord;
  auto left = literal();
  if (!left) {
    base::Error wrong = left.error();
    if (name) wrong.message += " (a name that starts with a digit is in double quotes)";
    return wrong;
  }
  const bool boolean = std::holds_alternative<bool>(left->value);
  const auto op = accept_compare_op();
  if (!op) {
    if (boolean && !lexer_.peek().symbol("==")) return make(Constant{std::get<bool>(left->value)});
    return expected("= != < <= > or >= after a value that stands first");
  }
  if (at_literal()) {
    return error(ErrorId::kFilterType, lexer_.peek().offset_bytes,
                 fmt::format("expected an attribute or data on one side of a comparison, found {}",
                             describe(lexer_.peek())));
  }
  const Token right_token = lexer_.peek();
  auto right = operand();
  if (!right) return right.error();
  warn_literal(*right, right_token, *left);
  return make(Compare{std::move(*right), flipped(*op), std::move(*left)});
}

base::Result<ExprPtr> WeirParser::comparison() {
  const Token left_token = lexer_.peek();
  auto left = operand("an attribute, data, not, exists or '('");
  if (!left) return left.error();
  if (lexer_.peek().kind == TokenKind::kWord) return word_operator(*left, left_token);
  const auto op = accept_compare_op();
  if (!op) return no_operator(left->path);
  warn_quoted(lexer_.peek());
  auto made = compare(std::move(*left), *op);
  if (!made) return made.error();
  const auto* const literal = std::get_if<Literal>(&made->right);
  if (literal != nullptr) warn_literal(made->left, left_token, *literal);
  return make(std::move(*made));
}

base::Result<Compare> WeirParser::compare(Operand left, CompareOp op) {
  if (at_literal()) {
    auto right = literal();
    if (!right) return right.error();
    return Compare{std::move(left), op, std::move(*right)};
  }
  auto right =
      operand("a number, a string in single quotes, true, false, timestamp '...' or a path");
  if (!right) return right.error();
  return Compare{std::move(left), op, std::move(*right)};
}

std::optional<CompareOp> WeirParser::accept_compare_op() {
  using Row = std::pair<std::string_view, CompareOp>;
  static constexpr auto kOps = std::to_array<Row>({{"=", CompareOp::kEqual},
                                                   {"!=", CompareOp::kNotEqual},
                                                   {"<>", CompareOp::kNotEqual},
                                                   {"<", CompareOp::kLess},
                                                   {"<=", CompareOp::kLessEqual},
                                                   {">", CompareOp::kGreater},
                                                   {">=", CompareOp::kGreaterEqual}});
  const Token token = lexer_.peek();
  const auto* const row = std::ranges::find_if(
      kOps, [&](const Row& candidate) { return token.symbol(candidate.first); });
  if (row == kOps.end()) return std::nullopt;
  lexer_.take();
  return row->second;
}

// Names what was probably meant by that which stands where an operator should.
base::Error WeirParser::no_operator(const event::Path& left) const {
  const Token token = lexer_.peek();
  base::Error wrong = expected("an operator (= != < <= > >= in between like prefix suffix)");
  if (token.symbol(".") || token.symbol("[")) {
    wrong.message += left.is_data() ? ": a path has no blanks" : ": only data has members";
  } else if (left.is_data() && token.text.starts_with('-')) {
    wrong.message += ": a name that is not a plain word is written data['...']";
  } else if (token.word("exists")) {
    wrong.message += ": exists stands before the path";
  } else if (token.word("is")) {
    wrong.message += is_null_hint(left);
  } else if (token.kind == TokenKind::kWord && foreign_hint(token).empty()) {
    wrong.message += base::did_you_mean(token.text, kOperatorWords);
  }
  return wrong;
}

// Of `is`, which stands after the path.
std::string WeirParser::is_null_hint(const event::Path& left) const {
  const bool negated = lexer_.peek(1).word("not");
  if (!lexer_.peek(negated ? 2 : 1).word("null")) {
    return ": whether there is a value is asked by exists";
  }
  return fmt::format(": 'is {}null' is written '{}exists {}'", negated ? "not " : "",
                     negated ? "" : "not ", to_text(left));
}

base::Result<ExprPtr> WeirParser::word_operator(const Operand& operand, const Token& left) {
  const bool negated = lexer_.peek().word("not");
  if (negated) lexer_.take();
  const Token token = lexer_.peek();
  base::Result<ExprPtr> made = nullptr;
  if (token.word("in")) {
    made = in_list(operand, left);
  } else if (token.word("between")) {
    made = between(operand, left);
  } else if (token.word("like") || token.word("prefix") || token.word("suffix")) {
    made = string_operator(operand, left);
  } else if (negated) {
    base::Error wrong = expected("in, between, like, prefix or suffix after 'not'");
    wrong.message += base::did_you_mean(token.text, kOperatorWords);
    return wrong;
  } else {
    return no_operator(operand.path);
  }
  if (!made || !negated) return made;
  return make_not(std::move(*made));
}

base::Result<ExprPtr> WeirParser::between(const Operand& operand, const Token& left) {
  const Token keyword = lexer_.take();
  auto low = literal();
  if (!low) return low.error();
  if (auto ok = take_word("and"); !ok) return ok.error();
  auto high = literal();
  if (!high) return high.error();
  const auto order = event::compare(low->view(), high->view());
  if (order == std::partial_ordering::unordered) {
    return error(ErrorId::kFilterType, keyword.offset_bytes,
                 "between needs two values of one type, which can be ordered");
  }
  warn_literal(operand, left, *low);
  if (order > 0)
    warn(keyword.offset_bytes, WarningId::kEmptyRange,
         "the lower bound is above the upper: never true");
  return make(Between{operand, std::move(*low), std::move(*high)});
}

base::Result<ExprPtr> WeirParser::in_list(const Operand& operand, const Token& left) {
  lexer_.take();
  if (auto ok = take_symbol("(", " after 'in'"); !ok) return ok.error();
  In in{operand, {}};
  const std::size_t warning_count = warnings_.size();
  do {
    if (in.values.size() == limits_.list_count_max) {
      return error(ErrorId::kFilterListTooLong, lexer_.peek().offset_bytes,
                   fmt::format("a list has at most {} elements", limits_.list_count_max));
    }
    auto value = literal();
    if (!value) return value.error();
    if (warnings_.size() == warning_count) warn_literal(operand, left, *value);
    in.values.push_back(std::move(*value));
  } while (accept_symbol(","));
  if (!lexer_.peek().symbol(")")) return expected("',' or ')' in the list");
  lexer_.take();
  return make(std::move(in));
}

base::Result<ExprPtr> WeirParser::string_operator(const Operand& operand, const Token& left) {
  const Token keyword = lexer_.take();
  const Token argument = lexer_.peek();
  auto text = string(fmt::format("a string in single quotes after '{}'", keyword.text));
  if (!text) return text.error();
  warn_string_operator(operand, left, keyword);
  if (keyword.word("like")) {
    if (text->size() > limits_.pattern_bytes_max) {
      return error(ErrorId::kFilterPatternTooLong, argument.offset_bytes,
                   fmt::format("the pattern has {} bytes, the limit is {}", text->size(),
                               limits_.pattern_bytes_max));
    }
    return make(Like{operand, LikePattern::compile(*text)});
  }
  const auto side = keyword.word("prefix") ? Affix::Side::kPrefix : Affix::Side::kSuffix;
  return make(Affix{operand, side, std::move(*text)});
}

bool WeirParser::function_ahead(std::string_view word) const {
  return lexer_.peek().word(word) && lexer_.peek(1).symbol("(");
}

bool WeirParser::accept_symbol(std::string_view symbol) {
  if (!lexer_.peek().symbol(symbol)) return false;
  lexer_.take();
  return true;
}

bool WeirParser::accept_word(std::string_view word) {
  if (!lexer_.peek().word(word)) return false;
  lexer_.take();
  return true;
}

base::Result<void> WeirParser::take_symbol(std::string_view symbol, std::string_view why) {
  if (!accept_symbol(symbol)) return expected(fmt::format("'{}'{}", symbol, why));
  return {};
}

base::Result<void> WeirParser::take_word(std::string_view word) {
  if (!accept_word(word)) return expected(fmt::format("'{}'", word));
  return {};
}

base::Result<void> WeirParser::deeper(std::size_t offset_bytes) {
  if (++depth_ <= limits_.depth_max) return {};
  return error(ErrorId::kFilterTooDeep, offset_bytes,
               fmt::format("the filter is nested deeper than {}", limits_.depth_max));
}

base::Error WeirParser::expected(std::string_view what) const {
  const Token found = lexer_.peek();
  return error(ErrorId::kFilterSyntax, found.offset_bytes,
               fmt::format("expected {}, found {}{}", what, describe(found), foreign_hint(found)));
}

base::Error WeirParser::error(ErrorId id, std::size_t offset_bytes, std::string message) const {
  return {id, std::move(message), base::position_at(lexer_.text(), offset_bytes)};
}

}  // namespace weir::filter
