// SPDX-License-Identifier: Apache-2.0
#include "filter/compare_any.h"

#include <algorithm>
#include <array>
#include <vector>

#include "filter/evaluate.h"

namespace weir::filter {
namespace {

using event::Value;
using event::ValueKind;
using Values = std::vector<Value>;

// Values of one class are ordered among each other, and not against those of another.
constexpr std::size_t kClassCount = 4;

std::size_t class_of(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
      return 0;
    case ValueKind::kInt:
    case ValueKind::kDouble:
      return 1;
    case ValueKind::kString:
      return 2;
    case ValueKind::kTimestamp:
      return 3;
    default:
      return kClassCount;  // equal to nothing
  }
}

bool is_less(const Value& left, const Value& right) { return event::compare(left, right) < 0; }

std::array<Values, kClassCount> sorted_by_class(std::span<const Value> values) {
  std::array<Values, kClassCount> classes;
  for (const Value& value : values) {
    if (const std::size_t i = class_of(value); i < kClassCount) classes[i].push_back(value);
  }
  for (Values& one : classes) std::ranges::sort(one, is_less);
  return classes;
}

bool is_there(const Value& value) { return !value.missing(); }

// Two that differ: if there are none, each side's first equals all of the other side.
bool any_differ(std::span<const Value> left, std::span<const Value> right) {
  const auto first_left = std::ranges::find_if(left, is_there);
  const auto first_right = std::ranges::find_if(right, is_there);
  if (first_left == left.end() || first_right == right.end()) return false;
  const auto differs_from = [](const Value& one) {
    return [&one](const Value& other) { return compare_values(one, CompareOp::kNotEqual, other); };
  };
  return std::ranges::any_of(right, differs_from(*first_left)) ||
         std::ranges::any_of(left, differs_from(*first_right));
}

// Of sorted values of one class, of which neither side is empty.
bool holds_in_class(const Values& left, CompareOp op, const Values& right) {
  switch (op) {
    case CompareOp::kEqual:
      return std::ranges::any_of(left, [&](const Value& value) {
        return std::ranges::binary_search(right, value, is_less);
      });
    case CompareOp::kLess:
    case CompareOp::kLessEqual:
      return compare_values(left.front(), op, right.back());
    default:
      return compare_values(left.back(), op, right.front());
  }
}

}  // namespace

bool compare_any(std::span<const Value> left, CompareOp op, std::span<const Value> right) {
  if (left.size() == 1 && right.size() == 1) return compare_values(left[0], op, right[0]);
  if (op == CompareOp::kNotEqual) return any_differ(left, right);
  const auto left_classes = sorted_by_class(left);
  const auto right_classes = sorted_by_class(right);
  for (std::size_t i = 0; i < kClassCount; ++i) {
    if (left_classes[i].empty() || right_classes[i].empty()) continue;
    if (holds_in_class(left_classes[i], op, right_classes[i])) return true;
  }
  return false;
}

}  // namespace weir::filter
