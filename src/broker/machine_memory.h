// SPDX-License-Identifier: Apache-2.0
// Memory that this process may use: the machine's, or less if its control group has a limit.
#pragma once

#include <cstddef>

namespace weir::broker {

// Bytes; at least 1.
std::size_t machine_memory_bytes();

}  // namespace weir::broker
