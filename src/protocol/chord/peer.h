// SPDX-License-Identifier: Apache-2.0
// Peer: a member's address and its place on the ring.
#pragma once

#include <compare>

#include "protocol/effects.h"
#include "protocol/ring.h"

namespace weir::protocol::chord {

struct Peer {
  NodeId node;
  Key id;

  auto operator<=>(const Peer&) const = default;
};

}  // namespace weir::protocol::chord
