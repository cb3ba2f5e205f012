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
// The part of it that is no socket: the log, the registry, all else.
std::uint64_t store_file_count_max(const Settings& settings);

// Lowers the limits of connections and webhooks until all fits into what the system allows: the
// store must never be without a descriptor because of connections. Returns whether it had to.
bool fit_connections(Settings& settings, std::uint64_t allowed);

}  // namespace weir::cli
