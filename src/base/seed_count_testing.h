// SPDX-License-Identifier: Apache-2.0
// How many seeds a test tries: some in ./test, many in ./test --full, which sets WEIR_FULL=1.
#pragma once

#include <cstdint>

namespace weir::base {

struct SeedCounts {
  std::uint64_t quick = 50;
  std::uint64_t full = 1000;
};

std::uint64_t seed_count(const SeedCounts& counts = {});

}  // namespace weir::base
