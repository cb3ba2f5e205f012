// SPDX-License-Identifier: Apache-2.0
#include "protocol/slot.h"

#include <algorithm>

namespace weir::protocol {

namespace {

std::vector<std::uint32_t> slots_of_keys(const std::vector<Key>& keys) {
  std::vector<std::uint32_t> slots;
  slots.reserve(keys.size());
  for (const Key key : keys) slots.push_back(slot_of(key));
  return slots;
}

// Returns the slots from that of the arc's first key to that of its last, clockwise.
std::vector<std::uint32_t> slots_of_arc(KeyArc arc) {
  const Ring ring;
  const std::uint32_t first = slot_of(ring.plus(arc.after, 1));
  const std::uint32_t last = slot_of(arc.last);
  const std::uint64_t steps = ring.distance(arc.after, arc.last) - 1;
  const bool goes_round = first == last && (steps >> kSlotShift) > 0;
  std::vector<std::uint32_t> slots{first};
  std::uint32_t slot = first;
  while (slot != last || goes_round) {
    slot = (slot + 1) % kSlotCount;
    if (slot == first) break;
    slots.push_back(slot);
  }
  return slots;
}

}  // namespace

std::vector<Key> in_order(std::vector<Key> keys) {
  std::ranges::sort(keys);
  const auto repeated = std::ranges::unique(keys);
  keys.erase(repeated.begin(), repeated.end());
  return keys;
}

KeyArc arc_of(std::uint32_t slot) {
  const std::uint64_t first = std::uint64_t{slot} << kSlotShift;
  return {.after = {first - 1}, .last = {first + (std::uint64_t{1} << kSlotShift) - 1}};
}

bool is_whole_ring(const Destinations& destinations) {
  const auto* arc = std::get_if<KeyArc>(&destinations);
  return arc != nullptr && arc->after == arc->last;
}

std::vector<std::uint32_t> slots_of(const Destinations& destinations) {
  const auto* arc = std::get_if<KeyArc>(&destinations);
  auto slots =
      arc != nullptr ? slots_of_arc(*arc) : slots_of_keys(std::get<std::vector<Key>>(destinations));
  std::ranges::sort(slots);
  const auto repeated = std::ranges::unique(slots);
  slots.erase(repeated.begin(), repeated.end());
  return slots;
}

}  // namespace weir::protocol
