// SPDX-License-Identifier: Apache-2.0
// Contacts: members outside the ring table through which a member joins a ring, or finds one from
// which it was cut off.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "protocol/chord/ring_member.h"

namespace weir::protocol::chord {

class Contacts {
 public:
  explicit Contacts(RingMember& member) : member_(member) {}

  // Draws the first turn, so that members that start together do not all begin with one contact.
  void start();
  // True if the options name no other member, or name this one first.
  bool is_founder() const;
  // Returns the next member to ask: in turn a contact, then a remembered member or a finger, so
  // that each gets its turn. A joining member knows contacts only. Returns nullopt if it knows
  // nobody.
  std::optional<NodeId> next();
  // Keeps a member that the table lost. A random other one gives way when the limit is reached.
  void remember(NodeId node);
  void forget(NodeId node);

 private:
  RingMember& member_;
  std::vector<NodeId> remembered_;
  std::size_t turn_ = 0;
};

}  // namespace weir::protocol::chord
