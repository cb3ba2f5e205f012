// SPDX-License-Identifier: Apache-2.0
// RecentEvents: the newest events of the log in memory, found by sequence. Single-threaded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "event/event.h"

namespace weir::broker {

class RecentEvents {
 public:
  explicit RecentEvents(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Sequences must ascend; those that a repair of the log went on without are left out. So many
  // bytes are counted for the event.
  void add(const event::EventPtr& event, std::size_t memory_bytes) {
    bytes_ += memory_bytes;
    events_.push_back({event, memory_bytes});
    while (bytes_ > bytes_max_) {
      bytes_ -= events_.front().memory_bytes;
      events_.pop_front();
    }
  }

  // visit(event), the newest first, up to so many.
  template <typename Visit>
  void for_each_newest(std::size_t count_max, const Visit& visit) const {
    const std::size_t count = std::min(count_max, events_.size());
    for (std::size_t i = 0; i < count; ++i) visit(events_[events_.size() - 1 - i].event);
  }

  // Null if it is not there.
  event::EventPtr find(std::uint64_t sequence) const {
    if (events_.empty() || sequence < events_.front().event->sequence()) return nullptr;
    // Where it is if none is left out; else it is before that.
    const std::uint64_t index = sequence - events_.front().event->sequence();
    if (index < events_.size() && events_[index].event->sequence() == sequence) {
      return events_[index].event;
    }
    const auto found = std::ranges::lower_bound(
        events_, sequence, {}, [](const Entry& entry) { return entry.event->sequence(); });
    const bool is_there = found != events_.end() && found->event->sequence() == sequence;
    return is_there ? found->event : nullptr;
  }

 private:
  struct Entry {
    event::EventPtr event;
    std::size_t memory_bytes;
  };

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::deque<Entry> events_;
};

}  // namespace weir::broker
