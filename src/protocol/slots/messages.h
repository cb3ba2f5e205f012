// SPDX-License-Identifier: Apache-2.0
// The messages of protocol/slots: between members, and between a member and its user.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "protocol/codec.h"
#include "protocol/key_item.h"
#include "protocol/message_list.h"
#include "protocol/slot.h"
#include "protocol/slots/options.h"

namespace weir::protocol::slots {

using SlotSet = std::bitset<kSlotCount>;

// Joining: learns who is there. Active: owns slots. Leaving: hands over. Left: has gone for good.
enum class MemberState : std::uint8_t { kJoining, kActive, kLeaving, kLeft };
inline constexpr std::array<std::string_view, 4> kMemberStateNames{"joining", "active", "leaving",
                                                                   "left"};

}  // namespace weir::protocol::slots

namespace weir::protocol {

template <>
inline constexpr std::size_t kEnumeratorCount<slots::MemberState> = slots::kMemberStateNames.size();

}  // namespace weir::protocol

namespace weir::protocol::slots {

using protocol::encode;
using protocol::read;

constexpr MessageType message_type(std::uint8_t number, std::string_view name, Way ways) {
  return {.kind = {.protocol = ProtocolId::kSlots, .number = number}, .name = name, .ways = ways};
}

struct Heartbeat {
  static constexpr MessageType kType = message_type(0, "heartbeat", Way::kDirect);
  std::string name;
  std::uint64_t incarnation = 0;  // greater after a restart
  std::uint64_t beat = 0;         // greater in each heartbeat of an incarnation
  MemberState state = MemberState::kJoining;
  std::uint64_t view = 0;  // hash of the active members, as the sender knows them

  static constexpr auto fields() {
    return std::tuple{field(&Heartbeat::name).sized(1, kNameBytesMax),
                      field(&Heartbeat::incarnation), field(&Heartbeat::beat),
                      field(&Heartbeat::state), field(&Heartbeat::view)};
  }
};

// The slots of an arc that one message goes to.
struct ArcSlots {
  KeyArc arc;
  SlotSet slots;

  // At least one slot, and only slots of the arc.
  bool is_valid() const {
    SlotSet others = slots;
    for (const std::uint32_t slot : slots_of(arc)) others.reset(slot);
    return slots.any() && others.none();
  }
  static constexpr auto fields() {
    return std::tuple{field(&ArcSlots::arc).traced(), field(&ArcSlots::slots)};
  }
};

// Carries a message of the application to the homes of keys. Origin, incarnation and number
// identify it, in however many pieces it travels.
struct Envelope {
  static constexpr MessageType kType = message_type(1, "envelope", Way::kDirect);
  NodeId origin;
  std::uint64_t incarnation = 0;
  std::uint64_t number = 0;
  unsigned hops = 0;
  std::variant<std::vector<Key>, ArcSlots> destination;
  std::string message;

  static constexpr auto fields() {
    return std::tuple{field(&Envelope::origin),
                      field(&Envelope::incarnation),
                      field(&Envelope::number),
                      field(&Envelope::hops).hop_count(),
                      field(&Envelope::destination).traced(),
                      field(&Envelope::message)};
  }
};

// A chunk of a hand-over; keys ascend.
struct Items {
  static constexpr MessageType kType = message_type(2, "items", Way::kDirect);
  std::uint64_t number = 0;
  std::vector<KeyItem> items;

  bool is_valid() const { return std::ranges::is_sorted(items, {}, &KeyItem::key); }
  static constexpr auto fields() {
    return std::tuple{field(&Items::number),
                      field(&Items::items).sized(1, kChunkItemsMax).traced()};
  }
};

// Acknowledges Items.
struct Taken {
  static constexpr MessageType kType = message_type(3, "taken", Way::kDirect);
  std::uint64_t number = 0;

  static constexpr auto fields() { return std::tuple{field(&Taken::number)}; }
};

// Tells the member to hand over its items and leave.
struct Leave {
  static constexpr MessageType kType = message_type(4, "leave", Way::kCommand);

  static constexpr auto fields() { return std::tuple{}; }
};

// The member has left.
struct Left {
  static constexpr MessageType kType = message_type(5, "left", Way::kTold);
  std::uint64_t unmoved_count = 0;  // items that no other member took

  static constexpr auto fields() { return std::tuple{field(&Left::unmoved_count)}; }
};

// Asks for a View.
struct Show {
  static constexpr MessageType kType = message_type(6, "show", Way::kCommand);

  static constexpr auto fields() { return std::tuple{}; }
};

// All members that this one knows, and its own slots.
struct View {
  static constexpr MessageType kType = message_type(7, "view", Way::kTold);
  struct Entry {
    NodeId id;
    std::string name;
    MemberState state = MemberState::kJoining;

    static constexpr auto fields() {
      return std::tuple{field(&Entry::id), field(&Entry::name).sized(1, kNameBytesMax),
                        field(&Entry::state)};
    }
  };
  MemberState state = MemberState::kJoining;
  bool is_settled = false;
  SlotSet own_slots;
  std::vector<Entry> members;  // this one included

  static constexpr auto fields() {
    return std::tuple{field(&View::state), field(&View::is_settled), field(&View::own_slots),
                      field(&View::members).sized(0, kMembersMax)};
  }
};

using Messages = MessageList<Heartbeat, Envelope, Items, Taken, Leave, Left, Show, View>;

}  // namespace weir::protocol::slots
