// SPDX-License-Identifier: Apache-2.0
#include "base/memory_account.h"

#include "base/check.h"

namespace weir::base {

const MemoryAccount* MemoryShare::try_take(std::size_t bytes) {
  if (bytes_ > bytes_max_ || bytes > bytes_max_ - bytes_) return this;
  if (parent_) {
    if (const MemoryAccount* const full = parent_->try_take(bytes)) return full;
  }
  bytes_ += bytes;
  return nullptr;
}

void MemoryShare::take(std::size_t bytes) {
  bytes_ += bytes;
  if (parent_) parent_->take(bytes);
}

void MemoryShare::give_back(std::size_t bytes) {
  WEIR_CHECK(bytes <= bytes_);
  bytes_ -= bytes;
  if (parent_) parent_->give_back(bytes);
}

const MemoryAccount* MemoryCharge::try_grow(std::size_t bytes) {
  const MemoryAccount* const full = account_ ? account_->try_take(bytes) : nullptr;
  if (full == nullptr) bytes_ += bytes;
  return full;
}

void MemoryCharge::grow(std::size_t bytes) {
  if (account_) account_->take(bytes);
  bytes_ += bytes;
}

void MemoryCharge::shrink(std::size_t bytes) {
  WEIR_CHECK(bytes <= bytes_);
  if (account_) account_->give_back(bytes);
  bytes_ -= bytes;
}

void MemoryCharge::set(std::size_t bytes) {
  if (bytes >= bytes_) {
    grow(bytes - bytes_);
  } else {
    shrink(bytes_ - bytes);
  }
}

}  // namespace weir::base
