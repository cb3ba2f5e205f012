// SPDX-License-Identifier: Apache-2.0
// SharedAccount: a MemoryAccount that several threads use, which may draw from another one.
//
// Costs one relaxed atomic addition for itself and one for its parent. Under contention a request
// may be refused although it would just fit.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "base/memory_account.h"

namespace weir::broker {

class SharedAccount final : public base::MemoryAccount {
 public:
  explicit SharedAccount(std::size_t bytes_max, Ptr parent = {})
      : bytes_max_(bytes_max), parent_(std::move(parent)) {}

  const MemoryAccount* try_take(std::size_t bytes) override {
    const std::size_t before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
    const bool fits = before <= bytes_max_ && bytes <= bytes_max_ - before;
    const MemoryAccount* full = fits ? nullptr : this;
    if (fits && parent_) full = parent_->try_take(bytes);
    if (full != nullptr) bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return full;
  }
  void take(std::size_t bytes) override {
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (parent_) parent_->take(bytes);
  }
  void give_back(std::size_t bytes) override {
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    if (parent_) parent_->give_back(bytes);
  }
  std::size_t bytes() const override { return bytes_.load(std::memory_order_relaxed); }
  std::size_t bytes_max() const override { return bytes_max_; }
  bool is_exhausted() const override {
    return bytes() >= bytes_max_ || (parent_ && parent_->is_exhausted());
  }

 private:
  std::size_t bytes_max_;
  Ptr parent_;
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace weir::broker
