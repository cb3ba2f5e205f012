// SPDX-License-Identifier: Apache-2.0
// OverlayMaker: the members of a scenario's overlay, each with a probe on it, and what a runner has
// to know of them.
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
  // With a sum, members add up over a tree what users add; it costs messages even if they do not.
  OverlayMaker(const MemberOptions& options, bool has_sum)
      : overlay_(options.overlay),
        ring_(static_cast<unsigned>(options.ring_bits)),
        has_sum_(has_sum) {}

  Overlay overlay() const { return overlay_; }
  const protocol::Ring& ring() const { return ring_; }
  // A member's place on the ring.
  protocol::Key id_of(protocol::NodeId node) const;

  std::unique_ptr<protocol::Node> make(protocol::NodeId node, std::uint64_t seed,
                                       std::vector<protocol::NodeId> contacts) const;
  // The node becomes what it would be if these members, ascending by place, had long been stable.
  void settle(protocol::Node& node, std::span<const protocol::chord::Peer> members) const;

  const protocol::Placement& placement(const protocol::Node& node) const;
  // Whom a member takes for the next one on the ring; none in an overlay without neighbours.
  std::optional<protocol::NodeId> successor(const protocol::Node& node) const;

  std::string leave_command() const;
  // The member tells its user that it has left.
  bool is_left(const protocol::Deliver& deliver) const;

 private:
  Overlay overlay_;
  protocol::Ring ring_;
  bool has_sum_;
};

}  // namespace weir::runtime::sim
