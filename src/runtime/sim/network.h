// SPDX-License-Identifier: Apache-2.0
// Network: when, how often and whether at all a message arrives.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/prng.h"
#include "protocol/effects.h"
#include "runtime/sim/fraction.h"
#include "runtime/sim/link_order.h"
#include "runtime/sim/site_table.h"

namespace weir::runtime::sim {

struct LinkOptions {
  base::Duration latency_min = base::Duration::milliseconds(10);
  base::Duration latency_max = base::Duration::milliseconds(10);
  // In place of the two above, if there is one.
  SiteTable sites = {};
  Fraction loss = {};
  Fraction duplication = {};
  // A reordered message takes up to this much longer than its latency, and others overtake it.
  Fraction reordering = {};
  base::Duration reordering_delay_max = base::Duration::milliseconds(100);
  // Messages of one link do not overtake each other but by reordering.
  bool keeps_order = true;
};

class Network {
 public:
  explicit Network(const LinkOptions& options) : options_(options) {}

  LinkOptions& options() { return options_; }

  // When the copies of a message arrive: none if it is lost. Members of different groups do not
  // hear each other.
  void carry(protocol::NodeId from, protocol::NodeId to, base::Instant now, base::Prng& prng,
             std::vector<base::Instant>& arrivals);

  void set_group(protocol::NodeId node, std::uint32_t group);
  void heal() { groups_.clear(); }

  // Loss besides the network's own, until it is set to none: of all that a member sends or should
  // hear, or of what one sends to another. With 1/1 a link is cut in one direction.
  void set_loss(protocol::NodeId node, Fraction loss);
  void set_loss(protocol::NodeId from, protocol::NodeId to, Fraction loss);

 private:
  bool needs_order() const;
  bool is_lost(protocol::NodeId from, protocol::NodeId to, base::Prng& prng) const;
  base::Duration latency(protocol::NodeId from, protocol::NodeId to, base::Prng& prng) const;
  std::uint32_t group_of(protocol::NodeId node) const;

  LinkOptions options_;
  LinkOrder order_;
  std::vector<std::uint32_t> groups_;
  std::map<protocol::NodeId, Fraction> member_losses_;
  std::map<std::pair<protocol::NodeId, protocol::NodeId>, Fraction> link_losses_;
};

}  // namespace weir::runtime::sim
