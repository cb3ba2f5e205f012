// SPDX-License-Identifier: Apache-2.0
// Slots: 1 024 equal arcs of the ring of 64 bits, by a key's first bits.
//
// A runtime that has no overlay brings messages to whoever listens to a slot: over NATS each slot
// has a subject.
#pragma once

#include <bit>
#include <cstdint>
#include <variant>
#include <vector>

#include "protocol/ring.h"

namespace weir::protocol {

inline constexpr std::uint32_t kSlotCount = 1024;
inline constexpr unsigned kSlotShift = kRingBitsMax - std::bit_width(kSlotCount - 1);

// Where a multicast goes: to the homes of keys, or of all keys of an arc.
using Destinations = std::variant<std::vector<Key>, KeyArc>;

inline std::uint32_t slot_of(Key key) {
  return static_cast<std::uint32_t>(key.value >> kSlotShift);
}

// The keys of a slot.
KeyArc arc_of(std::uint32_t slot);

// An arc that ends where it begins.
bool is_whole_ring(const Destinations& destinations);

// The slots that hold a destination, each once, ascending.
std::vector<std::uint32_t> slots_of(const Destinations& destinations);

}  // namespace weir::protocol
