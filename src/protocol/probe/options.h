// SPDX-License-Identifier: Apache-2.0
// ProbeOptions: retries and limits of a probe.
#pragma once

#include <cstddef>
#include <optional>

#include "base/instant.h"
#include "protocol/tree/options.h"

namespace weir::protocol::probe {

struct ProbeOptions {
  // A put or a get is sent again after this time without an answer, and fails after try_count_max.
  base::Duration retry_interval = base::Duration::seconds(2);
  unsigned try_count_max = 10;
  std::size_t request_count_max = 10'000;  // waiting for an answer
  std::size_t item_count_max = 100'000;    // kept for keys
  // The tree that sums the amounts of all users. Without it, members send nothing on their own.
  std::optional<tree::AggregationOptions> sum = tree::AggregationOptions{};
};

}  // namespace weir::protocol::probe
