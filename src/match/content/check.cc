// SPDX-License-Identifier: Apache-2.0
#include "match/content/check.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "filter/cesql/evaluator.h"
#include "filter/compare_any.h"
#include "match/work_budget.h"

namespace weir::match::content {
namespace {

using event::Value;
using event::ValueKind;
using filter::Literal;

// Whether an operand of the predicate has a path with [*].
bool has_many(const filter::Predicate& predicate) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.operand; }) return one.operand.path.is_many();
        if constexpr (requires { one.path; }) return one.path.is_many();
        if constexpr (requires { one.left; }) {
          const auto* const right = std::get_if<filter::Operand>(&one.right);
          return one.left.path.is_many() || (right != nullptr && right->path.is_many());
        }
        return false;
      },
      predicate);
}

}  // namespace

Check::Check(const Source& source) : source_(source), is_many_(has_many(*source.predicate)) {
  const filter::Predicate& predicate = *source.predicate;
  if (const auto* compare = std::get_if<filter::Compare>(&predicate)) {
    const bool has_constant = std::holds_alternative<Literal>(compare->right);
    kind_ = has_constant ? Kind::kCompare : Kind::kCompareSlots;
  } else if (std::holds_alternative<filter::Between>(predicate)) {
    kind_ = Kind::kBetween;
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

std::uint64_t Check::steps(const EventValues& values) const {
  if (kind_ == Kind::kLike) {
    std::uint64_t bytes = 0;
    const filter::LikePattern& pattern = std::get<filter::Like>(*source_.predicate).pattern;
    for (const Value& value : values.all(source_.slot)) {
      if (value.kind() == ValueKind::kString) bytes += pattern.work_bytes(value.as_string());
    }
    return bytes + (is_many_ ? values.all(source_.slot).size() * steps::kValueCheck : 0);
  }
  // What it looks at is known afterwards; who is over budget is not asked.
  if (kind_ == Kind::kCesql) return steps::kFree;
  if (kind_ == Kind::kCompareSlots && !is_many_) {
    const Value& left = values.value(source_.slot);
    const Value& right = values.value(source_.right);
    const bool is_text = left.kind() == ValueKind::kString && right.kind() == ValueKind::kString;
    return is_text ? std::min(left.as_string().size(), right.as_string().size()) : 0;
  }
  if (!is_many_ || kind_ == Kind::kIn) return 0;
  std::uint64_t count = values.all(source_.slot).size();
  if (source_.right != kNoId) count += values.all(source_.right).size();
  return count * (kind_ == Kind::kCompareSlots ? steps::kValue : steps::kValueCheck);
}

bool Check::is_true(const EventValues& values, std::span<const PointId> points,
                    filter::Scorer& scorer, std::uint64_t& steps) const {
  switch (kind_) {
    case Kind::kCesql: {
      std::uint64_t bytes = 0;
      const auto& cesql = std::get<filter::Cesql>(*source_.predicate);
      const bool passes = filter::cesql::passes(*cesql.expression, values.event(), &bytes);
      steps += bytes * match::steps::kCesqlByte;
      return passes;
    }
    case Kind::kText:
      return filter::evaluate(*source_.predicate, values.event(), scorer);
    case Kind::kIn: {
      const auto named = points.subspan(source_.points_begin, source_.point_count);
      if (is_many_) return is_true_of_any(values, named);
      const Code code = values.code(column_of(source_.slot, ColumnKind::kPoint));
      return code >= kPointCodeMin && std::ranges::binary_search(named, code - kPointCodeMin);
    }
    default:
      return is_many_ ? is_true_of_any(values, {}) : is_true_of(values.value(source_.slot), values);
  }
}

// Of a list the points are `named`.
bool Check::is_true_of_any(const EventValues& values, std::span<const PointId> named) const {
  if (kind_ == Kind::kIn) {
    return std::ranges::any_of(named, [&](PointId point) { return values.has_many_point(point); });
  }
  if (kind_ == Kind::kCompareSlots) {
    return filter::compare_any(values.all(source_.slot),
                               std::get<filter::Compare>(*source_.predicate).op,
                               values.all(source_.right));
  }
  return std::ranges::any_of(values.all(source_.slot),
                             [&](const Value& value) { return is_true_of(value, values); });
}

bool Check::is_true_of(const Value& value, const EventValues& values) const {
  const filter::Predicate& predicate = *source_.predicate;
  switch (kind_) {
    case Kind::kPresent:
      return !value.missing();
    case Kind::kCompare: {
      const auto& compare = std::get<filter::Compare>(predicate);
      return filter::compare_values(value, compare.op, std::get<Literal>(compare.right).view());
    }
    case Kind::kCompareSlots:
      return filter::compare_values(value, std::get<filter::Compare>(predicate).op,
                                    values.value(source_.right));
    case Kind::kBetween: {
      const auto& between = std::get<filter::Between>(predicate);
      return event::compare(value, between.low.view()) >= 0 &&
             event::compare(value, between.high.view()) <= 0;
    }
    default:
      break;
  }
  if (value.kind() != ValueKind::kString) return false;
  const std::string_view text = value.as_string();
  if (kind_ == Kind::kLike) return std::get<filter::Like>(predicate).pattern.matches(text);
  const auto& affix = std::get<filter::Affix>(predicate);
  return affix.side == filter::Affix::Side::kPrefix ? text.starts_with(affix.text)
                                                    : text.ends_with(affix.text);
}

}  // namespace weir::match::content
