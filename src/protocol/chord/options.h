// SPDX-License-Identifier: Apache-2.0
// ChordOptions: one member's place, whom it asks to let it in, and what it may use.
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
  // Members to join through. Who has no other than itself, or is the first of them, founds a ring
  // at once; others found one when nobody lets them in. Rings that hear of each other merge.
  std::vector<NodeId> contacts = {};

  // Rounds have up to a quarter more or less than these, by chance.
  base::Duration stabilise_interval = base::Duration::seconds(1);
  base::Duration finger_interval = base::Duration::seconds(10);
  base::Duration probe_interval = base::Duration::seconds(5);
  // Both neighbours must have confirmed this member within it, or it is no settled home.
  base::Duration lease = base::Duration::seconds(5);

  base::Duration request_timeout = base::Duration::milliseconds(500);
  unsigned attempts_max = 4;       // of a request, before its target counts as failed
  unsigned join_attempts_max = 8;  // before a member that nobody lets in founds a ring

  std::size_t successors_max = 8;   // r in Chord; at most kSuccessorsMax of messages.h
  std::size_t lookups_max = 64;     // of the user, unanswered at a time
  std::size_t candidates_max = 8;   // asked at a time whether they are what others say
  std::size_t remembered_max = 16;  // members once known, to find again after a partition
  unsigned hops_max = 64;
  std::size_t chunk_bytes_max = 65'536;  // of one message of a hand-over
};

}  // namespace weir::protocol::chord
