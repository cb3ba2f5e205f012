// SPDX-License-Identifier: Apache-2.0
#include "match/distinct_window.h"

namespace weir::match {

bool DistinctWindow::test_and_set(std::string_view key, base::Instant now) {
  expire(now);
  if (const auto found = seen_.find(key); found != seen_.end()) {
    if (options_.refresh) {
      found->second->at = now;
      ages_.splice(ages_.end(), ages_, found->second);
    }
    return false;
  }
  if (seen_.size() >= options_.key_count_max) {
    ++overflow_count_;
    return true;
  }
  return append(key, now);
}

// False if the key is there already.
bool DistinctWindow::append(std::string_view key, base::Instant at) {
  const auto [added, is_new] = seen_.emplace(key, ages_.end());
  if (!is_new) return false;
  ages_.push_back({at, &added->first});
  added->second = std::prev(ages_.end());
  return true;
}

bool DistinctWindow::test(std::string_view key, base::Instant now) const {
  const auto found = seen_.find(key);
  return found == seen_.end() || found->second->at + options_.within <= now;
}

void DistinctWindow::expire(base::Instant now) {
  while (!ages_.empty() && ages_.front().at + options_.within <= now) {
    seen_.erase(seen_.find(*ages_.front().key));
    ages_.pop_front();
  }
}

}  // namespace weir::match
