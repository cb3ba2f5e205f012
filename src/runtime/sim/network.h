// SPDX-License-Identifier: Apache-2.0
// Network: decides when each copy of a message arrives, and which are lost.
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
  // Replaces the two above if it is not empty.
  SiteTable sites = {};
  Fraction loss = {};
  Fraction duplication = {};
  // A reordered message takes up to this much longer than its latency; others overtake it.
  Fraction reordering = {};
  base::Duration reordering_delay_max = base::Duration::milliseconds(100);
  // Messages of one link overtake each other only by reordering.
  bool keeps_order = true;
};

class Network {
 public:
  explicit Network(const LinkOptions& options) : options_(options) {}

  LinkOptions& options() { return options_; }

  // Sets `arrivals` to the instants at which copies arrive; none if the message is lost. Members of
  // different groups do not hear each other.
  void carry(protocol::NodeId from, protocol::NodeId to, base::Instant now, base::Prng& prng,
             std::vector<base::Instant>& arrivals);

  void set_group(protocol::NodeId node, std::uint32_t group);
  void heal() { groups_.clear(); }

  // Additional loss, until it is set to zero: of all messages from and to a member, or of messages
  // from one member to another. 1/1 cuts a link in one direction.
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
