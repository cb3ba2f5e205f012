// SPDX-License-Identifier: Apache-2.0
// Exit codes: what a command's exit status tells, the same for all commands.
//
//   0  done; explain: the event would be delivered; sim: all checks hold
//   1  explain: the event would not be delivered; sim: a check fails; doctor: warnings only
//   2  invalid_input: the command line, a filter or an event is wrong
//   3  not_found
//   4  limit: an input is larger than its limit
//   5  unavailable: a file cannot be read or written, a language cannot be set up
//   6  corrupt
#pragma once

#include "base/error.h"

namespace weir::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitNo = 1;

int exit_code(base::ErrorCode code);

}  // namespace weir::cli
