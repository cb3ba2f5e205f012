// SPDX-License-Identifier: Apache-2.0
// HandOver: brings the application's items of other members' slots to their owners.
//
// At most one message of items is on its way to each owner. It is sent again until the owner has
// acknowledged it; then the application forgets the items. A change of view starts all over, so
// items that were on their way may arrive twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/instant.h"
#include "protocol/application.h"
#include "protocol/slots/membership.h"

namespace weir::protocol::slots {

class HandOver {
 public:
  HandOver(NodeId self, Application& application) : self_(self), application_(application) {}

  void begin_anew() { targets_.clear(); }
  // Sends the next items to each owner, and repeats messages that are one retry interval old.
  void go_on(const Application::Step& step, const Membership& members, base::Duration retry);
  // An owner acknowledges a message. Returns false if no such message is on its way.
  bool taken(const Application::Step& step, NodeId source, std::uint64_t number);
  // True if other owners have taken all their items, as of the last go_on().
  bool is_done() const;

 private:
  struct Target {
    std::uint32_t next_slot = 0;  // all slots before it were collected
    std::deque<KeyItem> items;    // collected and not sent yet
    std::optional<Items> sent;
    base::Instant sent_at;
  };

  void send(const Application::Step& step, NodeId id, Target& target);
  void fill(const Application::Step& step, const Membership& members, NodeId id, Target& target);
  void collect(const Application::Step& step, std::uint32_t slot, Target& target);

  NodeId self_;
  Application& application_;
  std::map<NodeId, Target> targets_;
  std::uint64_t number_ = 0;
};

}  // namespace weir::protocol::slots
