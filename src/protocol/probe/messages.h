// SPDX-License-Identifier: Apache-2.0
// Messages of the probe: a user's commands, what members say to each other, what users are told.
//
// Each struct has its kind; encode() gives the whole message with its header, read<T>() a struct
// back, or none for what no encoder wrote.
//
//   sim.tell(node, encode(Put{.key = key, .text = "hello"}));
//   if (const auto got = read<Got>(deliver.bytes)) ...
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "protocol/effects.h"
#include "protocol/message.h"
#include "protocol/ring.h"
#include "protocol/slot.h"

namespace weir::protocol::probe {

inline constexpr std::array<std::string_view, 13> kKindNames{
    "put",     "get", "cast",  "add",         "stored", "got",   "failed",
    "arrived", "sum", "store", "acknowledge", "fetch",  "answer"};

enum class Kind : std::uint8_t {
  kPut,  // of a user
  kGet,
  kCast,  // goes on to the homes as it is
  kAdd,
  kStored,  // to a user
  kGot,
  kFailed,
  kArrived,
  kSum,
  kStore,  // to the home of a key
  kAcknowledge,
  kFetch,
  kAnswer,
};

constexpr MessageKind kind_of(Kind kind) {
  return {.protocol = ProtocolId::kProbe, .number = static_cast<std::uint8_t>(kind)};
}

inline constexpr std::size_t kTextBytesMax = 65'536;
inline constexpr std::size_t kCastKeysMax = 16'384;

// Which of two texts for a key is the newer: by the clock of who put it, then by the member.
struct Version {
  std::uint64_t number = 0;
  NodeId origin;

  auto operator<=>(const Version&) const = default;
};

struct Put {
  static constexpr Kind kKind = Kind::kPut;
  Key key;
  std::string text;

  bool operator==(const Put&) const = default;
};

struct Get {
  static constexpr Kind kKind = Kind::kGet;
  Key key;

  bool operator==(const Get&) const = default;
};

struct Cast {
  static constexpr Kind kKind = Kind::kCast;
  std::uint64_t number = 0;
  Destinations destinations;
  std::string text;

  bool operator==(const Cast&) const = default;
};

// To this member's part of the sum over all members.
struct Add {
  static constexpr Kind kKind = Kind::kAdd;
  std::int64_t amount = 0;

  bool operator==(const Add&) const = default;
};

struct Stored {
  static constexpr Kind kKind = Kind::kStored;
  Key key;

  bool operator==(const Stored&) const = default;
};

struct Got {
  static constexpr Kind kKind = Kind::kGot;
  Key key;
  std::optional<std::string> text;

  bool operator==(const Got&) const = default;
};

// Nobody answered a put or a get, however often it was sent; a put may have been stored.
struct Failed {
  static constexpr Kind kKind = Kind::kFailed;
  Key key;
  bool is_put = false;

  bool operator==(const Failed&) const = default;
};

struct Arrived {
  static constexpr Kind kKind = Kind::kArrived;
  std::uint64_t number = 0;
  NodeId origin;
  std::vector<Key> keys;  // that this member is the home of; none for an arc
  std::uint32_t hops = 0;

  bool operator==(const Arrived&) const = default;
};

struct Sum {
  static constexpr Kind kKind = Kind::kSum;
  std::int64_t sum = 0;
  std::uint64_t member_count = 0;
  std::uint64_t version = 0;

  bool operator==(const Sum&) const = default;
};

struct Store {
  static constexpr Kind kKind = Kind::kStore;
  Key key;
  std::uint64_t number = 0;
  std::string text;

  bool operator==(const Store&) const = default;
};

struct Acknowledge {
  static constexpr Kind kKind = Kind::kAcknowledge;
  Key key;
  std::uint64_t number = 0;

  bool operator==(const Acknowledge&) const = default;
};

struct Fetch {
  static constexpr Kind kKind = Kind::kFetch;
  Key key;
  std::uint64_t number = 0;

  bool operator==(const Fetch&) const = default;
};

struct Answer {
  static constexpr Kind kKind = Kind::kAnswer;
  Key key;
  std::uint64_t number = 0;
  std::optional<std::string> text;

  bool operator==(const Answer&) const = default;
};

std::string encode(const Put& message);
std::string encode(const Get& message);
std::string encode(const Cast& message);
std::string encode(const Add& message);
std::string encode(const Stored& message);
std::string encode(const Got& message);
std::string encode(const Failed& message);
std::string encode(const Arrived& message);
std::string encode(const Sum& message);
std::string encode(const Store& message);
std::string encode(const Acknowledge& message);
std::string encode(const Fetch& message);
std::string encode(const Answer& message);

// The body of a message of that kind; false for what no encoder wrote.
bool decode(base::ByteReader body, Put& message);
bool decode(base::ByteReader body, Get& message);
bool decode(base::ByteReader body, Cast& message);
bool decode(base::ByteReader body, Add& message);
bool decode(base::ByteReader body, Stored& message);
bool decode(base::ByteReader body, Got& message);
bool decode(base::ByteReader body, Failed& message);
bool decode(base::ByteReader body, Arrived& message);
bool decode(base::ByteReader body, Sum& message);
bool decode(base::ByteReader body, Store& message);
bool decode(base::ByteReader body, Acknowledge& message);
bool decode(base::ByteReader body, Fetch& message);
bool decode(base::ByteReader body, Answer& message);

using protocol::read;

// What is kept for a key, as it is handed over to another home.
struct Item {
  Version version;
  std::string text;

  bool operator==(const Item&) const = default;
};
std::string encode_item(const Item& item);
std::optional<Item> decode_item(std::string_view bytes);

}  // namespace weir::protocol::probe
