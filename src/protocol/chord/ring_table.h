// SPDX-License-Identifier: Apache-2.0
// RingTable: the members that a member knows on the ring, and the next hop to a key.
//
// Successors are the next members clockwise, nearest first. Fingers are the homes of the keys 2^i
// further on: each once, farther than the successor, ascending, about log2 N of 24 bytes. A finger
// comes with the id of the member before it, which tells the keys of the finger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/chord/peer.h"

namespace weir::protocol::chord {

struct Finger {
  Peer peer;
  Key predecessor;

  bool operator==(const Finger&) const = default;
};

struct Hop {
  Peer peer;
  bool is_last = false;  // this peer should be the home

  bool operator==(const Hop&) const = default;
};

class RingTable {
 public:
  RingTable(const Ring& ring, const Peer& self, std::size_t successors_max);

  const Ring& ring() const { return ring_; }
  const Peer& self() const { return self_; }
  const std::optional<Peer>& predecessor() const { return predecessor_; }
  std::optional<Peer> successor() const;
  const std::vector<Peer>& successors() const { return successors_; }
  const std::vector<Finger>& fingers() const { return fingers_; }
  bool is_alone() const { return successors_.empty() && fingers_.empty() && !predecessor_; }
  // Grows with every change.
  std::uint64_t version() const { return version_; }

  // The key lies between the predecessor and this member, or there is no other member.
  bool owns(Key key) const;
  // The peer has a place on this ring, and is not this member.
  bool is_other(const Peer& peer) const;
  // The list goes clockwise from its owner, which is not in it.
  bool is_list_of(const Peer& owner, std::span<const Peer> successors) const;
  bool is_nearer_successor(const Peer& peer) const;
  bool is_nearer_predecessor(const Peer& peer) const;

  void set_predecessor(const std::optional<Peer>& peer);
  // The new list is the successor, then the members of its own list that lie before this member.
  void follow(const Peer& successor, std::span<const Peer> its_successors);
  // Returns true if the node was known.
  bool remove(NodeId node);
  // Removes entries of the peer under another id.
  void correct(const Peer& peer);
  // Sets the next finger beyond this distance, and removes fingers in between.
  void set_finger(std::uint64_t farther_than, const Finger& finger);
  // Removes fingers beyond this distance.
  void cut_fingers(std::uint64_t farther_than);

  // Returns the closest known member before the key, or the successor if the key lies before it.
  // Further attempts return the next closest members. Returns nullopt without a successor.
  std::optional<Hop> hop_to(Key key, unsigned attempt = 0) const;
  // Returns the successor and the fingers. Keys after the `predecessor` of a child, up to that of
  // the next child, are nearest through this child.
  std::vector<Finger> children() const;

  // Sets the table as if the ring of these members had stabilised. They ascend by id and include
  // this one.
  void settle(std::span<const Peer> members);

 private:
  template <typename Predicate>
  bool remove_if(Predicate is_removed);
  // Removes fingers that are not farther than the successor.
  void cut_near_fingers();
  std::uint64_t distance(const Peer& peer) const { return ring_.distance(self_.id, peer.id); }

  Ring ring_;
  Peer self_;
  std::size_t successors_max_;
  std::optional<Peer> predecessor_;
  std::vector<Peer> successors_;
  std::vector<Finger> fingers_;
  std::uint64_t version_ = 0;
};

}  // namespace weir::protocol::chord
