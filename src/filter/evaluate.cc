// SPDX-License-Identifier: Apache-2.0
#include "filter/evaluate.h"

#include <algorithm>

#include "base/check.h"
#include "filter/cesql/evaluator.h"
#include "filter/compare_any.h"

namespace weir::filter {
namespace {

using event::Event;
using event::Value;
using event::ValueKind;

Value as_string(const event::JsonRef& json) {
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

Value as_string(const Operand& operand, const Event& event) {
  if (!operand.path.is_data()) {
    const auto* const found = event.find(operand.path.attribute_name());
    return found == nullptr ? Value() : Value::of(found->text);
  }
  const event::JsonRef json = event.json_at(operand.path);
  return json ? as_string(json) : Value();
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
    if (const auto* const literal = std::get_if<Literal>(&compare.right)) {
      return any(compare.left, [&](const Value& value) {
        return compare_values(value, compare.op, literal->view());
      });
    }
    const auto& right = std::get<Operand>(compare.right);
    if (compare.left.path.is_many() || right.path.is_many()) {
      return compare_any(resolve_all(compare.left, event_), compare.op, resolve_all(right, event_));
    }
    return compare_values(resolve(compare.left, event_), compare.op, resolve(right, event_));
  }

  bool operator()(const Between& between) const {
    return any(between.operand, [&](const Value& value) {
      return event::compare(value, between.low.view()) >= 0 &&
             event::compare(value, between.high.view()) <= 0;
    });
  }

  bool operator()(const In& in) const {
    return any(in.operand, [&](const Value& value) {
      return std::ranges::any_of(
          in.values, [&](const Literal& literal) { return equal(value, literal.view()); });
    });
  }

  bool operator()(const Like& like) const {
    return any(like.operand, [&](const Value& value) {
      return value.kind() == ValueKind::kString && like.pattern.matches(value.as_string());
    });
  }

  bool operator()(const Affix& affix) const {
    return any(affix.operand, [&](const Value& value) {
      if (value.kind() != ValueKind::kString) return false;
      return affix.side == Affix::Side::kPrefix ? value.as_string().starts_with(affix.text)
                                                : value.as_string().ends_with(affix.text);
    });
  }

  bool operator()(const Exists& exists) const {
    if (!exists.path.is_many()) return !event_.at(exists.path).missing();
    return event_.any_json_at(exists.path, [](const event::JsonRef&) { return true; });
  }

  bool operator()(const About& about) const { return scorer_.judge(about, event_).holds; }

  bool operator()(const Cesql& cesql) const { return cesql::passes(*cesql.expression, event_); }

  bool operator()(const Change&) const {
    const bool change_has_state_and_no_value_of_its_own = false;
    WEIR_CHECK(change_has_state_and_no_value_of_its_own);
    return false;
  }

 private:
  // Whether it holds for one of the operand's values.
  template <typename Holds>
  bool any(const Operand& operand, Holds&& holds) const {
    if (!operand.path.is_many()) return holds(resolve(operand, event_));
    return event_.any_json_at(operand.path, [&](const event::JsonRef& json) {
      return holds(convert(json, operand.conversion));
    });
  }

  const Event& event_;
  Scorer& scorer_;
};

}  // namespace

Value convert(const event::JsonRef& json, Operand::Conversion conversion) {
  if (conversion == Operand::Conversion::kString) return as_string(json);
  return conversion == Operand::Conversion::kNone ? json.value() : as_timestamp(json.value());
}

std::vector<Value> resolve_all(const Operand& operand, const Event& event) {
  std::vector<Value> values;
  const auto add = [&](const Value& value) {
    if (!value.missing()) values.push_back(value);
    return false;
  };
  if (operand.path.is_many()) {
    event.any_json_at(operand.path, [&](const event::JsonRef& json) {
      return add(convert(json, operand.conversion));
    });
  } else {
    add(resolve(operand, event));
  }
  return values;
}

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
