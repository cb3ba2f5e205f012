// SPDX-License-Identifier: Apache-2.0
// HandOver: brings what the application keeps for others' slots to their owners.
//
// For each owner at most one message of items is on its way; the application forgets them when the
// owner has said that it took them. Until then they are sent again and again. A change of view
// begins anew: what was on its way then may arrive twice.
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
  // Sends what is to be sent; again what was sent a retry interval ago.
  void go_on(const Application::Step& step, const Membership& members, base::Duration retry);
  // An owner has taken a message's items; false if nobody waits for that.
  bool taken(const Application::Step& step, NodeId source, std::uint64_t number);
  // All that others own was taken by them, as of the last go_on().
  bool is_done() const;

 private:
  struct Target {
    std::uint32_t next_slot = 0;  // those before were looked at
    std::deque<KeyItem> items;    // of these, what was not sent yet
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
