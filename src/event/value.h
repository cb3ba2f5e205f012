// SPDX-License-Identifier: Apache-2.0
// Value: one typed value of an event, as filters see it. A view: strings belong to the event.
//
// Numbers are int64 where the text is an integer that fits, otherwise double. They compare by
// value and exactly: 2^53 + 1 is not 2^53 even when one side is a double.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "event/timestamp.h"

namespace weir::event {

enum class ValueKind : std::uint8_t {
  kMissing,
  kNull,
  kBool,
  kInt,
  kDouble,
  kString,
  kTimestamp,
  kBytes,   // data_base64: it exists, nothing looks into it
  kObject,  // exists, equal to nothing
  kArray,
};

std::string_view to_string(ValueKind kind);

class Value {
 public:
  constexpr Value() : int_(0) {}

  static constexpr Value of_kind(ValueKind kind) {
    Value value;
    value.kind_ = kind;
    return value;
  }
  static constexpr Value of(bool boolean) {
    Value value = of_kind(ValueKind::kBool);
    value.bool_ = boolean;
    return value;
  }
  static constexpr Value of(std::int64_t integer) {
    Value value = of_kind(ValueKind::kInt);
    value.int_ = integer;
    return value;
  }
  static constexpr Value of(double number) {
    Value value = of_kind(ValueKind::kDouble);
    value.double_ = number;
    return value;
  }
  static constexpr Value of(std::string_view string) {
    Value value = of_kind(ValueKind::kString);
    value.string_ = string;
    return value;
  }
  static constexpr Value of(const char* string) { return of(std::string_view(string)); }
  static constexpr Value of(Timestamp timestamp) {
    Value value = of_kind(ValueKind::kTimestamp);
    value.timestamp_ = timestamp;
    return value;
  }

  constexpr ValueKind kind() const { return kind_; }
  constexpr bool missing() const { return kind_ == ValueKind::kMissing; }
  constexpr bool is_number() const {
    return kind_ == ValueKind::kInt || kind_ == ValueKind::kDouble;
  }

  // Requires the kind of that name.
  constexpr bool as_bool() const { return bool_; }
  constexpr std::int64_t as_int() const { return int_; }
  constexpr double as_double() const { return double_; }
  constexpr std::string_view as_string() const { return string_; }
  constexpr Timestamp as_timestamp() const { return timestamp_; }
  // Requires is_number(); the nearest double.
  constexpr double as_number() const {
    return kind_ == ValueKind::kInt ? static_cast<double>(int_) : double_;
  }

 private:
  ValueKind kind_ = ValueKind::kMissing;
  union {
    bool bool_;
    std::int64_t int_;
    double double_;
    std::string_view string_;
    Timestamp timestamp_;
  };
};

// Ordered only between two numbers, two strings (by bytes, which is by code points), two booleans
// (false < true) or two timestamps; anything else is unordered.
std::partial_ordering compare(const Value& left, const Value& right);

// As a person would read it in an explanation: 42, 'text', timestamp '…', missing, object.
std::string to_display(const Value& value);

}  // namespace weir::event
