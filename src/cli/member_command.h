// SPDX-License-Identifier: Apache-2.0
// weir member: a member of a cluster over NATS that keeps texts, casts messages and sums, to try a
// cluster with. Commands come as lines (member_input.h), answers go as JSON lines.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_member(const MemberOptions& options, Streams& streams);

}  // namespace weir::cli
