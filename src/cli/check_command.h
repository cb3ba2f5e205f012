// SPDX-License-Identifier: Apache-2.0
// weir check: what a filter says, in canonical text and normal form, and what it will need.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_check(const CheckOptions& options, Streams& streams);

}  // namespace weir::cli
