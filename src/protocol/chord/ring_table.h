// SPDX-License-Identifier: Apache-2.0
// RingTable: whom a member knows on the ring, and the next step to a key.
//
// Successors are the next members clockwise, nearest first. Of the fingers (the homes of the keys
// 2^i further on) it keeps those that differ, farther than the successor, ascending: about log2 N
// of 24 bytes. A finger comes with the id of the member before it, so that the keys it is home of
// are known.
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
  bool is_last = false;  // this one should be the home

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
  // Grows whenever something else than before is known.
  std::uint64_t version() const { return version_; }

  // The key lies between the predecessor and this member, or there is no other member.
  bool owns(Key key) const;
  bool is_nearer_successor(const Peer& peer) const;
  bool is_nearer_predecessor(const Peer& peer) const;

  void set_predecessor(const std::optional<Peer>& peer);
  // The list becomes the successor and those of its own list that lie before this member.
  void follow(const Peer& successor, std::span<const Peer> its_successors);
  // True if it was known.
  bool remove(NodeId node);
  // A member has said its id: what is known of it with another one is not so.
  void correct(const Peer& peer);
  // The next finger that is farther than this; those in between are none any more.
  void set_finger(std::uint64_t farther_than, const Finger& finger);
  // There is none farther than this.
  void cut_fingers(std::uint64_t farther_than);

  // The closest known member before the key, or the successor if the key lies before it. Further
  // attempts take the next closest ones.
  std::optional<Hop> hop_to(Key key, unsigned attempt = 0) const;
  // The successor and the fingers, each with the first key bound for it: what lies after
  // `predecessor` up to that of the next one is nearest through it.
  std::vector<Finger> children() const;

  // As if the ring of these members, ascending by id and this one among them, had stabilised.
  void settle(std::span<const Peer> members);

 private:
  template <typename Predicate>
  bool remove_if(Predicate is_removed);
  // Those that are not farther than the successor.
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
