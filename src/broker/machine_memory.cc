// SPDX-License-Identifier: Apache-2.0
#include "broker/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace weir::broker {
namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

// The file says "max" where there is no limit.
std::size_t number_in(const char* path) {
  std::ifstream file(path);
  std::size_t bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : kUnknown;
}

std::size_t physical_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return kUnknown;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
}

}  // namespace

std::size_t machine_memory_bytes() {
  return std::min({physical_bytes(), number_in("/sys/fs/cgroup/memory.max"),
                   number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

}  // namespace weir::broker
