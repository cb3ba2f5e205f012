// SPDX-License-Identifier: Apache-2.0
// weir filter: passes on the events of a stream that at least one filter lets through.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_filter(const FilterOptions& options, Streams& streams);

}  // namespace weir::cli
