// SPDX-License-Identifier: Apache-2.0
// SiteTable: measured round trips between sites. Members are spread over the sites in the order of
// their addresses.
#pragma once

#include <cstddef>
#include <vector>

#include "base/instant.h"
#include "base/prng.h"
#include "protocol/effects.h"
#include "runtime/sim/fraction.h"

namespace weir::runtime::sim {

struct SiteTable {
  std::size_t site_count = 0;               // 0: no table
  std::vector<base::Duration> round_trips;  // row by row, site_count in each
  // A message takes up to this share of its latency longer.
  Fraction jitter;

  bool is_empty() const { return site_count == 0; }
  std::size_t site_of(protocol::NodeId node) const { return (node.value - 1) % site_count; }
  // Returns the latency of one way. Requires a table.
  base::Duration latency(protocol::NodeId from, protocol::NodeId to, base::Prng& prng) const;
};

}  // namespace weir::runtime::sim
