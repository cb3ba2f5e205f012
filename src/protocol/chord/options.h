// SPDX-License-Identifier: Apache-2.0
// ChordOptions: one member's place on the ring, its contacts, and its limits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/instant.h"
#include "protocol/effects.h"
#include "protocol/ring.h"

namespace weir::protocol::chord {

struct ChordOptions {
  NodeId self = {};
  std::string name = {};  // its SHA-1 is the member's place on the ring
  unsigned ring_bits = kRingBitsMax;
  // Members to join through. A member founds a ring at once if the list names no other member, or
  // names it first; otherwise when no contact lets it in. Rings that hear of each other merge.
  std::vector<NodeId> contacts = {};

  // Intervals vary at random by up to a quarter.
  base::Duration stabilise_interval = base::Duration::seconds(1);
  base::Duration finger_interval = base::Duration::seconds(10);
  base::Duration probe_interval = base::Duration::seconds(5);
  // A member is settled while both neighbours have confirmed it within this time.
  base::Duration lease = base::Duration::seconds(5);

  base::Duration request_timeout = base::Duration::milliseconds(500);
  unsigned attempts_max = 4;       // then the target of a request counts as failed
  unsigned join_attempts_max = 8;  // then a joining member founds a ring

  std::size_t successors_max = 8;   // r in Chord; at most kSuccessorsMax of messages.h
  std::size_t lookups_max = 64;     // unanswered lookups of the user at a time
  std::size_t candidates_max = 8;   // possible neighbours asked at a time
  std::size_t remembered_max = 16;  // lost members, to find again after a partition
  unsigned hops_max = 64;
  std::size_t chunk_bytes_max = 65'536;  // in one message of a hand-over
};

}  // namespace weir::protocol::chord
