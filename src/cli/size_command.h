// SPDX-License-Identifier: Apache-2.0
// weir size: how much memory it takes to remember keys, for several structures side by side.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_size(const SizeOptions& options, Streams& streams);

}  // namespace weir::cli
