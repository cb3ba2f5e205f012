// SPDX-License-Identifier: Apache-2.0
// Effects: the actions that a protocol asks for, as data, in the order of its decisions.
//
// A runtime carries them out: runtime/sim in virtual time, runtime/nats over a NATS server. An
// overlay (protocol/chord, protocol/slots) carries out the Route and Multicast of the application
// that it hosts. A Route or Multicast that an overlay leaves to the runtime goes by hash slots:
//
//   Send       to one member
//   Route      to the home of a key; at the runtime: to one listener of the key's slot
//   Multicast  to the homes of keys, or of all keys of an arc, each home once; at the runtime:
//              to the listeners of each slot in it, for the whole ring to every member
//   Listen     start or stop receiving messages that are routed to a slot
//   Deliver    to the user of this member
//   WakeAt     call on_wake at that instant; replaces the previous WakeAt
//   Drop       an input was ignored; the runtime counts it
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "protocol/codec.h"
#include "protocol/drop_reason.h"
#include "protocol/message.h"
#include "protocol/node_id.h"
#include "protocol/ring.h"
#include "protocol/slot.h"

namespace weir::protocol {

struct Send {
  NodeId target;
  MessageKind kind;       // its cost is charged to this kind: of the carried message, if any
  bool is_relay = false;  // a further hop of a message that was counted before
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
  template <typename Message>
  void send(NodeId target, const Message& message) {
    send(target, kind_of<Message>(), encode(message));
  }
  void relay(NodeId target, MessageKind kind, std::string bytes) {
    list_.emplace_back(
        Send{.target = target, .kind = kind, .is_relay = true, .bytes = std::move(bytes)});
  }
  template <typename Message>
  void relay(NodeId target, const Message& message) {
    relay(target, kind_of<Message>(), encode(message));
  }
  void route(Key key, MessageKind kind, std::string bytes) {
    list_.emplace_back(Route{.key = key, .kind = kind, .bytes = std::move(bytes)});
  }
  template <typename Message>
  void route(Key key, const Message& message) {
    route(key, kind_of<Message>(), encode(message));
  }
  // Not inline: g++ 12 warns about the inactive alternatives of the variant.
  void multicast(Destinations destinations, MessageKind kind, std::string bytes);
  template <typename Message>
  void multicast(Destinations destinations, const Message& message) {
    multicast(std::move(destinations), kind_of<Message>(), encode(message));
  }
  void listen(std::uint32_t slot, bool is_on) {
    list_.emplace_back(Listen{.slot = slot, .is_on = is_on});
  }
  void deliver(MessageKind kind, std::string bytes) {
    list_.emplace_back(Deliver{.kind = kind, .bytes = std::move(bytes)});
  }
  template <typename Message>
  void deliver(const Message& message) {
    deliver(kind_of<Message>(), encode(message));
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
