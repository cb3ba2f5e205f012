// SPDX-License-Identifier: Apache-2.0
#include "match/bench_data_testing.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "base/check.h"

namespace weir::match {
namespace {

const char* folder() { return std::getenv("WEIR_BENCH_DATA"); }

}  // namespace

bool has_bench_data() { return folder() != nullptr; }

std::vector<std::string> bench_lines(std::string_view name, std::size_t count_max) {
  WEIR_CHECK(has_bench_data());
  std::ifstream file(fmt::format("{}/{}", folder(), name));
  WEIR_CHECK(file.good());
  std::vector<std::string> lines;
  for (std::string line; lines.size() < count_max && std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace weir::match
