// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/network.h"

#include <cstddef>

namespace weir::runtime::sim {

namespace {

base::Duration up_to(base::Duration longest, base::Prng& prng) {
  const auto count = static_cast<std::uint64_t>(longest.nanoseconds) + 1;
  return {static_cast<std::int64_t>(prng.next() % count)};
}

template <typename Key>
void set_in(std::map<Key, Fraction>& losses, const Key& key, Fraction loss) {
  if (loss.is_zero()) {
    losses.erase(key);
  } else {
    losses[key] = loss;
  }
}

template <typename Key>
bool strikes_in(const std::map<Key, Fraction>& losses, const Key& key, base::Prng& prng) {
  if (losses.empty()) return false;
  const auto found = losses.find(key);
  return found != losses.end() && found->second.strikes(prng);
}

}  // namespace

void Network::carry(protocol::NodeId from, protocol::NodeId to, base::Instant now, base::Prng& prng,
                    std::vector<base::Instant>& arrivals) {
  arrivals.clear();
  if (from == to) {
    arrivals.push_back(now);
    return;
  }
  if (is_lost(from, to, prng)) return;
  const int copy_count = options_.duplication.strikes(prng) ? 2 : 1;
  for (int i = 0; i < copy_count; ++i) {
    const base::Instant arrival = now + latency(from, to, prng);
    if (options_.reordering.strikes(prng)) {
      arrivals.push_back(arrival + up_to(options_.reordering_delay_max, prng));
    } else {
      arrivals.push_back(needs_order() ? order_.arrange(from, to, now, arrival) : arrival);
    }
  }
}

void Network::set_group(protocol::NodeId node, std::uint32_t group) {
  if (groups_.size() <= node.value) groups_.resize(node.value + 1);
  groups_[node.value] = group;
}

void Network::set_loss(protocol::NodeId node, Fraction loss) { set_in(member_losses_, node, loss); }

void Network::set_loss(protocol::NodeId from, protocol::NodeId to, Fraction loss) {
  set_in(link_losses_, {from, to}, loss);
}

// With one latency for all, messages arrive in order anyway.
bool Network::needs_order() const {
  const bool varies = options_.sites.is_empty() ? options_.latency_min != options_.latency_max
                                                : !options_.sites.jitter.is_zero();
  return options_.keeps_order && varies;
}

bool Network::is_lost(protocol::NodeId from, protocol::NodeId to, base::Prng& prng) const {
  return group_of(from) != group_of(to) || options_.loss.strikes(prng) ||
         strikes_in(member_losses_, from, prng) || strikes_in(member_losses_, to, prng) ||
         strikes_in(link_losses_, {from, to}, prng);
}

base::Duration Network::latency(protocol::NodeId from, protocol::NodeId to,
                                base::Prng& prng) const {
  if (!options_.sites.is_empty()) return options_.sites.latency(from, to, prng);
  const base::Duration spread{options_.latency_max.nanoseconds - options_.latency_min.nanoseconds};
  if (spread.nanoseconds == 0) return options_.latency_min;
  return {options_.latency_min.nanoseconds + up_to(spread, prng).nanoseconds};
}

std::uint32_t Network::group_of(protocol::NodeId node) const {
  return node.value < groups_.size() ? groups_[node.value] : 0;
}

}  // namespace weir::runtime::sim
