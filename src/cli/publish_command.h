// SPDX-License-Identifier: Apache-2.0
// weir publish: sends events to a broker and tells what became of them.
//
//   3 accepted, 1 duplicate, 0 rejected
#pragma once

#include "cli/client_options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_publish(const PublishOptions& options, Streams& streams);

}  // namespace weir::cli
