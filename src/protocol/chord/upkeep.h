// SPDX-License-Identifier: Apache-2.0
// Upkeep: keeps a member's place on the ring: joining, stabilising, fingers, merging, leaving.
#pragma once

#include <cstdint>
#include <vector>

#include "base/instant.h"
#include "protocol/chord/contacts.h"
#include "protocol/chord/hand_over.h"
#include "protocol/chord/messages.h"
#include "protocol/chord/questions.h"
#include "protocol/chord/ring_member.h"
#include "protocol/turn.h"

namespace weir::protocol::chord {

class Upkeep {
 public:
  Upkeep(RingMember& member, Contacts& contacts, Questions& questions, HandOver& hand_over)
      : member_(member), contacts_(contacts), questions_(questions), hand_over_(hand_over) {}

  // Begins as a member of a settled ring, or joins one.
  void start(const Turn& turn);
  void run_due(const Turn& turn);
  base::Instant next_wake() const;
  // Continues the hand-over, and says goodbye when a leaving member has nothing left.
  void move_items(const Turn& turn);

  void on(const Turn& turn, NodeId source, const Ask& message);
  void on(const Turn& turn, NodeId source, const Tell& message);
  void on(const Turn& turn, NodeId source, const Introduce& message);
  void on(const Turn& turn, NodeId source, const Goodbye& message);

  // A lookup for the ring's own purposes found the home.
  void on_found(const Turn& turn, const Request& request, const Finger& home);
  // A request was not answered after all attempts.
  void on_failed(const Turn& turn, const Request& request);

 private:
  void found_ring();
  void join(const Turn& turn);
  void stabilise(const Turn& turn);
  void fix_finger(const Turn& turn, std::uint64_t farther_than);
  void found_finger(const Turn& turn, const Request& request, const Finger& finger);
  void probe(const Turn& turn);
  // Asks a peer that may be a nearer successor.
  void consider(const Turn& turn, const Peer& peer);
  void adopt_successor(const Turn& turn, const Peer& peer, const Tell& tell);
  void adopt_predecessor(const Turn& turn, const Peer& peer);
  void heard_successor(const Turn& turn, const Peer& peer, const Tell& tell);
  void heard_predecessor(const Turn& turn, const Peer& peer, const Tell& tell);
  // The peer believes that this member is its successor.
  void claimed_by(const Turn& turn, const Peer& peer);
  void learned(const Turn& turn, const Peer& peer);
  void lose(NodeId node);
  void say_goodbye(const Turn& turn);

  RingMember& member_;
  Contacts& contacts_;
  Questions& questions_;
  HandOver& hand_over_;
  unsigned join_attempt_ = 0;
  base::Instant next_stabilise_;
  base::Instant next_fingers_;
  base::Instant next_probe_;
};

}  // namespace weir::protocol::chord
