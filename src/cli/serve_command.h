// SPDX-License-Identifier: Apache-2.0
// weir serve: a broker in the foreground, until SIGTERM or SIGINT.
//
//   weir: ready on http://127.0.0.1:8080
//
// That line is written to stderr once everything works; in a log of JSON lines, its like is a line
// of the log. SIGHUP reads tokens and certificates again. SIGTERM and SIGINT let requests under way
// end and write everything; a second one ends the process at once.
#pragma once

#include "cli/output.h"
#include "cli/serve_options.h"

namespace weir::cli {

// Gives the exit code.
int run_serve(const ServeOptions& options, Streams& streams);

}  // namespace weir::cli
