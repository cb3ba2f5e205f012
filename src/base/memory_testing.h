// SPDX-License-Identifier: Apache-2.0
// How much memory the process has in use, for benchmarks that measure instead of adding up.
#pragma once

#include <cstddef>

namespace weir::base {

// In memory now, by the system's own account, in whole pages.
std::size_t resident_bytes();

// What work() leaves in memory.
template <typename Work>
std::size_t resident_growth(Work&& work) {
  const std::size_t before = resident_bytes();
  work();
  const std::size_t after = resident_bytes();
  return after > before ? after - before : 0;
}

}  // namespace weir::base
