// SPDX-License-Identifier: Apache-2.0
// The messages of Chord: what its members say to each other, its user's commands and what it
// tells its user.
//
// A message carries the sender's id, not its name: a name could be chosen to fit as well, so that
// it would protect nothing. chord_node.h says what holds against members that lie.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/application.h"
#include "protocol/chord/peer.h"
#include "protocol/message.h"
#include "protocol/slot.h"

namespace weir::protocol::chord {

enum class Kind : std::uint8_t {
  kLookup,     // user's command: where does the key live?
  kLeave,      // user's command: hand everything over and go
  kFound,      // to the user: the answer to kLookup
  kLeft,       // to the user: the member is gone
  kFind,       // relayed to the home of a key
  kHome,       // the home's answer, to the asker
  kAsk,        // who are your neighbours?
  kTell,       // the answer
  kIntroduce,  // relayed to the member before it: you may have to know this one
  kGoodbye,    // the sender leaves
  kItems,      // a chunk of a hand-over
  kKept,       // its acknowledgement
  kRoute,      // carries an application's message to a key's home
  kMulticast,  // the same to several homes
};
inline constexpr std::array<std::string_view, 14> kKindNames{
    "lookup", "leave",     "found",   "left",  "find", "home",  "ask",
    "tell",   "introduce", "goodbye", "items", "kept", "route", "multicast"};

inline constexpr std::size_t kSuccessorsMax = 32;
inline constexpr std::size_t kItemsMax = 512;
inline constexpr std::size_t kItemBytesMax = kMessageBytesMax - 64;  // with room for the rest
inline constexpr std::size_t kDestinationKeysMax = 16'384;

constexpr MessageKind kind_of(Kind kind) {
  return {.protocol = ProtocolId::kChord, .number = static_cast<std::uint8_t>(kind)};
}

struct Lookup {
  static constexpr Kind kKind = Kind::kLookup;
  Key key;

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct Leave {
  static constexpr Kind kKind = Kind::kLeave;

  void write(base::ByteWriter& /*writer*/) const {}
  void read(base::ByteReader& /*reader*/) {}
};

struct Found {
  static constexpr Kind kKind = Kind::kFound;
  Key key;
  Peer home;
  unsigned hops = 0;

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct Left {
  static constexpr Kind kKind = Kind::kLeft;

  void write(base::ByteWriter& /*writer*/) const {}
  void read(base::ByteReader& /*reader*/) {}
};

struct Find {
  static constexpr Kind kKind = Kind::kFind;
  std::uint64_t number = 0;
  NodeId asker;
  Key key;
  unsigned hops = 0;
  bool is_last = false;  // the sender takes the receiver for the home
  bool is_hint = false;  // a home that is not settled may answer too

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct Home {
  static constexpr Kind kKind = Kind::kHome;
  std::uint64_t number = 0;
  Key key;
  Key id;           // of the sender
  Key predecessor;  // the sender's id if it knows none
  unsigned hops = 0;

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct Ask {
  static constexpr Kind kKind = Kind::kAsk;
  std::uint64_t number = 0;
  Key id;
  bool is_predecessor = false;          // the sender takes the receiver for its successor
  std::optional<Key> predecessor = {};  // the sender's keys begin after it

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct Tell {
  static constexpr Kind kKind = Kind::kTell;
  std::uint64_t number = 0;
  Key id;
  bool is_moving = false;  // the sender still keeps what belongs to the asker
  std::optional<Peer> predecessor = {};
  std::vector<Peer> successors = {};

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct Introduce {
  static constexpr Kind kKind = Kind::kIntroduce;
  Peer peer;
  unsigned hops = 0;

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct Goodbye {
  static constexpr Kind kKind = Kind::kGoodbye;
  Key id;
  std::optional<Peer> predecessor = {};
  std::vector<Peer> successors = {};

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct Items {
  static constexpr Kind kKind = Kind::kItems;
  std::uint64_t number = 0;
  std::vector<KeyItem> items;

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct Kept {
  static constexpr Kind kKind = Kind::kKept;
  std::uint64_t number = 0;

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct RouteEnvelope {
  static constexpr Kind kKind = Kind::kRoute;
  NodeId origin;
  Key key;
  unsigned hops = 0;
  bool is_last = false;
  std::string_view carried = {};  // a view, into the message when decoded

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

struct MulticastEnvelope {
  static constexpr Kind kKind = Kind::kMulticast;
  NodeId origin;
  unsigned hops = 0;
  KeyArc range;               // what the receiver is to bring it to
  Destinations destinations;  // keys ascending, each once; or the whole arc
  std::string_view carried = {};

  void write(base::ByteWriter& writer) const;
  void read(base::ByteReader& reader);
};

template <typename Message>
std::string encode(const Message& message) {
  base::ByteWriter writer = begin_message(kind_of(Message::kKind));
  message.write(writer);
  return writer.take();
}

// The body of a message of that kind; false for what no encoder wrote.
template <typename Message>
bool decode(base::ByteReader body, Message& message) {
  message.read(body);
  return body.done();
}

using protocol::read;

}  // namespace weir::protocol::chord
