// SPDX-License-Identifier: Apache-2.0
// Loopback: members of a Chord ring that hear each other at once, for tests without a simulator.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/chord/chord_node.h"
#include "protocol/probe/probe_application.h"

namespace weir::protocol::chord {

// Returns a name whose place is `id`; for small rings.
inline std::string name_at(const Ring& ring, Key id) {
  for (std::uint64_t i = 0;; ++i) {
    std::string name = std::to_string(i);
    if (ring.key_of(name) == id) return name;
  }
}

// Addresses are ids plus one.
inline Peer peer_at(std::uint64_t id) { return {.node = {id + 1}, .id = {id}}; }

class Loopback {
 public:
  // Makes a settled ring. Members ascend by id.
  Loopback(const Ring& ring, const std::vector<Peer>& members,
           const std::vector<std::string>& names) {
    for (const Peer& member : members) {
      ChordOptions options{.self = member.node, .name = names[member.id.value]};
      options.ring_bits = ring.bits();
      auto node =
          std::make_unique<ChordNode>(options, 1, std::make_unique<probe::ProbeApplication>());
      node->settle(members);
      Effects effects;
      node->on_wake(now_, effects);
      nodes_.emplace(member.node, std::move(node));
    }
  }

  // Gives a user's command and carries out all effects that follow, except WakeAt.
  void tell(NodeId node, const std::string& message) {
    hear(node, kUser, message);
    while (!queue_.empty()) {
      const auto [target, send] = std::move(queue_.front());
      queue_.pop_front();
      ++send_count;
      hear(send.target, target, send.bytes);
    }
  }

  std::uint64_t send_count = 0;
  std::uint64_t drop_count = 0;
  std::vector<std::pair<NodeId, std::string>> delivered;

 private:
  void hear(NodeId node, NodeId source, const std::string& message) {
    Effects effects;
    nodes_.at(node)->on_message(now_, source, message, effects);
    for (Effect& effect : effects.list()) {
      if (auto* send = std::get_if<Send>(&effect)) queue_.emplace_back(node, std::move(*send));
      if (auto* told = std::get_if<Deliver>(&effect)) delivered.emplace_back(node, told->bytes);
      if (std::holds_alternative<Drop>(effect)) ++drop_count;
    }
  }

  base::Instant now_{1};
  std::map<NodeId, std::unique_ptr<ChordNode>> nodes_;
  std::deque<std::pair<NodeId, Send>> queue_;  // with its source
};

}  // namespace weir::protocol::chord
