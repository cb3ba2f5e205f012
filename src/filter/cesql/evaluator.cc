// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "filter/cesql/functions.h"

namespace weir::filter::cesql {
namespace {

using Kind = EvaluationErrorKind;

bool compare(BinaryOperator op, std::int32_t left, std::int32_t right) {
  switch (op) {
    case BinaryOperator::kLess:
      return left < right;
    case BinaryOperator::kLessOrEqual:
      return left <= right;
    case BinaryOperator::kGreater:
      return left > right;
    default:
      return left >= right;
  }
}

// Requires a divisor that is not 0. The result needs at most 63 bits.
std::int64_t calculate(BinaryOperator op, std::int64_t left, std::int64_t right) {
  switch (op) {
    case BinaryOperator::kAdd:
      return left + right;
    case BinaryOperator::kSubtract:
      return left - right;
    case BinaryOperator::kMultiply:
      return left * right;
    case BinaryOperator::kDivide:
      return left / right;
    default:
      return left % right;
  }
}

// One evaluation. Every function that evaluates returns the zero value of its node's type once
// failed() holds.
class Evaluator {
 public:
  // Without `explain` errors have no message.
  Evaluator(const event::Event& event, bool explain) : event_(event), explain_(explain) {}

  Scalar evaluate(const Expression& expression) {
    return std::visit([this](const auto& node) { return value_of(node); }, expression.node());
  }

  bool failed() const { return error_.has_value(); }
  std::uint64_t work_bytes() const { return string_work_bytes_ + like_work_bytes_; }
  EvaluationError take_error() { return *std::move(error_); }

 private:
  Scalar value_of(const LiteralNode& literal) { return Scalar::borrow(literal.value); }
  Scalar value_of(const AttributeNode& attribute);
  Scalar value_of(const ExistsNode& exists) { return Scalar(find(exists.attribute) != nullptr); }
  Scalar value_of(const UnaryNode& unary);
  Scalar value_of(const ChainNode& chain);
  Scalar value_of(const LikeNode& like);
  Scalar value_of(const InNode& in);
  Scalar value_of(const CallNode& call);

  Scalar logic(BinaryOperator op, Scalar left, const Expression& right);
  Scalar equality(BinaryOperator op, Scalar left, const Expression& right);
  Scalar order(BinaryOperator op, Scalar left, const Expression& right);
  Scalar arithmetic(BinaryOperator op, Scalar left, const Expression& right);
  Scalar narrow(std::int64_t wide);

  const event::Attribute* find(const AttributeNode& attribute) const {
    return attribute.core == event::CoreAttribute::kNone ? event_.find(attribute.name)
                                                         : event_.find(attribute.core);
  }
  // Adds a call to what was done so far; false if that is too much.
  bool within_string_work(std::span<const Scalar> arguments);
  // The operand's value as one of that type; false if it failed or cannot be cast.
  bool cast(Scalar& value, CesqlType target);

  template <typename... Arguments>
  void fail(Kind kind, fmt::format_string<Arguments...> message, Arguments&&... arguments) {
    error_ =
        EvaluationError{kind, explain_ ? fmt::format(message, std::forward<Arguments>(arguments)...)
                                       : std::string()};
  }

