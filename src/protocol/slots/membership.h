// SPDX-License-Identifier: Apache-2.0
// Membership: who is there, as one member has heard, and who of them owns which slot.
//
// A member is known by its address; a greater incarnation is the same one after a restart. Each
// slot belongs to the active member with the greatest hash of slot and name (rendezvous hashing),
// so that one who comes or goes moves only its own share, and who knows the same members knows the
// same owners. A change of view costs a hash for each member and slot.
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
  std::uint64_t view = 0;  // as its last heartbeat says
  base::Instant heard_at;
  std::uint64_t taken_number = 0;  // of the newest items taken from it
};

class Membership {
 public:
  // What a heartbeat was.
  enum class News : std::uint8_t { kNew, kKnown, kStale, kTooMany };

  News hear(base::Instant now, NodeId source, const Heartbeat& heartbeat);
  // Forgets all but one who were not heard for the lease.
  void expire(base::Instant now, base::Duration lease, NodeId self);
  void clear();

  const Member* find(NodeId id) const;
  Member* find(NodeId id);
  const std::map<NodeId, Member>& all() const { return members_; }

  // Works the owners out again; false if the active members are the same as before.
  bool update_view();
  std::uint64_t view() const { return view_; }
  // All active members' last heartbeats tell of this view.
  bool agrees() const;
  const std::vector<NodeId>& active() const { return active_; }  // by name
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
