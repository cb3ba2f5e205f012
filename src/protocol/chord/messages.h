// SPDX-License-Identifier: Apache-2.0
// The messages of Chord: between members, and between a member and its user.
//
// A message carries its sender's id, not its name: a liar could choose a fitting name as well, so a
// name would protect nothing. chord_node.h says what holds against members that lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/chord/peer.h"
#include "protocol/codec.h"
#include "protocol/key_item.h"
#include "protocol/message_list.h"
#include "protocol/slot.h"

namespace weir::protocol::chord {

using protocol::encode;
using protocol::read;

inline constexpr std::size_t kSuccessorsMax = 32;
inline constexpr std::size_t kItemsMax = 512;
inline constexpr std::size_t kItemBytesMax = kMessageBytesMax - 64;  // with room for the rest

constexpr MessageType message_type(std::uint8_t number, std::string_view name, Way ways) {
  return {.kind = {.protocol = ProtocolId::kChord, .number = number}, .name = name, .ways = ways};
}

// Asks where a key lives.
struct Lookup {
  static constexpr MessageType kType = message_type(0, "lookup", Way::kCommand);
  Key key;

  static constexpr auto fields() { return std::tuple{field(&Lookup::key).traced()}; }
};

// Tells the member to hand over its items and leave.
struct Leave {
  static constexpr MessageType kType = message_type(1, "leave", Way::kCommand);

  static constexpr auto fields() { return std::tuple{}; }
};

// Answers Lookup.
struct Found {
  static constexpr MessageType kType = message_type(2, "found", Way::kTold);
  Key key;
  Peer home;
  unsigned hops = 0;

  static constexpr auto fields() {
    return std::tuple{field(&Found::key).traced(), field(&Found::home),
                      field(&Found::hops).hop_count()};
  }
};

// The member has left.
struct Left {
  static constexpr MessageType kType = message_type(3, "left", Way::kTold);

  static constexpr auto fields() { return std::tuple{}; }
};

// Travels from member to member to the home of a key.
struct Find {
  static constexpr MessageType kType = message_type(4, "find", Way::kDirect);
  std::uint64_t number = 0;
  NodeId asker;
  Key key;
  unsigned hops = 0;
  bool is_last = false;  // the sender believes that the receiver is the home
  bool is_hint = false;  // a home that is not settled may answer too

  static constexpr auto fields() {
    return std::tuple{field(&Find::number),       field(&Find::asker),
                      field(&Find::key).traced(), field(&Find::hops).hop_count(),
                      field(&Find::is_last),      field(&Find::is_hint)};
  }
};

// The home answers the asker of a Find.
struct Home {
  static constexpr MessageType kType = message_type(5, "home", Way::kDirect);
  std::uint64_t number = 0;
  Key key;
  Key id;           // id of the sender
  Key predecessor;  // the sender's id if it knows none
  unsigned hops = 0;

  static constexpr auto fields() {
    return std::tuple{field(&Home::number), field(&Home::key).traced(), field(&Home::id),
                      field(&Home::predecessor), field(&Home::hops).hop_count()};
  }
};

// Asks a member for its neighbours.
struct Ask {
  static constexpr MessageType kType = message_type(6, "ask", Way::kDirect);
  std::uint64_t number = 0;
  Key id;
  bool is_predecessor = false;          // the sender believes that the receiver is its successor
  std::optional<Key> predecessor = {};  // the sender's keys begin after it

  static constexpr auto fields() {
    return std::tuple{field(&Ask::number), field(&Ask::id), field(&Ask::is_predecessor),
                      field(&Ask::predecessor)};
  }
};

// Answers Ask.
struct Tell {
  static constexpr MessageType kType = message_type(7, "tell", Way::kDirect);
  std::uint64_t number = 0;
  Key id;
  bool is_moving = false;  // the sender still keeps items that belong to the asker
  std::optional<Peer> predecessor = {};
  std::vector<Peer> successors = {};

  static constexpr auto fields() {
    return std::tuple{field(&Tell::number), field(&Tell::id), field(&Tell::is_moving),
                      field(&Tell::predecessor), field(&Tell::successors).sized(0, kSuccessorsMax)};
  }
};

// Names a member to the one before it on the ring; relayed until it gets there.
struct Introduce {
  static constexpr MessageType kType = message_type(8, "introduce", Way::kDirect);
  Peer peer;
  unsigned hops = 0;

  static constexpr auto fields() {
    return std::tuple{field(&Introduce::peer), field(&Introduce::hops).hop_count()};
  }
};

// The sender leaves.
struct Goodbye {
  static constexpr MessageType kType = message_type(9, "goodbye", Way::kDirect);
  Key id;
  std::optional<Peer> predecessor = {};
  std::vector<Peer> successors = {};

  static constexpr auto fields() {
    return std::tuple{field(&Goodbye::id), field(&Goodbye::predecessor),
                      field(&Goodbye::successors).sized(0, kSuccessorsMax)};
  }
};

// A chunk of a hand-over.
struct Items {
  static constexpr MessageType kType = message_type(10, "items", Way::kDirect);
  std::uint64_t number = 0;
  std::vector<KeyItem> items;

  static constexpr auto fields() {
    return std::tuple{field(&Items::number), field(&Items::items).sized(1, kItemsMax).traced()};
  }
};

// Acknowledges Items.
struct Kept {
  static constexpr MessageType kType = message_type(11, "kept", Way::kDirect);
  std::uint64_t number = 0;

  static constexpr auto fields() { return std::tuple{field(&Kept::number)}; }
};

// Carries a message of the application to the home of a key.
struct RouteEnvelope {
  static constexpr MessageType kType = message_type(12, "route", Way::kDirect);
  NodeId origin;
  Key key;
  unsigned hops = 0;
  bool is_last = false;
  std::string_view carried = {};

  static constexpr auto fields() {
    return std::tuple{field(&RouteEnvelope::origin), field(&RouteEnvelope::key).traced(),
                      field(&RouteEnvelope::hops).hop_count(), field(&RouteEnvelope::is_last),
                      field(&RouteEnvelope::carried).traced()};
  }
};

// Carries a message of the application to the homes of several keys. A trace shows the destinations
// of this copy only: the carried message names all.
struct MulticastEnvelope {
  static constexpr MessageType kType = message_type(13, "multicast", Way::kDirect);
  NodeId origin;
  unsigned hops = 0;
  KeyArc range;  // the receiver brings the message to the homes in this range
  Destinations destinations;
  std::string_view carried = {};

  static constexpr auto fields() {
    return std::tuple{field(&MulticastEnvelope::origin),
                      field(&MulticastEnvelope::hops).hop_count(), field(&MulticastEnvelope::range),
                      field(&MulticastEnvelope::destinations).traced(),
                      field(&MulticastEnvelope::carried)};
  }
};

using Messages = MessageList<Lookup, Leave, Found, Left, Find, Home, Ask, Tell, Introduce, Goodbye,
                             Items, Kept, RouteEnvelope, MulticastEnvelope>;

}  // namespace weir::protocol::chord
