// SPDX-License-Identifier: Apache-2.0
// EventQueue: what is going to happen, by instant, and in the order it was put in where those are
// equal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/instant.h"

namespace weir::runtime::sim {

template <typename Event>
class EventQueue {
 public:
  void push(base::Instant at, Event event) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(events_.size());
      events_.push_back(std::move(event));
    } else {
      slot = free_.back();
      free_.pop_back();
      events_[slot] = std::move(event);
    }
    heap_.push_back({.at = at, .order = next_order_++, .slot = slot});
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  base::Instant next_at() const { return heap_.front().at; }

  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    const std::uint32_t slot = heap_.back().slot;
    heap_.pop_back();
    free_.push_back(slot);
    return std::move(events_[slot]);
  }

 private:
  struct Entry {
    base::Instant at;
    std::uint64_t order = 0;
    std::uint32_t slot = 0;
  };

  static bool is_later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }

  std::vector<Entry> heap_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> free_;
  std::uint64_t next_order_ = 0;
};

}  // namespace weir::runtime::sim
