// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/network.h"

#include <cstddef>

namespace weir::runtime::sim {

namespace {

base::Duration up_to(base::Duration longest, base::Prng& prng) {
  const auto count = static_cast<std::uint64_t>(longest.nanoseconds) + 1;
  return {static_cast<std::int64_t>(prng.next() % count)};
}

base::Duration operator+(base::Duration a, base::Duration b) {
  return {a.nanoseconds + b.nanoseconds};
}

}  // namespace

void Network::carry(protocol::NodeId from, protocol::NodeId to, base::Prng& prng,
                    std::vector<base::Duration>& delays) const {
  delays.clear();
  if (from == to) {
    delays.push_back({});
    return;
  }
  if (group_of(from) != group_of(to) || options_.loss.strikes(prng)) return;
  const int copy_count = options_.duplication.strikes(prng) ? 2 : 1;
  for (int i = 0; i < copy_count; ++i) {
    base::Duration delay = latency(prng);
    if (options_.reordering.strikes(prng)) {
      delay = delay + up_to(options_.reordering_delay_max, prng);
    }
    delays.push_back(delay);
  }
}

void Network::set_group(protocol::NodeId node, std::uint32_t group) {
  if (groups_.size() <= node.value) groups_.resize(node.value + 1);
  groups_[node.value] = group;
}

base::Duration Network::latency(base::Prng& prng) const {
  const base::Duration spread{options_.latency_max.nanoseconds - options_.latency_min.nanoseconds};
  if (spread.nanoseconds == 0) return options_.latency_min;
  return options_.latency_min + up_to(spread, prng);
}

std::uint32_t Network::group_of(protocol::NodeId node) const {
  return node.value < groups_.size() ? groups_[node.value] : 0;
}

}  // namespace weir::runtime::sim
