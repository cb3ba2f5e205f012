// SPDX-License-Identifier: Apache-2.0
#include "base/error_testing.h"

#include <fmt/format.h>

namespace weir::base {

std::string describe(const Error& error) {
  std::string place = "-";
  if (error.position) {
    place = fmt::format("{}:{}@{}", error.position->line, error.position->column,
                        error.position->offset_bytes);
  }
  return fmt::format("{} {} {}", error_info(error.id).name, place, error.message);
}

}  // namespace weir::base
