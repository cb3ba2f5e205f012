// SPDX-License-Identifier: Apache-2.0
// The messages of protocol/slots. All are little-endian; text is a varint length and bytes.
//
//   heartbeat  text name | u64 incarnation | varint beat | u8 state | u64 view
//   envelope   u64 origin | u64 incarnation | varint number | u8 hops | destination | text message
//     destination   u8 0 | varint count | u64 key, ascending
//                   u8 1 | u64 after | u64 last | 128 bytes: the arc's slots that are meant
//   items      varint number | varint count | (u64 key | text bytes), keys ascending
//   taken      varint number
//   leave      (from the user)          left   varint unmoved (to the user)
//   show       (from the user)          view   u8 state | u8 is_settled | 128 bytes: own slots |
//                                              varint count | (u64 id | text name | u8 state)
//
// read<T>() of protocol/message.h gives a struct back.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/application.h"
#include "protocol/message.h"
#include "protocol/slot.h"

namespace weir::protocol::slots {

enum class Kind : std::uint8_t {
  kHeartbeat,
  kEnvelope,
  kItems,
  kTaken,
  kLeave,
  kLeft,
  kShow,
  kView,
};
inline constexpr std::array<std::string_view, 8> kKindNames{
    "heartbeat", "envelope", "items", "taken", "leave", "left", "show", "view"};

constexpr MessageKind kind_of(Kind kind) {
  return {.protocol = ProtocolId::kSlots, .number = static_cast<std::uint8_t>(kind)};
}

using SlotSet = std::bitset<kSlotCount>;

// Joining: hears who is there. Active: owns slots. Leaving: hands over. Left: gone for good.
enum class MemberState : std::uint8_t { kJoining, kActive, kLeaving, kLeft };
inline constexpr std::array<std::string_view, 4> kMemberStateNames{"joining", "active", "leaving",
                                                                   "left"};

struct Heartbeat {
  static constexpr Kind kKind = Kind::kHeartbeat;
  std::string name;
  std::uint64_t incarnation = 0;  // greater after a restart
  std::uint64_t beat = 0;         // greater in each heartbeat of an incarnation
  MemberState state = MemberState::kJoining;
  std::uint64_t view = 0;  // hash of the active members, as the sender knows them
};

// The slots of an arc that one message goes to.
struct ArcSlots {
  KeyArc arc;
  SlotSet slots;
};

// An application's message on its way to the homes of keys. Origin, incarnation and number name it,
// in however many pieces it travels.
struct Envelope {
  static constexpr Kind kKind = Kind::kEnvelope;
  NodeId origin;
  std::uint64_t incarnation = 0;
  std::uint64_t number = 0;
  std::uint8_t hops = 0;
  std::variant<std::vector<Key>, ArcSlots> destination;
  std::string message;
};

struct Items {
  static constexpr Kind kKind = Kind::kItems;
  std::uint64_t number = 0;
  std::vector<KeyItem> items;
};

struct Taken {
  static constexpr Kind kKind = Kind::kTaken;
  std::uint64_t number = 0;
};

struct Left {
  static constexpr Kind kKind = Kind::kLeft;
  std::uint64_t unmoved_count = 0;  // items that nobody was there to take
};

struct View {
  static constexpr Kind kKind = Kind::kView;
  struct Entry {
    NodeId id;
    std::string name;
    MemberState state = MemberState::kJoining;
  };
  MemberState state = MemberState::kJoining;
  bool is_settled = false;
  SlotSet own_slots;
  std::vector<Entry> members;  // this one too
};

std::string encode(const Heartbeat& heartbeat);
std::string encode(const Envelope& envelope);
std::string encode(const Items& items);
std::string encode(Taken taken);
std::string encode(Left left);
std::string encode(const View& view);
std::string encode_leave();
std::string encode_show();

// The body of a message of that kind; false for what no encoder wrote.
bool decode(base::ByteReader body, Heartbeat& heartbeat);
bool decode(base::ByteReader body, Envelope& envelope);
bool decode(base::ByteReader body, Items& items);
bool decode(base::ByteReader body, Taken& taken);
bool decode(base::ByteReader body, Left& left);
bool decode(base::ByteReader body, View& view);

}  // namespace weir::protocol::slots
