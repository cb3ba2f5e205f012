// SPDX-License-Identifier: Apache-2.0
// HandOver: brings items that lie here and belong elsewhere to their homes, a chunk at a time.
//
// A chunk is sent again until it is acknowledged, and forgotten only then. The predecessor says
// which keys are its own, and is not settled before it has got their items. For all other items, as
// after a merge, the home of the first one is looked up. The items of a leaving member go to its
// successor. An item larger than kItemBytesMax stays.
#pragma once

#include <optional>
#include <vector>

#include "protocol/chord/messages.h"
#include "protocol/chord/questions.h"
#include "protocol/chord/ring_member.h"
#include "protocol/hosted_application.h"
#include "protocol/turn.h"

namespace weir::protocol::chord {

class HandOver {
 public:
  HandOver(RingMember& member, Questions& questions, HostedApplication& application)
      : member_(member), questions_(questions), application_(application) {}

  // Sends the next chunk, if there is one. Returns true when a leaving member has none left.
  bool go_on(const Turn& turn);
  // Sends a chunk of the items of an arc; nothing if there are none or a chunk is on its way.
  void send_chunk(const Turn& turn, const Peer& target, KeyArc arc);
  bool has_items_of(KeyArc arc) const { return !collect(arc).empty(); }
  // The keys that the predecessor claims; nullopt when there is a new predecessor.
  void set_predecessors_keys(const std::optional<KeyArc>& arc) { predecessors_keys_ = arc; }

  void on(const Turn& turn, NodeId source, const Items& message);
  // Returns true if the chunk was forgotten and the next one may go.
  bool on(const Turn& turn, NodeId source, const Kept& message);

 private:
  std::vector<KeyItem> collect(KeyArc arc) const;

  RingMember& member_;
  Questions& questions_;
  HostedApplication& application_;
  std::optional<KeyArc> predecessors_keys_;
};

}  // namespace weir::protocol::chord
