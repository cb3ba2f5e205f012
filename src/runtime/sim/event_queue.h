// SPDX-License-Identifier: Apache-2.0
// EventQueue: future events, ordered by instant; events of one instant keep the order of push().
//
// A heap with four children per entry, which share a cache line. Events do not move while they
// wait. Holds at most 2^26 events at a time and 2^38 in its life.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/instant.h"

namespace weir::runtime::sim {

template <typename Event>
class EventQueue {
 public:
  void push(base::Instant at, Event event) {
    const std::uint64_t index = put(std::move(event));
    WEIR_CHECK(index <= kIndexMask && next_order_ < (std::uint64_t{1} << (64U - kIndexBits)));
    heap_.push_back(
        {.at = at.nanoseconds, .order_and_index = (next_order_++ << kIndexBits) | index});
    rise(heap_.size() - 1);
  }

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  base::Instant next_at() const { return {heap_.front().at}; }

  Event pop() {
    const std::size_t index = index_of(heap_.front());
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      sink(last);
      __builtin_prefetch(&events_[index_of(heap_.front())]);
    }
    free_.push_back(static_cast<std::uint32_t>(index));
    return std::move(events_[index]);
  }

 private:
  static constexpr unsigned kIndexBits = 26;
  static constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << kIndexBits) - 1;
  static constexpr std::size_t kChildCount = 4;

  struct Entry {
    std::int64_t at = 0;
    std::uint64_t order_and_index = 0;

    bool operator<(const Entry& other) const {
      return at != other.at ? at < other.at : order_and_index < other.order_and_index;
    }
  };

  static std::size_t index_of(const Entry& entry) { return entry.order_and_index & kIndexMask; }

  std::size_t put(Event event) {
    if (free_.empty()) {
      events_.push_back(std::move(event));
      return events_.size() - 1;
    }
    const std::size_t index = free_.back();
    free_.pop_back();
    events_[index] = std::move(event);
    return index;
  }

  void rise(std::size_t place) {
    const Entry entry = heap_[place];
    while (place > 0) {
      const std::size_t parent = (place - 1) / kChildCount;
      if (!(entry < heap_[parent])) break;
      heap_[place] = heap_[parent];
      place = parent;
    }
    heap_[place] = entry;
  }

  // Moves the hole from the top to the bottom, then the entry up from there. The entry came from
  // the bottom, so it rarely rises far.
  void sink(const Entry& entry) {
    std::size_t place = 0;
    for (;;) {
      const std::size_t first = (place * kChildCount) + 1;
      if (first >= heap_.size()) break;
      const std::size_t end = std::min(first + kChildCount, heap_.size());
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        least = heap_[child] < heap_[least] ? child : least;
      }
      heap_[place] = heap_[least];
      place = least;
    }
    heap_[place] = entry;
    rise(place);
  }

  std::vector<Entry> heap_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> free_;
  std::uint64_t next_order_ = 0;
};

}  // namespace weir::runtime::sim
