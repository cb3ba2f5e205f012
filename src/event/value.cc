// SPDX-License-Identifier: Apache-2.0
#include "event/value.h"

#include <fmt/format.h>

#include <cmath>

namespace weir::event {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

// Exact: the double is split into an integer part, which fits int64 after the range tests, and a
// fraction that only breaks ties.
std::partial_ordering compare_int_double(std::int64_t left, double right) {
  if (std::isnan(right)) return std::partial_ordering::unordered;
  if (right >= kTwoTo63) return std::partial_ordering::less;
  if (right < -kTwoTo63) return std::partial_ordering::greater;
  const double floor = std::floor(right);
  const auto whole = static_cast<std::int64_t>(floor);
  if (left != whole) return left <=> whole;
  return right > floor ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

std::partial_ordering reverse(std::partial_ordering ordering) { return 0 <=> ordering; }

std::partial_ordering compare_numbers(const Value& left, const Value& right) {
  const bool left_int = left.kind() == ValueKind::kInt;
  const bool right_int = right.kind() == ValueKind::kInt;
  if (left_int && right_int) return left.as_int() <=> right.as_int();
  if (left_int) return compare_int_double(left.as_int(), right.as_double());
  if (right_int) return reverse(compare_int_double(right.as_int(), left.as_double()));
  return left.as_double() <=> right.as_double();
}

}  // namespace

std::string_view to_string(ValueKind kind) {
  switch (kind) {
    case ValueKind::kMissing:
      return "missing";
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBool:
      return "bool";
    case ValueKind::kInt:
      return "int";
    case ValueKind::kDouble:
      return "double";
    case ValueKind::kString:
      return "string";
    case ValueKind::kTimestamp:
      return "timestamp";
    case ValueKind::kBytes:
      return "bytes";
    case ValueKind::kObject:
      return "object";
    case ValueKind::kArray:
      return "array";
  }
  return "unknown";
}

std::partial_ordering compare(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return compare_numbers(left, right);
  if (left.kind() != right.kind()) return std::partial_ordering::unordered;
  switch (left.kind()) {
    case ValueKind::kString:
      return left.as_string() <=> right.as_string();
    case ValueKind::kBool:
      return left.as_bool() <=> right.as_bool();
    case ValueKind::kTimestamp:
      return left.as_timestamp() <=> right.as_timestamp();
    default:
      return std::partial_ordering::unordered;
  }
}

std::string to_display(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
      return value.as_bool() ? "true" : "false";
    case ValueKind::kInt:
      return fmt::format("{}", value.as_int());
    case ValueKind::kDouble:
      return fmt::format("{}", value.as_double());
    case ValueKind::kString:
      return fmt::format("'{}'", value.as_string());
    case ValueKind::kTimestamp:
      return fmt::format("timestamp '{}'", to_string(value.as_timestamp()));
    default:
      return std::string(to_string(value.kind()));
  }
}

}  // namespace weir::event
