// SPDX-License-Identifier: Apache-2.0
// VerificationGate: lets a few threads at a time do what costs much memory; some others wait, and
// those beyond are turned away.
//
// Threads: any.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

namespace weir::broker {

class VerificationGate {
  struct Leave {
    void operator()(VerificationGate* gate) const {
      {
        const std::lock_guard lock(gate->mutex_);
        --gate->inside_count_;
      }
      gate->left_.notify_one();
    }
  };

 public:
  struct Limits {
    std::size_t inside_count_max = 2;
    std::size_t waiting_count_max = 32;
  };
  // Whoever holds one is inside.
  using Pass = std::unique_ptr<VerificationGate, Leave>;

  explicit VerificationGate(const Limits& limits) : limits_(limits) {}

  // Waits for a place; null if too many wait already.
  Pass enter() {
    std::unique_lock lock(mutex_);
    if (inside_count_ >= limits_.inside_count_max) {
      if (waiting_count_ >= limits_.waiting_count_max) return nullptr;
      ++waiting_count_;
      left_.wait(lock, [this] { return inside_count_ < limits_.inside_count_max; });
      --waiting_count_;
    }
    ++inside_count_;
    return Pass(this);
  }

 private:
  Limits limits_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::size_t inside_count_ = 0;
  std::size_t waiting_count_ = 0;
};

}  // namespace weir::broker
