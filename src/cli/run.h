// SPDX-License-Identifier: Apache-2.0
// The weir command as a function.
#pragma once

namespace weir::cli {

// Does what the command line asks for; gives the exit code (exit_code.h).
int run(int argc, char** argv);

}  // namespace weir::cli
