// SPDX-License-Identifier: Apache-2.0
#include "filter/evaluate.h"

#include <algorithm>

#include "base/check.h"
#include "filter/cesql/evaluator.h"

namespace weir::filter {
namespace {

using event::Event;
using event::Value;
using event::ValueKind;

Value as_string(const Operand& operand, const Event& event) {
  if (!operand.path.is_data()) {
    const auto* const found = event.find(operand.path.attribute_name());
    return found == nullptr ? Value() : Value::of(found->text);
  }
  const event::JsonRef json = event.json_at(operand.path);
  if (!json) return {};
  switch (json.kind()) {
    case event::JsonKind::kString:
      return Value::of(json.string());
    case event::JsonKind::kTrue:
    case event::JsonKind::kFalse:
    case event::JsonKind::kInteger:
    case event::JsonKind::kFraction:
      return Value::of(json.raw());
    default:
      return {};
  }
}

Value as_timestamp(const Value& value) {
  if (value.kind() == ValueKind::kTimestamp) return value;
  if (value.kind() != ValueKind::kString) return {};
  const auto timestamp = event::parse_timestamp(value.as_string());
  return timestamp ? Value::of(*timestamp) : Value();
}

// The same as an order of 0, without looking for which of two strings comes first.
bool equal(const Value& left, const Value& right) {
  if (left.kind() == ValueKind::kString && right.kind() == ValueKind::kString) {
    return left.as_string() == right.as_string();
  }
  return event::compare(left, right) == 0;
}

class Evaluator {
 public:
  Evaluator(const Event& event, Scorer& scorer) : event_(event), scorer_(scorer) {}

  bool operator()(const Constant& constant) const { return constant.value; }

  bool operator()(const Compare& compare) const {
    const auto* const literal = std::get_if<Literal>(&compare.right);
    const Value right =
        literal != nullptr ? literal->view() : resolve(std::get<Operand>(compare.right), event_);
    return compare_values(resolve(compare.left, event_), compare.op, right);
  }

  bool operator()(const Between& between) const {
    const Value value = resolve(between.operand, event_);
    return event::compare(value, between.low.view()) >= 0 &&
           event::compare(value, between.high.view()) <= 0;
  }

  bool operator()(const In& in) const {
    const Value value = resolve(in.operand, event_);
    return std::ranges::any_of(
        in.values, [&](const Literal& literal) { return equal(value, literal.view()); });
  }

  bool operator()(const Like& like) const {
    const Value value = resolve(like.operand, event_);
    return value.kind() == ValueKind::kString && like.pattern.matches(value.as_string());
  }

  bool operator()(const Affix& affix) const {
    const Value value = resolve(affix.operand, event_);
    if (value.kind() != ValueKind::kString) return false;
    return affix.side == Affix::Side::kPrefix ? value.as_string().starts_with(affix.text)
                                              : value.as_string().ends_with(affix.text);
  }

  bool operator()(const Exists& exists) const { return !event_.at(exists.path).missing(); }

  bool operator()(const About& about) const { return scorer_.judge(about, event_).holds; }

  bool operator()(const Cesql& cesql) const { return cesql::passes(*cesql.expression, event_); }

  bool operator()(const Change&) const {
    const bool change_has_state_and_no_value_of_its_own = false;
    WEIR_CHECK(change_has_state_and_no_value_of_its_own);
    return false;
  }

 private:
  const Event& event_;
  Scorer& scorer_;
};

}  // namespace

Value resolve(const Operand& operand, const Event& event) {
  switch (operand.conversion) {
    case Operand::Conversion::kString:
      return as_string(operand, event);
    case Operand::Conversion::kTimestamp:
      return as_timestamp(event.at(operand.path));
    case Operand::Conversion::kNone:
      break;
  }
  return event.at(operand.path);
}

bool compare_values(const Value& left, CompareOp op, const Value& right) {
  if (left.missing() || right.missing()) return false;
  if (op == CompareOp::kEqual) return equal(left, right);
  if (op == CompareOp::kNotEqual) return !equal(left, right);
  const std::partial_ordering order = event::compare(left, right);
  switch (op) {
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kGreaterEqual:
      return order >= 0;
    default:
      return false;
  }
}

bool evaluate(const Predicate& predicate, const Event& event, Scorer& scorer) {
  return std::visit(Evaluator(event, scorer), predicate);
}

bool evaluate(const Expr& expr, const Event& event, Scorer& scorer) {
  const auto holds = [&](const ExprPtr& term) { return evaluate(*term, event, scorer); };
  if (const auto* predicate = expr.predicate()) return evaluate(*predicate, event, scorer);
  if (const auto* negation = std::get_if<Not>(&expr.node)) return !holds(negation->term);
  if (const auto* conjunction = std::get_if<And>(&expr.node)) {
    return std::ranges::all_of(conjunction->terms, holds);
  }
  return std::ranges::any_of(std::get<Or>(expr.node).terms, holds);
}

}  // namespace weir::filter
