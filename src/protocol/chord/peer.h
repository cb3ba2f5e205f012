// SPDX-License-Identifier: Apache-2.0
// Peer: a member's address and its place on the ring.
#pragma once

#include <compare>
#include <tuple>

#include "protocol/field.h"
#include "protocol/node_id.h"
#include "protocol/ring.h"

namespace weir::protocol::chord {

struct Peer {
  NodeId node;
  Key id;

  auto operator<=>(const Peer&) const = default;

  static constexpr auto fields() { return std::tuple{field(&Peer::node), field(&Peer::id)}; }
};

}  // namespace weir::protocol::chord
