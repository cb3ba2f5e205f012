// SPDX-License-Identifier: Apache-2.0
// largest_uses: picks the few owners that statistics name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "broker/broker_stats.h"

namespace weir::broker {

// Returns the uses with the most bytes, at most so many, the largest first, equal ones by name.
inline std::vector<MemoryUse> largest_uses(std::vector<MemoryUse> uses, std::size_t count_max) {
  const auto is_larger = [](const MemoryUse& a, const MemoryUse& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  };
  const std::size_t count = std::min(count_max, uses.size());
  std::ranges::partial_sort(uses, uses.begin() + static_cast<std::ptrdiff_t>(count), is_larger);
  uses.resize(count);
  return uses;
}

}  // namespace weir::broker
