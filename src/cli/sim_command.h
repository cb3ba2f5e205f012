// SPDX-License-Identifier: Apache-2.0
// weir sim: runs scenarios and tells what they measured and whether their checks hold.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_sim(const SimOptions& options, Streams& streams);

}  // namespace weir::cli
