// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/report.h"

#include <algorithm>
#include <cstddef>

namespace weir::runtime::sim {

bool Report::holds() const { return std::ranges::all_of(verdicts, &Verdict::holds); }

double Report::mean_hops() const {
  std::uint64_t count = 0;
  std::uint64_t hops = 0;
  for (std::size_t i = 0; i < hops_histogram.size(); ++i) {
    count += hops_histogram[i];
    hops += hops_histogram[i] * i;
  }
  return count == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(count);
}

}  // namespace weir::runtime::sim
