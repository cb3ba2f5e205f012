// SPDX-License-Identifier: Apache-2.0
#include "match/content/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>

namespace weir::match::content {
namespace {

using event::Value;
using event::ValueKind;
using filter::CompareOp;
using filter::Literal;

// The literal as a double, if that is the same number.
std::optional<double> exact_double(const Literal& literal) {
  constexpr std::int64_t kExactMax = std::int64_t{1} << 53U;
  const Value value = literal.view();
  if (value.kind() == ValueKind::kDouble && !std::isnan(value.as_double())) {
    return value.as_double();
  }
  if (value.kind() != ValueKind::kInt) return std::nullopt;
  if (value.as_int() > kExactMax || value.as_int() < -kExactMax) return std::nullopt;
  return static_cast<double>(value.as_int());
}

}  // namespace

Check::Check(const Source& source) : slot_(source.slot), wanted_(!source.negated) {
  predicate_ = source.predicate;
  const filter::Predicate& predicate = *source.predicate;
  if (const auto* compare = std::get_if<filter::Compare>(&predicate)) {
    compile(*compare, source);
  } else if (const auto* between = std::get_if<filter::Between>(&predicate)) {
    compile(*between);
  } else if (std::holds_alternative<filter::In>(predicate)) {
    kind_ = Kind::kIn;
  } else if (std::holds_alternative<filter::Like>(predicate)) {
    kind_ = Kind::kLike;
  } else if (std::holds_alternative<filter::Affix>(predicate)) {
    kind_ = Kind::kAffix;
  } else if (std::holds_alternative<filter::Exists>(predicate)) {
    kind_ = Kind::kPresent;
  } else {
    kind_ = std::holds_alternative<filter::About>(predicate) ? Kind::kText : Kind::kCesql;
  }
}

void Check::compile(const filter::Compare& compare, const Source& source) {
  const auto* const literal = std::get_if<Literal>(&compare.right);
  if (literal == nullptr) {
    kind_ = Kind::kCompareSlots;
    right_ = source.right;
    return;
  }
  kind_ = Kind::kCompare;
  switch (compare.op) {
    case CompareOp::kEqual:
      if (source.point == kNoId) return;
      kind_ = Kind::kPoint;
      point_ = source.point;
      return;
    case CompareOp::kNotEqual:
      return;
    case CompareOp::kLess:
    case CompareOp::kLessEqual:
      if (!set_interval(nullptr, literal)) return;
      high_open_ = compare.op == CompareOp::kLess;
      return;
    case CompareOp::kGreater:
    case CompareOp::kGreaterEqual:
      if (!set_interval(literal, nullptr)) return;
      low_open_ = compare.op == CompareOp::kGreater;
      return;
  }
}

void Check::compile(const filter::Between& between) {
  if (!set_interval(&between.low, &between.high)) kind_ = Kind::kBetween;
}

bool Check::set_interval(const Literal* low, const Literal* high) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::optional<double> from = low != nullptr ? exact_double(*low) : -kInfinity;
  const std::optional<double> to = high != nullptr ? exact_double(*high) : kInfinity;
  if (!from || !to) return false;
  kind_ = Kind::kInterval;
  low_ = *from;
  high_ = *to;
  return true;
}

bool Check::is_inside_exactly(const Value& value) const {
  const std::partial_ordering from = event::compare(value, Value::of(low_));
  const std::partial_ordering to = event::compare(value, Value::of(high_));
  return (low_open_ ? from > 0 : from >= 0) && (high_open_ ? to < 0 : to <= 0);
}

bool Check::holds_slowly(EventValues& values, filter::Scorer& scorer) const {
  if (kind_ == Kind::kCesql || kind_ == Kind::kText) {
    return filter::evaluate(*predicate_, values.event(), scorer);
  }
  const Value& value = values.value(slot_);
  const auto equals = [&](const Literal& literal) {
    return filter::compare_values(value, CompareOp::kEqual, literal.view());
  };
  switch (kind_) {
    case Kind::kCompare: {
      const auto& compare = std::get<filter::Compare>(*predicate_);
      return filter::compare_values(value, compare.op, std::get<Literal>(compare.right).view());
    }
    case Kind::kCompareSlots:
      return filter::compare_values(value, std::get<filter::Compare>(*predicate_).op,
                                    values.value(right_));
    case Kind::kBetween: {
      const auto& between = std::get<filter::Between>(*predicate_);
      return event::compare(value, between.low.view()) >= 0 &&
             event::compare(value, between.high.view()) <= 0;
    }
    case Kind::kIn:
      return std::ranges::any_of(std::get<filter::In>(*predicate_).values, equals);
    default:
      break;
  }
  if (value.kind() != ValueKind::kString) return false;
  const std::string_view text = value.as_string();
  if (kind_ == Kind::kLike) return std::get<filter::Like>(*predicate_).pattern.matches(text);
  const auto& affix = std::get<filter::Affix>(*predicate_);
  return affix.side == filter::Affix::Side::kPrefix ? text.starts_with(affix.text)
                                                    : text.ends_with(affix.text);
}

int Check::cost_rank() const { return kind_ <= Kind::kPresent ? 0 : static_cast<int>(kind_); }

}  // namespace weir::match::content
