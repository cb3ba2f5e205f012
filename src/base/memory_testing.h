// SPDX-License-Identifier: Apache-2.0
// How much memory the process has in use, for those who measure instead of adding up.
#pragma once

#include <cstddef>

namespace weir::base {

// In memory now, by the system's own account, in whole pages.
std::size_t resident_bytes();

// In blocks of the heap now, by its own account; 0 where it keeps none, as with sanitizers.
std::size_t heap_bytes_in_use();
// In memory now of what is mapped beside the heap in pages of a chosen size, as bloom::LineBuffer
// maps large buffers; 0 where the system does not tell.
std::size_t mapped_bytes_in_use();

// What work() leaves in memory.
template <typename Work>
std::size_t resident_growth(Work&& work) {
  const std::size_t before = resident_bytes();
  work();
  const std::size_t after = resident_bytes();
  return after > before ? after - before : 0;
}

}  // namespace weir::base
