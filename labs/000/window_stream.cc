// SPDX-License-Identifier: Apache-2.0
#include "000/window_stream.h"

#include <algorithm>
#include <deque>

namespace weir::lab {

SlotPlan::SlotPlan(std::size_t event_count, double burst_factor) {
  // Thirds of the time with a share of 1, b and 1 of the events; the base rate is the same for
  // every b, so that more events are in less time.
  const double thirds = 2 + burst_factor;
  slot_count_ = static_cast<std::uint32_t>(kSteadySlotCount * 3 / thirds);
  const double third_slots = slot_count_ / 3.0;
  slots_.reserve(event_count);
  for (std::size_t i = 0; i < event_count; ++i) {
    const double part = thirds * static_cast<double>(i) / static_cast<double>(event_count);
    double slot = part * third_slots;
    if (part >= 1 + burst_factor) {
      slot = (part - burst_factor + 1) * third_slots;
    } else if (part >= 1) {
      slot = (1 + (part - 1) / burst_factor) * third_slots;
    }
    slots_.push_back(std::min(static_cast<std::uint32_t>(slot), slot_count_ - 1));
  }
}

std::size_t distinct_in_window_max(const Workload& workload, const SlotPlan& plan,
                                   std::uint32_t window_slots) {
  DeliveredWindow delivered(window_slots);
  std::deque<std::uint32_t> live;  // slots of the deliveries that are in the window
  std::size_t most = 0;
  for (std::size_t i = 0; i < workload.events.size(); ++i) {
    const std::uint32_t slot = plan.slot_of(i);
    if (slot >= plan.slot_count() / 3) break;
    while (!live.empty() && slot - live.front() >= window_slots) live.pop_front();
    if (delivered.is_distinct(workload.events[i].key, slot)) {
      delivered.deliver(workload.events[i].key, slot);
      live.push_back(slot);
    }
    most = std::max(most, live.size());
  }
  return most;
}

}  // namespace weir::lab
