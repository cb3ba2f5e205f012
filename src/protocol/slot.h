// SPDX-License-Identifier: Apache-2.0
// Slot: one of 1 024 equal arcs of the ring of 64 bits. The first bits of a key are its slot.
//
// A runtime without an overlay brings messages to the listeners of a slot. Over NATS each slot has
// a subject.
#pragma once

#include <bit>
#include <cstdint>
#include <variant>
#include <vector>

#include "protocol/ring.h"

namespace weir::protocol {

inline constexpr std::uint32_t kSlotCount = 1024;
inline constexpr unsigned kSlotShift = kRingBitsMax - std::bit_width(kSlotCount - 1);

// A multicast goes to the homes of these keys, or of all keys of an arc.
using Destinations = std::variant<std::vector<Key>, KeyArc>;

// Returns the keys ascending, each once: the only order in which a message can hold them.
std::vector<Key> in_order(std::vector<Key> keys);

inline std::uint32_t slot_of(Key key) {
  return static_cast<std::uint32_t>(key.value >> kSlotShift);
}

// Returns the keys of a slot.
KeyArc arc_of(std::uint32_t slot);

// True for an arc that ends where it begins.
bool is_whole_ring(const Destinations& destinations);

// Returns the slots that hold a destination, each once, ascending.
std::vector<std::uint32_t> slots_of(const Destinations& destinations);

}  // namespace weir::protocol