  const event::Event& event_;
  bool explain_;
  std::size_t string_work_bytes_ = 0;
  std::uint64_t like_work_bytes_ = 0;
  std::optional<EvaluationError> error_;
};

bool Evaluator::within_string_work(std::span<const Scalar> arguments) {
  std::size_t longest_bytes = 0;
  for (const Scalar& argument : arguments) {
    if (argument.type() != CesqlType::kString) continue;
    longest_bytes = std::max(longest_bytes, argument.string().size());
  }
  string_work_bytes_ += longest_bytes * arguments.size();
  return string_work_bytes_ <= kStringWorkBytesMax;
}

bool Evaluator::cast(Scalar& value, CesqlType target) {
  if (failed()) return false;
  if (value.cast(target)) return true;
  fail(Kind::kCast, "'{}' is no {}", value.string(), to_string(target));
  return false;
}

Scalar Evaluator::narrow(std::int64_t wide) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  if (wide >= kMin && wide <= kMax) return Scalar(static_cast<std::int32_t>(wide));
  fail(Kind::kMath, "the result {} does not fit 32 bits", wide);
  return Scalar::zero(CesqlType::kInteger);
}

Scalar Evaluator::value_of(const AttributeNode& attribute) {
  const event::Attribute* found = find(attribute);
  if (found == nullptr) {
    fail(Kind::kMissingAttribute, "the event has no attribute {}", attribute.name);
    return Scalar(false);
  }
  if (found->value.kind() == event::ValueKind::kBool) return Scalar(found->value.as_bool());
  if (found->value.kind() == event::ValueKind::kInt) return narrow(found->value.as_int());
  return Scalar(found->text);
}

Scalar Evaluator::value_of(const UnaryNode& unary) {
  const bool negates = unary.op == UnaryOperator::kNot;
  const CesqlType type = negates ? CesqlType::kBoolean : CesqlType::kInteger;
  Scalar value = evaluate(*unary.operand);
  if (!cast(value, type)) return Scalar::zero(type);
  return negates ? Scalar(!value.boolean()) : narrow(-std::int64_t{value.integer()});
}

Scalar Evaluator::value_of(const ChainNode& chain) {
  Scalar value = evaluate(*chain.first);
  for (const ChainNode::Link& link : chain.links) {
    switch (precedence_of(link.op)) {
      case Precedence::kLogic:
        value = logic(link.op, std::move(value), *link.operand);
        break;
      case Precedence::kComparison:
        value = link.op == BinaryOperator::kEqual || link.op == BinaryOperator::kNotEqual
                    ? equality(link.op, std::move(value), *link.operand)
                    : order(link.op, std::move(value), *link.operand);
        break;
      default:
        value = arithmetic(link.op, std::move(value), *link.operand);
    }
    if (failed()) break;
  }
  return value;
}

Scalar Evaluator::logic(BinaryOperator op, Scalar left, const Expression& right) {
  if (!cast(left, CesqlType::kBoolean)) return Scalar(false);
  const bool decided = (op == BinaryOperator::kAnd && !left.boolean()) ||
                       (op == BinaryOperator::kOr && left.boolean());
  if (decided) return left;
  Scalar other = evaluate(right);
  if (!cast(other, CesqlType::kBoolean)) return Scalar(false);
  return op == BinaryOperator::kXor ? Scalar(left.boolean() != other.boolean()) : other;
}

Scalar Evaluator::equality(BinaryOperator op, Scalar left, const Expression& right) {
  if (failed()) return Scalar(false);
  const Scalar other = evaluate(right);
  if (!cast(left, other.type())) return Scalar(false);
  return Scalar((left == other) == (op == BinaryOperator::kEqual));
}

Scalar Evaluator::order(BinaryOperator op, Scalar left, const Expression& right) {
  if (!cast(left, CesqlType::kInteger)) return Scalar(false);
  Scalar other = evaluate(right);
  if (!cast(other, CesqlType::kInteger)) return Scalar(false);
  return Scalar(compare(op, left.integer(), other.integer()));
}

Scalar Evaluator::arithmetic(BinaryOperator op, Scalar left, const Expression& right) {
  if (!cast(left, CesqlType::kInteger)) return Scalar::zero(CesqlType::kInteger);
  Scalar other = evaluate(right);
  if (!cast(other, CesqlType::kInteger)) return Scalar::zero(CesqlType::kInteger);
  const bool divides = op == BinaryOperator::kDivide || op == BinaryOperator::kModulo;
  if (divides && other.integer() == 0) {
    fail(Kind::kMath, "division of {} by zero", left.integer());
    return Scalar::zero(CesqlType::kInteger);
  }
  return narrow(calculate(op, left.integer(), other.integer()));
}

Scalar Evaluator::value_of(const LikeNode& like) {
  Scalar value = evaluate(*like.operand);
  if (!cast(value, CesqlType::kString)) return Scalar(false);
  like_work_bytes_ += like.pattern.work_bytes(value.string());
  return Scalar(like.pattern.matches(value.string()) != like.negated);
}

Scalar Evaluator::value_of(const InNode& in) {
  const Scalar value = evaluate(*in.operand);
  if (failed()) return Scalar(false);
  for (const ExpressionPtr& element : in.elements) {
    Scalar candidate = evaluate(*element);
    if (!cast(candidate, value.type())) return Scalar(false);
    if (candidate == value) return Scalar(!in.negated);
  }
  return Scalar(in.negated);
}

Scalar Evaluator::value_of(const CallNode& call) {
  if (call.function == nullptr) {
    const std::size_t count = call.arguments.size();
    fail(Kind::kMissingFunction, "there is no function {} that takes {} {}", call.name, count,
         count == 1 ? "argument" : "arguments");
    return Scalar(false);
  }
  std::vector<Scalar> arguments;
  arguments.reserve(call.arguments.size());
  for (const ExpressionPtr& argument : call.arguments) {
    arguments.push_back(evaluate(*argument));
    if (!cast(arguments.back(), call.function->parameter(arguments.size() - 1))) {
      return Scalar::zero(call.function->result);
    }
  }
  if (!within_string_work(arguments)) {
    fail(Kind::kFunctionEvaluation, "{}: the strings are too long", call.name);
    return Scalar::zero(call.function->result);
  }
  FunctionResult result = call.function->run(arguments);
  if (result.error) fail(*result.error, "{}: {}", call.name, result.message);
  return std::move(result.value);
}

}  // namespace

Evaluation evaluate(const Expression& expression, const event::Event& event) {
  Evaluator evaluator(event, true);
  Evaluation evaluation{evaluator.evaluate(expression).to_value(), {}};
  if (evaluator.failed()) evaluation.errors.push_back(evaluator.take_error());
  return evaluation;
}

bool passes(const Expression& expression, const event::Event& event, std::uint64_t* work_bytes) {
  Evaluator evaluator(event, false);
  const Scalar value = evaluator.evaluate(expression);
  if (work_bytes != nullptr) *work_bytes += evaluator.work_bytes();
  return !evaluator.failed() && value.type() == CesqlType::kBoolean && value.boolean();
}

}  // namespace weir::filter::cesql
