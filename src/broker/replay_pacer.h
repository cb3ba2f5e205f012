// SPDX-License-Identifier: Apache-2.0
// ReplayPacer: when work that nobody else waits for may take its next step: a replay, a highlight.
// While live events come, it gets a bounded share of the time; otherwise all of it.
// Single-threaded.
#pragma once

#include <algorithm>
#include <chrono>

namespace weir::broker {

class ReplayPacer {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kBusyShare = 8;                     // one part in so many, for replays
  static constexpr std::chrono::milliseconds kQuiet{100};  // since the last live batch

  explicit ReplayPacer(int busy_share = kBusyShare) : busy_share_(busy_share) {}

  void on_live(Clock::time_point now) { last_live_ = now; }
  void on_step(Clock::time_point begin, Clock::time_point end) {
    last_end_ = end;
    last_cost_ = end - begin;
  }
  // The next step may begin now if this is not later than `now`.
  Clock::time_point next(Clock::time_point now) const {
    if (now - last_live_ >= kQuiet) return now;
    return std::min(last_end_ + last_cost_ * (busy_share_ - 1), last_live_ + kQuiet);
  }

 private:
  int busy_share_;
  Clock::time_point last_live_ = Clock::time_point(Clock::duration::min() / 2);
  Clock::time_point last_end_ = Clock::time_point(Clock::duration::min() / 2);
  Clock::duration last_cost_{0};
};

}  // namespace weir::broker
