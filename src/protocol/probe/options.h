// SPDX-License-Identifier: Apache-2.0
// ProbeOptions: how long a probe asks again, and how much it keeps.
#pragma once

#include <cstddef>
#include <optional>

#include "base/instant.h"
#include "protocol/tree/options.h"

namespace weir::protocol::probe {

struct ProbeOptions {
  // A put or a get is sent again after this long without an answer, and failed after so many tries.
  base::Duration retry_interval = base::Duration::seconds(2);
  unsigned try_count_max = 10;
  std::size_t request_count_max = 10'000;  // that wait for an answer
  std::size_t item_count_max = 100'000;    // kept for keys
  // The tree that sums what users add; without it members say nothing of their own accord.
  std::optional<tree::AggregationOptions> sum = tree::AggregationOptions{};
};

}  // namespace weir::protocol::probe
