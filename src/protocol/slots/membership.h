// SPDX-License-Identifier: Apache-2.0
// Membership: the members that one member has heard of, and the owner of each slot.
//
// An address identifies a member; its incarnation grows with each restart. Each slot belongs to the
// active member with the greatest hash of slot and name (rendezvous hashing). So a member that
// joins or leaves moves only its own slots, and members with the same view agree about all owners.
// A change of view costs one hash for each member and slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "protocol/effects.h"
#include "protocol/slots/messages.h"

namespace weir::protocol::slots {

struct Member {
  std::string name;
  std::uint64_t incarnation = 0;
  std::uint64_t beat = 0;
  MemberState state = MemberState::kJoining;
  std::uint64_t view = 0;  // from its last heartbeat
  base::Instant heard_at;
  std::uint64_t taken_number = 0;  // number of the newest Items taken from it
};

class Membership {
 public:
  // The result of a heartbeat.
  enum class News : std::uint8_t { kNew, kKnown, kStale, kTooMany };

  News hear(base::Instant now, NodeId source, const Heartbeat& heartbeat);
  // Forgets members that were not heard for the lease, but never `self`.
  void expire(base::Instant now, base::Duration lease, NodeId self);
  void clear();

  const Member* find(NodeId id) const;
  Member* find(NodeId id);
  const std::map<NodeId, Member>& all() const { return members_; }

  // Computes the owners. Returns false if the active members have not changed.
  bool update_view();
  std::uint64_t view() const { return view_; }
  // True if the last heartbeats of all active members carry this view.
  bool agrees() const;
  const std::vector<NodeId>& active() const { return active_; }  // ordered by name
  std::optional<NodeId> owner(std::uint32_t slot) const;

 private:
  std::uint64_t hash_of_active() const;
  NodeId owner_by_weight(std::uint32_t slot) const;

  std::map<NodeId, Member> members_;
  std::vector<NodeId> active_;
  std::vector<NodeId> owners_;  // by slot; empty if nobody is active
  std::uint64_t view_ = 0;
};

}  // namespace weir::protocol::slots
