// SPDX-License-Identifier: Apache-2.0
// OwnerAccount: the MemoryAccount of one owner in a part of the budget that several owners share.
//
//   part:  [ open to all, up to each owner's limit        | kept for small owners ]
//          0                                          open_bytes_max      bytes_max
//
// Above open_bytes_max only those may take more who hold less than an equal share of what is kept.
// So a few owners that hold as much as they can leave room for the others. Any thread; costs a few
// relaxed atomic operations. Under contention a request may be refused although it would just fit.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/memory_account.h"
#include "broker/shared_account.h"

namespace weir::broker {

// All owners of a part together.
struct PartAccount {
  struct Limits {
    std::size_t bytes_max = 0;
    std::size_t open_bytes_max = 0;
  };
  explicit PartAccount(const Limits& limits)
      : total(limits.bytes_max), open_bytes_max(limits.open_bytes_max) {}

  SharedAccount total;
  const std::size_t open_bytes_max;
  std::atomic<std::size_t> owner_count = 0;  // that have an account
};

class OwnerAccount final : public base::MemoryAccount {
 public:
  OwnerAccount(std::size_t bytes_max, std::shared_ptr<PartAccount> part)
      : bytes_max_(bytes_max), part_(std::move(part)) {
    part_->owner_count.fetch_add(1, std::memory_order_relaxed);
  }
  OwnerAccount(const OwnerAccount&) = delete;
  OwnerAccount& operator=(const OwnerAccount&) = delete;
  ~OwnerAccount() override { part_->owner_count.fetch_sub(1, std::memory_order_relaxed); }

  const MemoryAccount* try_take(std::size_t bytes) override {
    const std::size_t before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
    const bool fits = before <= bytes_max_ && bytes <= bytes_max_ - before;
    const MemoryAccount* full = fits ? nullptr : this;
    if (fits && !is_open(bytes) && before + bytes > small_bytes_max()) full = &part_->total;
    if (full == nullptr) full = part_->total.try_take(bytes);
    if (full != nullptr) bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return full;
  }
  void take(std::size_t bytes) override {
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    part_->total.take(bytes);
  }
  void give_back(std::size_t bytes) override {
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    part_->total.give_back(bytes);
  }
  std::size_t bytes() const override { return bytes_.load(std::memory_order_relaxed); }
  std::size_t bytes_max() const override { return bytes_max_; }
  bool is_exhausted() const override {
    return bytes() >= bytes_max_ || part_->total.is_exhausted() ||
           (!is_open(1) && bytes() >= small_bytes_max());
  }

 private:
  bool is_open(std::size_t bytes) const {
    const std::size_t open = part_->open_bytes_max;
    const std::size_t used = part_->total.bytes();
    return used <= open && bytes <= open - used;
  }
  std::size_t small_bytes_max() const {
    return (part_->total.bytes_max() - part_->open_bytes_max) /
           part_->owner_count.load(std::memory_order_relaxed);
  }

  std::size_t bytes_max_;
  std::shared_ptr<PartAccount> part_;
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace weir::broker
