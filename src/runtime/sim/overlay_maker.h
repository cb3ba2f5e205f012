// SPDX-License-Identifier: Apache-2.0
// OverlayMaker: makes the members of a scenario's overlay, each with a probe, and inspects them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/chord/peer.h"
#include "protocol/node.h"
#include "protocol/placement.h"
#include "protocol/ring.h"
#include "runtime/sim/scenario.h"

namespace weir::runtime::sim {

class OverlayMaker {
 public:
  // With `has_sum`, members sum the amounts of users over a tree, which costs messages even without
  // amounts.
  OverlayMaker(const MemberOptions& options, bool has_sum)
      : overlay_(options.overlay),
        ring_(static_cast<unsigned>(options.ring_bits)),
        has_sum_(has_sum) {}

  Overlay overlay() const { return overlay_; }
  const protocol::Ring& ring() const { return ring_; }
  // Returns a member's place on the ring.
  protocol::Key id_of(protocol::NodeId node) const;

  std::unique_ptr<protocol::Node> make(protocol::NodeId node, std::uint64_t seed,
                                       std::vector<protocol::NodeId> contacts) const;
  // Sets the node as if the ring of these members, ascending by place, had stabilised.
  void settle(protocol::Node& node, std::span<const protocol::chord::Peer> members) const;

  const protocol::Placement& placement(const protocol::Node& node) const;
  // Returns the known successor of a member; nullopt for slots.
  std::optional<protocol::NodeId> successor(const protocol::Node& node) const;

  std::string leave_command() const;
  // True if the delivery tells the user that the member has left.
  bool is_left(const protocol::Deliver& deliver) const;

 private:
  Overlay overlay_;
  protocol::Ring ring_;
  bool has_sum_;
};

}  // namespace weir::runtime::sim
