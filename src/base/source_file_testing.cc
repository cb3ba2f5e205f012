// SPDX-License-Identifier: Apache-2.0
#include "base/source_file_testing.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "base/check.h"

namespace weir::base {

std::string read_source_file(std::string_view path_from_source_root) {
  std::ifstream in(fmt::format("{}/{}", WEIR_SOURCE_DIR, path_from_source_root), std::ios::binary);
  WEIR_CHECK(in.good());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace weir::base
