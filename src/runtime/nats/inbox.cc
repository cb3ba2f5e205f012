// SPDX-License-Identifier: Apache-2.0
#include "runtime/nats/inbox.h"

#include <utility>

namespace weir::runtime::nats {

bool Inbox::push(Letter letter) {
  const std::lock_guard lock(mutex_);
  if (letters_.size() >= messages_max_ || bytes_ + letter.bytes.size() > bytes_max_) {
    ++refused_count_;
    return false;
  }
  bytes_ += letter.bytes.size();
  letters_.push_back(std::move(letter));
  changed_.notify_one();
  return true;
}

std::optional<Inbox::Letter> Inbox::pop(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return is_closed_ || !letters_.empty(); });
  if (is_closed_ || letters_.empty()) return {};
  Letter letter = std::move(letters_.front());
  letters_.pop_front();
  bytes_ -= letter.bytes.size();
  return letter;
}

void Inbox::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

bool Inbox::is_closed() const {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

Inbox::Stats Inbox::stats() const {
  const std::lock_guard lock(mutex_);
  return {.length = letters_.size(), .refused_count = refused_count_};
}

}  // namespace weir::runtime::nats
