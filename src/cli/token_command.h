// SPDX-License-Identifier: Apache-2.0
// weir token: makes, lists, rotates and revokes the tokens of a broker, in its data directory. A
// broker that runs takes notice within a second.
#pragma once

#include "cli/output.h"
#include "cli/token_options.h"

namespace weir::cli {

// Gives the exit code.
int run_token(const TokenOptions& options, Streams& streams);

}  // namespace weir::cli
