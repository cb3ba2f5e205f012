// SPDX-License-Identifier: Apache-2.0
// RecentEvents: the newest events of the log in memory, found by sequence. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "event/event.h"

namespace weir::broker {

class RecentEvents {
 public:
  explicit RecentEvents(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Sequences must be dense.
  void add(const event::EventPtr& event) {
    bytes_ += event->json().size();
    events_.push_back(event);
    while (bytes_ > bytes_max_) {
      bytes_ -= events_.front()->json().size();
      events_.pop_front();
    }
  }

  // Null if it is not there.
  event::EventPtr find(std::uint64_t sequence) const {
    if (events_.empty() || sequence < events_.front()->sequence()) return nullptr;
    const std::uint64_t index = sequence - events_.front()->sequence();
    return index < events_.size() ? events_[index] : nullptr;
  }

 private:
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::deque<event::EventPtr> events_;
};

}  // namespace weir::broker
