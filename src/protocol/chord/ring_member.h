// SPDX-License-Identifier: Apache-2.0
// RingMember: the state that the parts of a ChordNode share.
#pragma once

#include <cstdint>
#include <optional>

#include "base/instant.h"
#include "base/prng.h"
#include "protocol/chord/options.h"
#include "protocol/chord/requests.h"
#include "protocol/chord/ring_table.h"
#include "protocol/chord/steady_clock.h"

namespace weir::protocol::chord {

struct RingMember {
  enum class Phase : std::uint8_t { kNew, kSettledFromStart, kJoining, kMember, kLeaving, kGone };
  // A neighbour confirmed this member at that instant.
  struct Confirmation {
    NodeId node;
    base::Instant instant;
  };

  RingMember(const ChordOptions& member_options, std::uint64_t seed);

  // Both neighbours have confirmed this member within the lease, as of the latest turn.
  bool is_settled() const;
  // The peer has confirmed this member within the duration.
  bool is_confirmed(const std::optional<Confirmation>& confirmation, const Peer& peer,
                    base::Duration within) const;
  // Returns an instant one interval from now, up to a quarter earlier or later.
  base::Instant after(base::Duration interval);

  ChordOptions options;
  base::Prng prng;
  RingTable table;
  Requests requests;
  SteadyClock clock;
  Phase phase = Phase::kNew;
  std::optional<Confirmation> by_predecessor;
  std::optional<Confirmation> by_successor;
};

}  // namespace weir::protocol::chord
