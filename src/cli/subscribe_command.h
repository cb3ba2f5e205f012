// SPDX-License-Identifier: Apache-2.0
// weir subscribe: writes the events that a filter lets through, as they come, one on each line.
//
// A delivery of several events (a group) is one line, a JSON array. With --json each line is an
// envelope: {"type":"event","number":17,"event":{...}}.
#pragma once

#include "cli/client_options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_subscribe(const SubscribeOptions& options, Streams& streams);

}  // namespace weir::cli
