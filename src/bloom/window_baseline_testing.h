// SPDX-License-Identifier: Apache-2.0
// What windows are measured with: the stream of keys, and the baseline.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/prng.h"

namespace weir::bloom {

// Keys of which a fifth are duplicates, drawn uniformly from the last window. Time is the number of
// keys before; a window of window_ticks has live_key_count distinct keys.
class WindowStream {
 public:
  WindowStream(std::uint64_t seed, std::size_t live_key_count)
      : prng_(seed), recent_(live_key_count) {}

  std::size_t window_ticks() const { return recent_.size() + recent_.size() / 4; }
  std::uint64_t next() {
    if (count_ > 0 && prng_.chance(0.2)) {
      return recent_[prng_.below(count_ < recent_.size() ? count_ : recent_.size())];
    }
    const std::uint64_t key = prng_.next();
    recent_[count_++ % recent_.size()] = key;
    return key;
  }
  void fill(std::span<std::uint64_t> keys) {
    for (std::uint64_t& key : keys) key = next();
  }

 private:
  base::Prng prng_;
  std::vector<std::uint64_t> recent_;
  std::size_t count_ = 0;
};

// The exact window: a hash map, and a ring of what will expire.
class BaselineWindow {
 public:
  BaselineWindow(std::size_t live_key_count, std::size_t window_ticks)
      : window_ticks_(window_ticks), ring_(live_key_count + live_key_count / 4) {
    seen_.reserve(live_key_count);
  }

  bool test_and_set(std::uint64_t key, std::uint64_t now) {
    while (begin_ < end_ && ring_[begin_ % ring_.size()].tick + window_ticks_ <= now) {
      seen_.erase(ring_[begin_++ % ring_.size()].key);
    }
    const bool distinct = seen_.emplace(key, now).second;
    if (distinct) ring_[end_++ % ring_.size()] = {now, key};
    return distinct;
  }
  std::size_t key_count() const { return seen_.size(); }

 private:
  struct Expiry {
    std::uint64_t tick;
    std::uint64_t key;
  };

  std::uint64_t window_ticks_;
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> seen_;
  std::vector<Expiry> ring_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace weir::bloom
