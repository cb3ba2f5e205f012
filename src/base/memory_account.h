// SPDX-License-Identifier: Apache-2.0
// MemoryAccount: where bytes of memory are counted, with a limit.
//
// An account counts estimates that its users make, not what the allocator says. It may draw from
// other accounts: it takes the same bytes from them too, or nothing at all.
//
//   owner <-- MemoryShare of one filter <-- MemoryCharge of one table
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

namespace weir::base {

class MemoryAccount {
 public:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  using Ptr = std::shared_ptr<MemoryAccount>;

  virtual ~MemoryAccount() = default;

  // Null if the bytes were taken; otherwise the account that has no room, and nothing is taken.
  virtual const MemoryAccount* try_take(std::size_t bytes) = 0;
  // Takes them although there may be no room.
  virtual void take(std::size_t bytes) = 0;
  virtual void give_back(std::size_t bytes) = 0;

  virtual std::size_t bytes() const = 0;
  virtual std::size_t bytes_max() const = 0;
  // Whether nothing more can be taken from it or from where it draws.
  virtual bool is_exhausted() const = 0;
};

// MemoryShare: an account of one holder, with a limit of its own. Single-threaded.
class MemoryShare final : public MemoryAccount {
 public:
  // A null parent has room for everything.
  MemoryShare(std::size_t bytes_max, Ptr parent)
      : bytes_max_(bytes_max), parent_(std::move(parent)) {}

  const MemoryAccount* try_take(std::size_t bytes) override;
  void take(std::size_t bytes) override;
  void give_back(std::size_t bytes) override;
  std::size_t bytes() const override { return bytes_; }
  std::size_t bytes_max() const override { return bytes_max_; }
  bool is_exhausted() const override {
    return bytes_ >= bytes_max_ || (parent_ && parent_->is_exhausted());
  }

 private:
  std::size_t bytes_max_;
  Ptr parent_;
  std::size_t bytes_ = 0;
};

// MemoryCharge: what one holder has taken from an account; given back when it ends. Without an
// account it takes what it wants. Single-threaded.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  explicit MemoryCharge(MemoryAccount::Ptr account) : account_(std::move(account)) {}
  MemoryCharge(MemoryCharge&& other) noexcept
      : account_(std::move(other.account_)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  ~MemoryCharge() {
    if (account_) account_->give_back(bytes_);
  }

  // Null if there was room; otherwise the account that has none.
  const MemoryAccount* try_grow(std::size_t bytes);
  void grow(std::size_t bytes);
  // Requires that so many were taken.
  void shrink(std::size_t bytes);
  // Grows or shrinks to so many.
  void set(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }
  const MemoryAccount::Ptr& account() const { return account_; }

 private:
  MemoryAccount::Ptr account_;
  std::size_t bytes_ = 0;
};

}  // namespace weir::base
