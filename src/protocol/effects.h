// SPDX-License-Identifier: Apache-2.0
// Effects: what a protocol wants done, as data, in the order it was decided.
//
// A runtime carries them out: runtime/sim in virtual time, runtime/nats over a NATS server. An
// overlay (protocol/chord, protocol/slots) carries out the Route and Multicast of the application
// that it hosts; those that an overlay itself leaves to the runtime go by hash slots:
//
//   Send       to one member
//   Route      to the home of a key; at the runtime: to one of those who listen to the key's slot
//   Multicast  to the homes of keys, or of all keys of an arc, each home once; at the runtime:
//              to the listeners of each slot concerned, for the whole ring to every member
//   Listen     begin or cease to receive what is routed to a slot
//   Deliver    to the user of this member
//   WakeAt     call on_wake then; replaces what was asked for before
//   Drop       an input was ignored: counted, nothing else
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "base/strong_id.h"
#include "protocol/drop_reason.h"
#include "protocol/message.h"
#include "protocol/ring.h"
#include "protocol/slot.h"

namespace weir::protocol {

// A member's address. A runtime gives it, and vouches for it as the source of a message.
using NodeId = base::StrongId<struct NodeTag>;

// The source of a user's commands to the member; never that of a message from another one.
inline constexpr NodeId kUser{0};

struct Send {
  NodeId target;
  MessageKind kind;       // whom its cost is charged to: what it carries, if it carries something
  bool is_relay = false;  // a further hop of a message that is already counted
  std::string bytes;
};

struct Route {
  Key key;
  MessageKind kind;
  std::string bytes;
};

struct Multicast {
  Destinations destinations;
  MessageKind kind;
  std::string bytes;
};

struct Listen {
  std::uint32_t slot = 0;
  bool is_on = false;
};

struct Deliver {
  MessageKind kind;
  std::string bytes;
};

struct WakeAt {
  base::Instant instant;
};

struct Drop {
  DropReason reason = DropReason::kMalformed;
};

using Effect = std::variant<Send, Route, Multicast, Listen, Deliver, WakeAt, Drop>;

class Effects {
 public:
  void send(NodeId target, MessageKind kind, std::string bytes) {
    list_.emplace_back(Send{.target = target, .kind = kind, .bytes = std::move(bytes)});
  }
  void relay(NodeId target, MessageKind kind, std::string bytes) {
    list_.emplace_back(
        Send{.target = target, .kind = kind, .is_relay = true, .bytes = std::move(bytes)});
  }
  void route(Key key, MessageKind kind, std::string bytes) {
    list_.emplace_back(Route{.key = key, .kind = kind, .bytes = std::move(bytes)});
  }
  // Not inline: g++ 12 takes the parts of a variant that are not in use for a mistake.
  void multicast(Destinations destinations, MessageKind kind, std::string bytes);
  void listen(std::uint32_t slot, bool is_on) {
    list_.emplace_back(Listen{.slot = slot, .is_on = is_on});
  }
  void deliver(MessageKind kind, std::string bytes) {
    list_.emplace_back(Deliver{.kind = kind, .bytes = std::move(bytes)});
  }
  void wake_at(base::Instant instant) { list_.emplace_back(WakeAt{instant}); }
  void drop(DropReason reason) { list_.emplace_back(Drop{reason}); }

  void add(Effect effect) { list_.emplace_back(std::move(effect)); }

  std::vector<Effect>& list() { return list_; }
  const std::vector<Effect>& list() const { return list_; }
  void clear() { list_.clear(); }

 private:
  std::vector<Effect> list_;
};

}  // namespace weir::protocol
