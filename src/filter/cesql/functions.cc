// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/functions.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "filter/cesql/case_mapping.h"

namespace weir::filter::cesql {
namespace {

constexpr std::int32_t kIntegerMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kIntegerMin = std::numeric_limits<std::int32_t>::min();

// Bytes of the first `count` characters, or of all if there are fewer.
std::size_t prefix_bytes(std::string_view text, std::int64_t count) {
  std::size_t bytes = 0;
  for (; count > 0 && bytes < text.size(); --count) {
    bytes += std::max<std::size_t>(base::decode_utf8(text.substr(bytes)).length_bytes, 1);
  }
  return bytes;
}

std::int64_t length_of(std::string_view text) {
  return static_cast<std::int64_t>(base::utf8_length(text));
}

FunctionResult failure(Scalar value, std::string_view message) {
  return {std::move(value), EvaluationErrorKind::kFunctionEvaluation, message};
}

FunctionResult length(std::span<Scalar> arguments) {
  return {Scalar(static_cast<std::int32_t>(
      std::min<std::int64_t>(length_of(arguments[0].string()), kIntegerMax)))};
}

FunctionResult concat(std::span<Scalar> arguments) {
  std::string out;
  for (const Scalar& argument : arguments) out += argument.string();
  return {Scalar(std::move(out))};
}

FunctionResult concat_ws(std::span<Scalar> arguments) {
  std::string out;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (i > 1) out += arguments[0].string();
    out += arguments[i].string();
  }
  return {Scalar(std::move(out))};
}

FunctionResult lower(std::span<Scalar> arguments) {
  return {Scalar(to_lower(arguments[0].string()))};
}

FunctionResult upper(std::span<Scalar> arguments) {
  return {Scalar(to_upper(arguments[0].string()))};
}

FunctionResult trim(std::span<Scalar> arguments) {
  const std::string_view text = arguments[0].string();
  std::size_t begin = text.size();
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size();) {
    const base::CodePoint next = base::decode_utf8(text.substr(i));
    const std::size_t bytes = std::max<std::size_t>(next.length_bytes, 1);
    if (next.length_bytes == 0 || !is_white_space(next.value)) {
      begin = std::min(begin, i);
      end = i + bytes;
    }
    i += bytes;
  }
  arguments[0].slice(begin, begin < end ? end - begin : 0);
  return {std::move(arguments[0])};
}

FunctionResult left(std::span<Scalar> arguments) {
  const std::int32_t count = arguments[1].integer();
  if (count < 0) return failure(std::move(arguments[0]), "the number of characters is negative");
  arguments[0].slice(0, prefix_bytes(arguments[0].string(), count));
  return {std::move(arguments[0])};
}

FunctionResult right(std::span<Scalar> arguments) {
  const std::int32_t count = arguments[1].integer();
  if (count < 0) return failure(std::move(arguments[0]), "the number of characters is negative");
  const std::string_view text = arguments[0].string();
  const std::size_t skipped_bytes = prefix_bytes(text, length_of(text) - count);
  arguments[0].slice(skipped_bytes, text.size() - skipped_bytes);
  return {std::move(arguments[0])};
}

FunctionResult substring(std::span<Scalar> arguments) {
  const std::string_view text = arguments[0].string();
  const std::int64_t text_length = length_of(text);
  const std::int64_t position = arguments[1].integer();
  const std::int64_t count = arguments.size() > 2 ? arguments[2].integer() : text_length;
  const Scalar nothing = Scalar::zero(CesqlType::kString);
  if (position > text_length || position < -text_length) {
    return failure(nothing, "the position is outside the string");
  }
  if (count < 0) return failure(nothing, "the length is negative");
  if (position == 0) return {nothing};
  const std::int64_t skipped = position > 0 ? position - 1 : text_length + position;
  const std::size_t begin = prefix_bytes(text, skipped);
  arguments[0].slice(begin, prefix_bytes(text.substr(begin), count));
  return {std::move(arguments[0])};
}

FunctionResult abs(std::span<Scalar> arguments) {
  const std::int32_t integer = arguments[0].integer();
  if (integer != kIntegerMin) return {Scalar(integer < 0 ? -integer : integer)};
  return {Scalar(kIntegerMax), EvaluationErrorKind::kMath,
          "the absolute value of -2147483648 does not fit 32 bits"};
}

// INT, BOOL and STRING: the cast to the parameter's type is all there is to do.
FunctionResult identity(std::span<Scalar> arguments) { return {std::move(arguments[0])}; }

constexpr CesqlType kBoolean = CesqlType::kBoolean;
constexpr CesqlType kInteger = CesqlType::kInteger;
constexpr CesqlType kString = CesqlType::kString;

std::vector<Function> make_table() {
  return {
      {"LENGTH", {kString}, false, kInteger, length},
      {"CONCAT", {kString}, true, kString, concat},
      {"CONCAT_WS", {kString, kString}, true, kString, concat_ws},
      {"LOWER", {kString}, false, kString, lower},
      {"UPPER", {kString}, false, kString, upper},
      {"TRIM", {kString}, false, kString, trim},
      {"LEFT", {kString, kInteger}, false, kString, left},
      {"RIGHT", {kString, kInteger}, false, kString, right},
      {"SUBSTRING", {kString, kInteger}, false, kString, substring},
      {"SUBSTRING", {kString, kInteger, kInteger}, false, kString, substring},
      {"ABS", {kInteger}, false, kInteger, abs},
      {"INT", {kInteger}, false, kInteger, identity},
      {"BOOL", {kBoolean}, false, kBoolean, identity},
      {"STRING", {kString}, false, kString, identity},
  };
}

}  // namespace

bool Function::takes(std::size_t argument_count) const {
  return variadic ? argument_count + 1 >= parameters.size() : argument_count == parameters.size();
}

CesqlType Function::parameter(std::size_t index) const {
  return parameters[std::min(index, parameters.size() - 1)];
}

std::span<const Function> all_functions() {
  static const std::vector<Function> kTable = make_table();
  return kTable;
}

const Function* find_function(std::string_view name, std::size_t argument_count) {
  for (const Function& function : all_functions()) {
    if (function.name == name && function.takes(argument_count)) return &function;
  }
  return nullptr;
}

}  // namespace weir::filter::cesql
