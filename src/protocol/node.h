// SPDX-License-Identifier: Apache-2.0
// Node: one member's side of a distributed protocol, as a pure state machine.
//
// A node owns no socket, thread, clock or random source (its constructor takes a seed). A runtime
// tells it of every event, and it appends effects. The same calls give the same effects on every
// machine. The first call is on_wake. Messages may be lost, repeated, late or forged, but `source`
// is correct.
#pragma once

#include <string_view>

#include "base/instant.h"
#include "protocol/effects.h"

namespace weir::protocol {

class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  virtual void on_message(base::Instant now, NodeId source, std::string_view message,
                          Effects& effects) = 0;
  // The instant of the last WakeAt has come, or the member has just (re)started.
  virtual void on_wake(base::Instant now, Effects& effects) = 0;
};

}  // namespace weir::protocol
