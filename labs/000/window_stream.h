// SPDX-License-Identifier: Apache-2.0
// Time for a workload: which slot an event falls in, and what a sliding window holds then.
//
// The paper gives windows in slots and no length of a slot. Here a steady stream takes 10 000 slots
// (10 events each at the paper's size), so that windows of 100 to 1000 slots are 1 to 10 % of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "000/workload.h"
#include "base/instant.h"

namespace weir::lab {

inline constexpr std::uint32_t kSteadySlotCount = 10'000;

constexpr base::Duration slots(std::uint32_t count) { return base::Duration::seconds(count); }
constexpr base::Instant at_slot(std::uint32_t slot) { return base::Instant{} + slots(slot); }

// The slot of every event. A burst takes the middle third of the time, at a multiple of the rate.
class SlotPlan {
 public:
  SlotPlan(std::size_t event_count, double burst_factor);

  std::uint32_t slot_of(std::size_t event_index) const { return slots_[event_index]; }
  std::uint32_t slot_count() const { return slot_count_; }

 private:
  std::vector<std::uint32_t> slots_;
  std::uint32_t slot_count_;
};

inline SlotPlan steady_slots(std::size_t event_count) { return {event_count, 1.0}; }

// Definition 4: an event is distinct if it was not delivered in the last w slots. Which were
// delivered is what the filter under test said, so that an error is counted once.
class DeliveredWindow {
 public:
  explicit DeliveredWindow(std::uint32_t window_slots) : window_slots_(window_slots) {}

  bool is_distinct(std::uint64_t key, std::uint32_t slot) const {
    const auto found = delivered_.find(key);
    return found == delivered_.end() || slot - found->second >= window_slots_;
  }
  void deliver(std::uint64_t key, std::uint32_t slot) { delivered_[key] = slot; }

 private:
  std::uint32_t window_slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> delivered_;
};

// The most keys that an exact window ever holds in the first third of the time.
std::size_t distinct_in_window_max(const Workload& workload, const SlotPlan& plan,
                                   std::uint32_t window_slots);

}  // namespace weir::lab
