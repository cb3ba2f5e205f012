// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "filter/cesql/canonical_text.h"
#include "filter/cesql/functions.h"
#include "filter/cesql/lexer.h"
#include "filter/cesql/literal.h"
#include "filter/cesql/syntax_error.h"

namespace weir::filter::cesql {
namespace {

using base::ErrorId;
using base::Result;
using ExpressionResult = Result<ExpressionPtr>;

constexpr auto kBinaryOperators = std::to_array<std::pair<TokenKind, BinaryOperator>>({
    {TokenKind::kAnd, BinaryOperator::kAnd},
    {TokenKind::kOr, BinaryOperator::kOr},
    {TokenKind::kXor, BinaryOperator::kXor},
    {TokenKind::kEqual, BinaryOperator::kEqual},
    {TokenKind::kNotEqual, BinaryOperator::kNotEqual},
    {TokenKind::kLess, BinaryOperator::kLess},
    {TokenKind::kLessOrEqual, BinaryOperator::kLessOrEqual},
    {TokenKind::kGreater, BinaryOperator::kGreater},
    {TokenKind::kGreaterOrEqual, BinaryOperator::kGreaterOrEqual},
    {TokenKind::kPlus, BinaryOperator::kAdd},
    {TokenKind::kMinus, BinaryOperator::kSubtract},
    {TokenKind::kStar, BinaryOperator::kMultiply},
    {TokenKind::kSlash, BinaryOperator::kDivide},
    {TokenKind::kPercent, BinaryOperator::kModulo},
});

// Longer canonical texts are left out of warnings.
constexpr std::size_t kShownTextBytesMax = 200;

bool is_not(const Expression& expression) {
  const auto* unary = std::get_if<UnaryNode>(&expression.node());
  return unary != nullptr && unary->op == UnaryOperator::kNot;
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens, const CesqlLimits& limits)
      : text_(text), tokens_(std::move(tokens)), limits_(limits) {}

  Result<ParsedExpression> run();

 private:
  // From the loosest binding to the tightest.
  ExpressionResult chain(Precedence level);
  ExpressionResult operand(Precedence level);
  ExpressionResult postfix();
  ExpressionResult like(ExpressionPtr left, const Token& start, bool negated);
  ExpressionResult in(ExpressionPtr left, const Token& start, bool negated);
  ExpressionResult unary();
  ExpressionResult primary();
  ExpressionResult integer();
  ExpressionResult name();
  ExpressionResult call();
  ExpressionResult exists();
  ExpressionResult group();
  Result<std::vector<ExpressionPtr>> list();

  // One level further down: bounds the recursion before there is a tree to measure.
  ExpressionResult nested(ExpressionResult (Parser::*parse_inner)());
  ExpressionResult expression() { return chain(Precedence::kLogic); }
  // The expression, if it is not too high.
  ExpressionResult bounded(ExpressionPtr expression, const Token& start) const;

  const Token& current() const { return tokens_[index_]; }
  // The token after the current one, or the end.
  const Token& next() const { return tokens_[std::min(index_ + 1, tokens_.size() - 1)]; }
  bool at(TokenKind kind) const { return current().kind == kind; }
  bool at_signed_integer() const;
  std::optional<BinaryOperator> at_operator(Precedence level) const;
  const Token& take() { return tokens_[index_++]; }

  base::Error unexpected(std::string_view expected) const {
    return syntax_error(text_, tokens_, index_, expected);
  }
  base::Error error_at(const Token& token, ErrorId id, std::string message) const {
    return {id, std::move(message), base::position_at(text_, token.offset_bytes)};
  }
  base::Error too_deep(const Token& token) const {
    return error_at(token, ErrorId::kFilterTooDeep,
                    fmt::format("the expression is nested more than {} deep", limits_.depth_max));
  }
  void warn(const Token& token, WarningId id, std::string message) {
    warnings_.push_back({id, base::position_at(text_, token.offset_bytes), std::move(message)});
  }
  void warn_of_mixture(const Token& token, const Expression& read);
  void warn_of_not(const Token& token);

