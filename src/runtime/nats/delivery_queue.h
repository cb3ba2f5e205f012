// SPDX-License-Identifier: Apache-2.0
// DeliveryQueue: holds deliveries of a node until its user takes them. Safe for all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "protocol/effects.h"

namespace weir::runtime::nats {

class DeliveryQueue {
 public:
  explicit DeliveryQueue(std::size_t count_max = 100'000) : count_max_(count_max) {}

  // Drops and counts deliveries beyond the limit.
  void push(const protocol::Deliver& deliver) {
    const std::lock_guard lock(mutex_);
    if (deliveries_.size() < count_max_) {
      deliveries_.push_back(deliver);
    } else {
      ++dropped_count_;
    }
  }

  std::vector<protocol::Deliver> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(deliveries_, {});
  }

  std::uint64_t dropped_count() const {
    const std::lock_guard lock(mutex_);
    return dropped_count_;
  }

 private:
  const std::size_t count_max_;
  mutable std::mutex mutex_;
  std::vector<protocol::Deliver> deliveries_;
  std::uint64_t dropped_count_ = 0;
};

}  // namespace weir::runtime::nats
