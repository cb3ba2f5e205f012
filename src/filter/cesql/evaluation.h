// SPDX-License-Identifier: Apache-2.0
// Evaluation: what an expression gives on an event: always a value, and the error that was met.
//
// Weir evaluates in the specification's fail-fast mode: the first error ends the evaluation, so
// there is never more than one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "filter/cesql/scalar.h"

namespace weir::filter::cesql {

enum class EvaluationErrorKind : std::uint8_t {
  kParse,
  kMath,
  kCast,
  kMissingFunction,
  kFunctionEvaluation,
  kMissingAttribute,
  kGeneric,
};

// parse, math, cast, missingFunction, functionEvaluation, missingAttribute, generic.
std::string_view to_string(EvaluationErrorKind kind);

struct EvaluationError {
  EvaluationErrorKind kind;
  std::string message;
};

struct Evaluation {
  CesqlValue value;
  std::vector<EvaluationError> errors;
};

}  // namespace weir::filter::cesql