  std::string_view text_;
  std::vector<Token> tokens_;
  const CesqlLimits& limits_;
  std::size_t index_ = 0;
  std::size_t nesting_ = 0;
  std::vector<Warning> warnings_;
};

Result<ParsedExpression> Parser::run() {
  const ExpressionResult parsed = expression();
  if (!parsed) return parsed.error();
  if (!at(TokenKind::kEnd)) return unexpected("an operator or the end");
  return ParsedExpression{*parsed, std::move(warnings_)};
}

ExpressionResult Parser::nested(ExpressionResult (Parser::*parse_inner)()) {
  if (nesting_ >= limits_.depth_max) return too_deep(current());
  ++nesting_;
  ExpressionResult inner = (this->*parse_inner)();
  --nesting_;
  return inner;
}

ExpressionResult Parser::bounded(ExpressionPtr expression, const Token& start) const {
  if (expression->height() > limits_.depth_max) return too_deep(start);
  return expression;
}

bool Parser::at_signed_integer() const {
  const bool sign = at(TokenKind::kMinus) || at(TokenKind::kPlus);
  return sign && next().kind == TokenKind::kInteger &&
         next().offset_bytes == current().offset_bytes + 1;
}

std::optional<BinaryOperator> Parser::at_operator(Precedence level) const {
  for (const auto& [kind, op] : kBinaryOperators) {
    if (at(kind) && precedence_of(op) == level) return op;
  }
  return std::nullopt;
}

void Parser::warn_of_mixture(const Token& token, const Expression& read) {
  const std::string text = to_text(read);
  warn(token, WarningId::kCesqlMixture,
       fmt::format("AND, OR and XOR bind alike and are read from left to right{}",
                   text.size() > kShownTextBytesMax ? "" : ": " + text));
}

void Parser::warn_of_not(const Token& token) {
  warn(token, WarningId::kCesqlNot,
       "NOT binds tighter than what follows its operand: write NOT (...) to negate it all");
}

ExpressionResult Parser::chain(Precedence level) {
  const Token& start = current();
  ExpressionResult first = operand(level);
  if (!first) return first;
  const bool after_not = start.kind == TokenKind::kNot && is_not(**first);
  std::vector<ChainNode::Link> links;
  const Token* mixed = nullptr;  // the first operator that differs from the one before it
  while (const std::optional<BinaryOperator> op = at_operator(level)) {
    if (mixed == nullptr && !links.empty() && links.back().op != *op) mixed = &current();
    take();
    const ExpressionResult right = operand(level);
    if (!right) return right;
    links.push_back({*op, *right});
  }
  if (links.empty()) return first;
  const ExpressionResult made = bounded(make_chain(*std::move(first), std::move(links)), start);
  if (!made) return made;
  if (level == Precedence::kLogic) {
    if (mixed != nullptr) warn_of_mixture(*mixed, **made);
  } else if (after_not) {
    warn_of_not(start);
  }
  return made;
}

ExpressionResult Parser::operand(Precedence level) {
  switch (level) {
    case Precedence::kLogic:
      return chain(Precedence::kComparison);
    case Precedence::kComparison:
      return chain(Precedence::kAdditive);
    case Precedence::kAdditive:
      return chain(Precedence::kMultiplicative);
    default:
      return postfix();
  }
}

ExpressionResult Parser::postfix() {
  const Token& start = current();
  ExpressionResult left = unary();
  while (left) {
    const bool negated = at(TokenKind::kNot);
    const TokenKind kind = negated ? next().kind : current().kind;
    if (kind != TokenKind::kLike && kind != TokenKind::kIn) break;
    if (start.kind == TokenKind::kNot && is_not(**left)) warn_of_not(start);
    if (negated) take();
    take();
    left = kind == TokenKind::kLike ? like(*left, start, negated) : in(*left, start, negated);
  }
  return left;
}

ExpressionResult Parser::like(ExpressionPtr left, const Token& start, bool negated) {
  if (!at(TokenKind::kString)) return unexpected("a pattern in quotes after LIKE");
  const Token& literal = take();
  const std::string pattern = unquote(literal.text);
  if (pattern.size() > limits_.pattern_bytes_max) {
    return error_at(literal, ErrorId::kFilterPatternTooLong,
                    fmt::format("the pattern has {} bytes, the limit is {}", pattern.size(),
                                limits_.pattern_bytes_max));
  }
  return bounded(make_expression(LikeNode{std::move(left), LikePattern::compile(pattern), negated}),
                 start);
}

ExpressionResult Parser::in(ExpressionPtr left, const Token& start, bool negated) {
  if (!at(TokenKind::kLeftParenthesis)) return unexpected("'(' after IN");
  take();
  if (at(TokenKind::kRightParenthesis)) return unexpected("an element");
  Result<std::vector<ExpressionPtr>> elements = list();
  if (!elements) return elements.error();
  return bounded(make_expression(InNode{std::move(left), *std::move(elements), negated}), start);
}

ExpressionResult Parser::unary() {
  if (at_signed_integer() || !(at(TokenKind::kNot) || at(TokenKind::kMinus))) return primary();
  const Token& sign = take();
  ExpressionResult inner = nested(&Parser::unary);
  if (!inner) return inner;
  const auto op = sign.kind == TokenKind::kNot ? UnaryOperator::kNot : UnaryOperator::kMinus;
  return bounded(make_expression(UnaryNode{op, *std::move(inner)}), sign);
}

ExpressionResult Parser::primary() {
  if (at_signed_integer()) return integer();
  switch (current().kind) {
    case TokenKind::kInteger:
      return integer();
    case TokenKind::kTrue:
    case TokenKind::kFalse:
      return make_expression(LiteralNode{take().kind == TokenKind::kTrue});
    case TokenKind::kString:
      return make_expression(LiteralNode{unquote(take().text)});
    case TokenKind::kName:
    case TokenKind::kFunctionName:
      return name();
    case TokenKind::kExists:
      return exists();
    case TokenKind::kLeftParenthesis:
      return group();
    default:
      return unexpected("a value");
  }
}

ExpressionResult Parser::integer() {
  const Token& start = current();
  if (!at(TokenKind::kInteger)) take();
  const Token& digits = take();
  const std::size_t bytes = digits.offset_bytes + digits.text.size() - start.offset_bytes;
  const std::string_view text = text_.substr(start.offset_bytes, bytes);
  const std::optional<std::int32_t> value = parse_integer(text);
  if (value) return make_expression(LiteralNode{*value});
  return error_at(start, ErrorId::kFilterCesqlSyntax,
                  "the integer does not fit 32 bits (-2147483648 to 2147483647)");
}

ExpressionResult Parser::name() {
  if (next().kind == TokenKind::kLeftParenthesis) return call();
  if (at(TokenKind::kFunctionName)) {
    take();
    return unexpected("'(' after the name of a function");
  }
  const Token& word = take();
  const std::string lower = to_lower_ascii(word.text);
  if (lower == "data")
    warn(word, WarningId::kCesqlData, "data is no attribute: CESQL cannot look into it");
  return make_expression(make_attribute(lower));
}

ExpressionResult Parser::call() {
  const Token& word = take();
  if (word.text.find_first_of("0123456789") != std::string_view::npos) {
    return unexpected("an operator or the end (a function's name has no digits)");
  }
  take();
  std::vector<ExpressionPtr> arguments;
  if (at(TokenKind::kRightParenthesis)) {
    take();
  } else {
    Result<std::vector<ExpressionPtr>> listed = list();
    if (!listed) return listed.error();
    arguments = *std::move(listed);
  }
  const std::string upper = to_upper_ascii(word.text);
  const Function* function = find_function(upper, arguments.size());
  return bounded(make_expression(CallNode{upper, function, std::move(arguments),
                                          base::position_at(text_, word.offset_bytes)}),
                 word);
}

ExpressionResult Parser::exists() {
  take();
  if (!at(TokenKind::kName) && !at(TokenKind::kInteger)) {
    return unexpected("an attribute's name after EXISTS");
  }
  return make_expression(ExistsNode{make_attribute(to_lower_ascii(take().text))});
}

ExpressionResult Parser::group() {
  take();
  ExpressionResult inner = nested(&Parser::expression);
  if (!inner) return inner;
  if (!at(TokenKind::kRightParenthesis)) return unexpected("an operator or ')'");
  take();
  return inner;
}

// The rest of a list, up to and with its closing parenthesis.
Result<std::vector<ExpressionPtr>> Parser::list() {
  std::vector<ExpressionPtr> elements;
  for (;;) {
    const Token& start = current();
    const ExpressionResult element = nested(&Parser::expression);
    if (!element) return element.error();
    if (elements.size() == limits_.list_count_max) {
      return error_at(start, ErrorId::kFilterListTooLong,
                      fmt::format("the list has more than {} elements", limits_.list_count_max));
    }
    elements.push_back(*element);
    if (!at(TokenKind::kComma) && !at(TokenKind::kRightParenthesis)) {
      return unexpected("an operator, ',' or ')'");
    }
    if (take().kind == TokenKind::kRightParenthesis) return elements;
  }
}

}  // namespace

Result<ParsedExpression> parse_with_warnings(std::string_view text, const CesqlLimits& limits) {
  if (text.size() > limits.text_bytes_max) {
    return base::Error{ErrorId::kFilterTooLong,
                       fmt::format("the expression has {} bytes, the limit is {}", text.size(),
                                   limits.text_bytes_max),
                       base::position_at(text, limits.text_bytes_max)};
  }
  Result<std::vector<Token>> tokens = tokenize(text);
  if (!tokens) return tokens.error();
  return Parser(text, *std::move(tokens), limits).run();
}

ExpressionResult parse(std::string_view text, const CesqlLimits& limits) {
  Result<ParsedExpression> parsed = parse_with_warnings(text, limits);
  if (!parsed) return parsed.error();
  return std::move(parsed->expression);
}

}  // namespace weir::filter::cesql
