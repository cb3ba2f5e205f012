// SPDX-License-Identifier: Apache-2.0
// Backoff: how long to wait before trying again: 100 ms, then twice as long each time, up to 5 s,
// each shortened by chance by up to a half, so that many clients do not come back at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/instant.h"
#include "base/prng.h"

namespace weir::cli {

class Backoff {
 public:
  explicit Backoff(std::uint64_t seed) : prng_(seed) {}

  base::Duration next() {
    const std::int64_t most = next_.nanoseconds;
    next_ = std::min(base::Duration{most * 2}, kMost);
    return {most - static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(most / 2)))};
  }
  // After a success.
  void reset() { next_ = kFirst; }

 private:
  static constexpr base::Duration kFirst = base::Duration::milliseconds(100);
  static constexpr base::Duration kMost = base::Duration::seconds(5);

  base::Prng prng_;
  base::Duration next_ = kFirst;
};

}  // namespace weir::cli
