// SPDX-License-Identifier: Apache-2.0
#include "base/seed_count_testing.h"

#include <cstdlib>
#include <string_view>

namespace weir::base {

std::uint64_t seed_count(const SeedCounts& counts) {
  const char* full = std::getenv("WEIR_FULL");
  return full != nullptr && std::string_view(full) == "1" ? counts.full : counts.quick;
}

}  // namespace weir::base
