// SPDX-License-Identifier: Apache-2.0
// The built-in functions of CESQL, found by name and number of arguments.
//
//   LENGTH(s)  LOWER(s)  UPPER(s)  TRIM(s)  CONCAT(s...)  CONCAT_WS(delimiter, s...)
//   LEFT(s, n)  RIGHT(s, n)  SUBSTRING(s, position)  SUBSTRING(s, position, length)
//   ABS(n)  INT(any)  BOOL(any)  STRING(any)
//
// Characters are code points, positions count from 1. LOWER and UPPER map one code point to one, by
// Unicode's simple mappings, whatever the language; TRIM takes off Unicode's white space.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "filter/cesql/evaluation.h"
#include "filter/cesql/scalar.h"

namespace weir::filter::cesql {

struct FunctionResult {
  Scalar value;
  std::optional<EvaluationErrorKind> error = std::nullopt;
  std::string_view message = {};
};

struct Function {
  std::string_view name;
  std::vector<CesqlType> parameters;
  // More arguments may follow, of the last parameter's type; that one may be left out.
  bool variadic;
  CesqlType result;
  // Gets as many arguments as the call has, of the parameters' types, and may use them up.
  FunctionResult (*run)(std::span<Scalar> arguments);

  bool takes(std::size_t argument_count) const;
  CesqlType parameter(std::size_t index) const;
};

// In the order in which messages list them.
std::span<const Function> all_functions();

// The function of that name, in upper case, that takes so many arguments; null if there is none.
const Function* find_function(std::string_view name, std::size_t argument_count);

}  // namespace weir::filter::cesql
