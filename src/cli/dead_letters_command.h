// SPDX-License-Identifier: Apache-2.0
// weir dead-letters: lists, sends again and removes what a sink did not take.
#pragma once

#include "cli/client_options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_dead_letters(const DeadLettersOptions& options, Streams& streams);

}  // namespace weir::cli
