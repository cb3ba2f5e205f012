// SPDX-License-Identifier: Apache-2.0
// Scalar: one value while an expression is evaluated, and CESQL's casts between the three types.
//
// A string is borrowed from the event or the expression where it can be, owned where it was made.
// What borrows must not outlive the event and the expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace weir::filter::cesql {

enum class CesqlType : std::uint8_t { kBoolean, kInteger, kString };

std::string_view to_string(CesqlType type);

// What an expression gives to the outside.
using CesqlValue = std::variant<bool, std::int32_t, std::string>;

CesqlType type_of(const CesqlValue& value);

class Scalar {
 public:
  // false, 0 or the empty string.
  static Scalar zero(CesqlType type);
  static Scalar borrow(const CesqlValue& value);

  explicit Scalar(bool boolean) : held_(boolean) {}
  explicit Scalar(std::int32_t integer) : held_(integer) {}
  explicit Scalar(std::string_view borrowed) : held_(borrowed) {}
  explicit Scalar(std::string owned) : held_(std::move(owned)) {}
  // A literal would become a bool.
  explicit Scalar(const char*) = delete;

  CesqlType type() const;

  // Requires the type of that name.
  bool boolean() const { return std::get<bool>(held_); }
  std::int32_t integer() const { return std::get<std::int32_t>(held_); }
  std::string_view string() const;

  // Requires a string. Keeps only these bytes of it.
  void slice(std::size_t offset_bytes, std::size_t count_bytes);

  // Turns the value into one of that type; false, and no change, if there is none:
  //   String -> Integer  decimal digits with an optional sign, within 32 bits
  //   String -> Boolean  true or false in any case
  //   Integer -> Boolean 0 is false; Boolean -> Integer 1 or 0
  //   any -> String      decimal without leading zeros; true or false
  [[nodiscard]] bool cast(CesqlType target);

  CesqlValue to_value() const;

  // By type and value; who owns a string makes no difference.
  bool operator==(const Scalar& other) const;

 private:
  bool cast_to_integer();
  bool cast_to_boolean();
  void cast_to_string();

  std::variant<bool, std::int32_t, std::string_view, std::string> held_;
};

// The integer of a text that is exactly an optional sign and decimal digits, within 32 bits.
std::optional<std::int32_t> parse_integer(std::string_view text);

}  // namespace weir::filter::cesql
