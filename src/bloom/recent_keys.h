// SPDX-License-Identifier: Apache-2.0
// RecentKeys: a few keys with the instants at which they were seen, oldest first: an exact window.
//
// For windows that have too few keys to be worth a filter. Looks through all of them, about 10 ns
// for 100 keys; 16 bytes per key. Instants must not go back. Single-threaded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/instant.h"

namespace weir::bloom {

class RecentKeys {
 public:
  struct Entry {
    std::uint64_t key;
    base::Instant at;

    bool operator==(const Entry&) const = default;
  };

  std::size_t size() const { return keys_.size(); }
  bool empty() const { return keys_.empty(); }
  Entry entry(std::size_t index) const { return {keys_[index], ats_[index]}; }

  // The instant of a key; null if it is not there. Valid until the next change.
  const base::Instant* find(std::uint64_t key) const {
    const auto found = std::ranges::find(keys_, key);
    return found == keys_.end() ? nullptr : &ats_[static_cast<std::size_t>(found - keys_.begin())];
  }

  // Requires that the key is not there.
  void append(const Entry& entry) {
    keys_.push_back(entry.key);
    ats_.push_back(entry.at);
  }

  // True if it was there.
  bool remove(std::uint64_t key) {
    const auto found = std::ranges::find(keys_, key);
    if (found == keys_.end()) return false;
    ats_.erase(ats_.begin() + (found - keys_.begin()));
    keys_.erase(found);
    return true;
  }

  // Drops those that were seen at this instant or before.
  void expire(base::Instant through) {
    const auto count = std::ranges::upper_bound(ats_, through) - ats_.begin();
    if (count == 0) return;
    keys_.erase(keys_.begin(), keys_.begin() + count);
    ats_.erase(ats_.begin(), ats_.begin() + count);
  }

  std::size_t memory_bytes() const {
    return keys_.capacity() * sizeof(std::uint64_t) + ats_.capacity() * sizeof(base::Instant);
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<base::Instant> ats_;
};

}  // namespace weir::bloom
