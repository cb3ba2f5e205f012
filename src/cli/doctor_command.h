// SPDX-License-Identifier: Apache-2.0
// `weir doctor`: examines a broker's directory and tells what it finds; with --repair it makes the
// directory one that a broker starts on, and lists what is lost.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code: 0 if it is sound or repaired, 1 if there are warnings, 6 if something is
// damaged.
int run_doctor(const DoctorOptions& options, Streams& streams);

}  // namespace weir::cli
