// SPDX-License-Identifier: Apache-2.0
// How many files and sockets this process may have open.
#pragma once

#include <cstdint>

#include "cli/settings.h"

namespace weir::cli {

// Raises the limit to what the system allows, and tells what it is.
std::uint64_t raise_file_limit();

// What a broker with these settings may come to have open.
std::uint64_t file_count_max(const Settings& settings);

}  // namespace weir::cli
