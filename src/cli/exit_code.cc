// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_code.h"

namespace weir::cli {

int exit_code(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::kInvalidInput:
      return 2;
    case base::ErrorCode::kNotFound:
      return 3;
    case base::ErrorCode::kLimit:
      return 4;
    case base::ErrorCode::kUnavailable:
      return 5;
    case base::ErrorCode::kCorrupt:
      break;
  }
  return 6;
}

}  // namespace weir::cli
