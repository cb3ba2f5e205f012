// SPDX-License-Identifier: Apache-2.0
// The broker's directory that a command is to work on.
#pragma once

#include <filesystem>

#include "cli/directory_options.h"
#include "cli/failure.h"

namespace weir::cli {

// From the flags, the environment and the configuration file, as `weir serve` finds it.
Attempt<std::filesystem::path> broker_directory(const DirectoryOptions& options);

}  // namespace weir::cli
