// SPDX-License-Identifier: Apache-2.0
// `weir backup` and `weir restore`: a broker's directory to a backup, and back.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Give the exit code.
int run_backup(const BackupOptions& options, Streams& streams);
int run_restore(const RestoreOptions& options, Streams& streams);

}  // namespace weir::cli
