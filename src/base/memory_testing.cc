// SPDX-License-Identifier: Apache-2.0
#include "base/memory_testing.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <string>

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

std::size_t heap_bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Each mapping has a line "Rss: 12 kB", and later one "VmFlags: rd wr nh": nh and hg stand for
// pages that were asked to be small and huge.
std::size_t mapped_bytes_in_use() {
  std::ifstream file("/proc/self/smaps");
  std::size_t sum_kib = 0;
  std::size_t kib = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Rss:")) kib = std::stoul(line.substr(4));
    if (!line.starts_with("VmFlags:")) continue;
    if (line.find(" nh") != line.npos || line.find(" hg") != line.npos) sum_kib += kib;
  }
  return sum_kib * 1024;
}

}  // namespace weir::base
