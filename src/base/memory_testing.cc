// SPDX-License-Identifier: Apache-2.0
#include "base/memory_testing.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

#include "base/check.h"

namespace weir::base {

// What was freed goes back to the system first, so that it is not counted for what comes next.
std::size_t resident_bytes() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  std::size_t total_pages = 0;
  std::size_t resident_pages = 0;
  WEIR_CHECK(file >> total_pages >> resident_pages);
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace weir::base
