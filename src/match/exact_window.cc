// SPDX-License-Identifier: Apache-2.0
#include "match/exact_window.h"

namespace weir::match {
namespace {

constexpr std::size_t kBytesPerKey = 128;  // a node of each container, and what the heap adds

}  // namespace

bool ExactWindow::test_and_set(std::string_view key, base::Instant now,
                               std::uint64_t /*sequence*/) {
  expire(now);
  if (const auto found = seen_.find(key); found != seen_.end()) {
    ++hit_count_;
    if (options_.refresh) {
      found->second->at = now;
      ages_.splice(ages_.end(), ages_, found->second);
    }
    return false;
  }
  if (seen_.size() >= options_.key_count_max || !options_.has_memory()) {
    ++overflow_count_;
    return true;
  }
  return append(key, now);
}

// False if the key is there already.
bool ExactWindow::append(std::string_view key, base::Instant at) {
  const auto [added, is_new] = seen_.emplace(key, ages_.end());
  if (!is_new) return false;
  ages_.push_back({at, &added->first});
  key_bytes_ += key.size();
  memory_.grow(kBytesPerKey + key.size());
  added->second = std::prev(ages_.end());
  return true;
}

bool ExactWindow::test(std::string_view key, base::Instant now) const {
  const auto found = seen_.find(key);
  return found == seen_.end() || found->second->at + options_.within <= now;
}

void ExactWindow::expire(base::Instant now) {
  while (!ages_.empty() && ages_.front().at + options_.within <= now) {
    erase(ages_.begin());
  }
}

void ExactWindow::erase(Ages::iterator seen) {
  key_bytes_ -= seen->key->size();
  memory_.shrink(kBytesPerKey + seen->key->size());
  seen_.erase(seen_.find(*seen->key));
  ages_.erase(seen);
}

base::Result<bool> ExactWindow::forget(std::string_view key, base::Instant now) {
  expire(now);
  const auto found = seen_.find(key);
  if (found == seen_.end()) return false;
  erase(found->second);
  return true;
}

DistinctStats ExactWindow::stats() const {
  return {.key_count = seen_.size(),
          .key_count_max = options_.key_count_max,
          .memory_bytes = seen_.size() * kBytesPerKey + key_bytes_,
          .hits = hit_count_,
          .overflow = overflow_count_};
}

}  // namespace weir::match
