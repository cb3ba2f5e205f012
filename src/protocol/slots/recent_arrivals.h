// SPDX-License-Identifier: Apache-2.0
// RecentArrivals: the last kRecentMax deliveries, to recognise repeated messages. The oldest is
// forgotten first.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <tuple>

#include "protocol/effects.h"
#include "protocol/slots/options.h"

namespace weir::protocol::slots {

class RecentArrivals {
 public:
  // Origin, incarnation and number of a message, and its slot.
  using Entry = std::tuple<NodeId, std::uint64_t, std::uint64_t, std::uint32_t>;

  // Returns false if the entry is there already.
  bool insert(const Entry& entry) {
    if (!entries_.insert(entry).second) return false;
    order_.push_back(entry);
    if (order_.size() > kRecentMax) {
      entries_.erase(order_.front());
      order_.pop_front();
    }
    return true;
  }

 private:
  std::set<Entry> entries_;
  std::deque<Entry> order_;
};

}  // namespace weir::protocol::slots
