// SPDX-License-Identifier: Apache-2.0
// RoomSignal: wakes those who wait for memory that others hold. Any thread.
//
// Whoever finds an account exhausted calls wake_me() and looks at the account once more: memory may
// have been given back in between.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/memory_account.h"

namespace weir::broker {

class RoomSignal {
 public:
  // Calls it once, from some thread, when memory was given back.
  void wake_me(std::function<void()> wake) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(wake));
    any_ = true;
  }
  void tell() {
    if (!any_) return;
    std::vector<std::function<void()>> woken;
    {
      const std::scoped_lock lock(mutex_);
      any_ = false;
      woken.swap(waiting_);
    }
    for (const std::function<void()>& wake : woken) wake();
  }

 private:
  std::atomic<bool> any_ = false;
  std::mutex mutex_;
  std::vector<std::function<void()>> waiting_;
};

// Memory that is held until the last holder lets it go; then the signal is told.
class HeldMemory {
 public:
  HeldMemory(base::MemoryAccount::Ptr account, std::size_t bytes, std::shared_ptr<RoomSignal> room)
      : charge_(std::in_place, std::move(account)), room_(std::move(room)) {
    charge_->grow(bytes);
  }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory() {
    charge_.reset();
    room_->tell();
  }

 private:
  std::optional<base::MemoryCharge> charge_;
  std::shared_ptr<RoomSignal> room_;
};

}  // namespace weir::broker
