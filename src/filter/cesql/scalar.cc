// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/scalar.h"

#include <algorithm>
#include <charconv>

namespace weir::filter::cesql {
namespace {

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
  });
}

}  // namespace

std::string_view to_string(CesqlType type) {
  switch (type) {
    case CesqlType::kBoolean:
      return "Boolean";
    case CesqlType::kInteger:
      return "Integer";
    case CesqlType::kString:
      return "String";
  }
  return "unknown";
}

CesqlType type_of(const CesqlValue& value) { return static_cast<CesqlType>(value.index()); }

Scalar Scalar::zero(CesqlType type) {
  switch (type) {
    case CesqlType::kInteger:
      return Scalar(std::int32_t{0});
    case CesqlType::kString:
      return Scalar(std::string_view());
    case CesqlType::kBoolean:
      break;
  }
  return Scalar(false);
}

Scalar Scalar::borrow(const CesqlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return Scalar(std::string_view(*text));
  if (const auto* integer = std::get_if<std::int32_t>(&value)) return Scalar(*integer);
  return Scalar(std::get<bool>(value));
}

CesqlType Scalar::type() const {
  return static_cast<CesqlType>(std::min<std::size_t>(held_.index(), 2));
}

std::string_view Scalar::string() const {
  if (const auto* owned = std::get_if<std::string>(&held_)) return *owned;
  return std::get<std::string_view>(held_);
}

void Scalar::slice(std::size_t offset_bytes, std::size_t count_bytes) {
  if (auto* owned = std::get_if<std::string>(&held_)) {
    *owned = owned->substr(offset_bytes, count_bytes);
  } else {
    held_ = std::get<std::string_view>(held_).substr(offset_bytes, count_bytes);
  }
}

bool Scalar::cast(CesqlType target) {
  if (type() == target) return true;
  switch (target) {
    case CesqlType::kBoolean:
      return cast_to_boolean();
    case CesqlType::kInteger:
      return cast_to_integer();
    case CesqlType::kString:
      cast_to_string();
      return true;
  }
  return false;
}

bool Scalar::cast_to_integer() {
  if (type() == CesqlType::kBoolean) {
    held_ = std::int32_t{boolean() ? 1 : 0};
    return true;
  }
  const std::optional<std::int32_t> integer = parse_integer(string());
  if (!integer) return false;
  held_ = *integer;
  return true;
}

bool Scalar::cast_to_boolean() {
  if (type() == CesqlType::kInteger) {
    held_ = integer() != 0;
    return true;
  }
  const bool is_true = equals_ignoring_case(string(), "true");
  if (!is_true && !equals_ignoring_case(string(), "false")) return false;
  held_ = is_true;
  return true;
}

void Scalar::cast_to_string() {
  if (type() == CesqlType::kBoolean) {
    held_ = std::string_view(boolean() ? "true" : "false");
  } else {
    held_ = std::to_string(integer());
  }
}

CesqlValue Scalar::to_value() const {
  switch (type()) {
    case CesqlType::kInteger:
      return integer();
    case CesqlType::kString:
      return std::string(string());
    case CesqlType::kBoolean:
      break;
  }
  return boolean();
}

bool Scalar::operator==(const Scalar& other) const {
  if (type() != other.type()) return false;
  if (type() == CesqlType::kString) return string() == other.string();
  return held_ == other.held_;
}

std::optional<std::int32_t> parse_integer(std::string_view text) {
  // from_chars knows no plus, and would take the minus of "+-1".
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int32_t integer = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, integer);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return integer;
}

}  // namespace weir::filter::cesql
