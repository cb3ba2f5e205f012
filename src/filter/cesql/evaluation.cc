// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/evaluation.h"

namespace weir::filter::cesql {

std::string_view to_string(EvaluationErrorKind kind) {
  switch (kind) {
    case EvaluationErrorKind::kParse:
      return "parse";
    case EvaluationErrorKind::kMath:
      return "math";
    case EvaluationErrorKind::kCast:
      return "cast";
    case EvaluationErrorKind::kMissingFunction:
      return "missingFunction";
    case EvaluationErrorKind::kFunctionEvaluation:
      return "functionEvaluation";
    case EvaluationErrorKind::kMissingAttribute:
      return "missingAttribute";
    case EvaluationErrorKind::kGeneric:
      return "generic";
  }
  return "unknown";
}

}  // namespace weir::filter::cesql
