// SPDX-License-Identifier: Apache-2.0
// SteadyClock: a node's own time, which never goes back when the runtime's time does.
#pragma once

#include "base/instant.h"

namespace weir::protocol::chord {

class SteadyClock {
 public:
  // Moves to the runtime's time. Returns false if that went back.
  bool advance(base::Instant runtime_now) {
    const bool went_back = runtime_now + behind_ < now_;
    if (went_back) behind_ = now_ - runtime_now;
    now_ = runtime_now + behind_;
    return !went_back;
  }
  base::Instant now() const { return now_; }
  base::Instant to_runtime(base::Instant instant) const {
    return instant + base::Duration{-behind_.nanoseconds};
  }

 private:
  base::Instant now_;
  base::Duration behind_;  // the runtime's time is this much behind
};

}  // namespace weir::protocol::chord
