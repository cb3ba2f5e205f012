// SPDX-License-Identifier: Apache-2.0
// CheckpointPacer: tells how soon the next checkpoint may begin.
//
// A checkpoint stops every shard while it saves the state of its filters, and it is written before
// anything else that waits for the registry. One client that asks in a loop would stop all others.
// So after a checkpoint that took a time t, none begins on request for kRestPerWork * t: requests
// gather for the next one, and the shards have that share of the time for their events. The rest is
// at most kRestMax, so that a request that waits for it does not hold up the end of the server.
//
// Checkpoints of the broker's own schedule can wait for longer: shards stop for no more than one
// part in kRestPerStop of the time, so that few events are late, whatever size a state has.
// Single-threaded.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace weir::broker {

class CheckpointPacer {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kRestPerWork = 20;
  static constexpr std::chrono::seconds kRestMax{4};
  static constexpr int kRestPerStop = 150;
  static constexpr std::chrono::minutes kScheduleRestMax{10};

  void begin(Clock::time_point at) {
    ++under_way_count_;
    begun_at_ = at;
  }
  // It is written, or could not be.
  void end(Clock::time_point at) {
    --under_way_count_;
    earliest_ = at + std::min<Clock::duration>(kRestPerWork * (at - begun_at_), kRestMax);
  }

  // How long the schedule rests after a checkpoint that stopped a shard for so long.
  static Clock::duration schedule_rest(Clock::duration stop) {
    return std::min<Clock::duration>(kRestPerStop * stop, kScheduleRestMax);
  }

  // When the next one may begin on request; nullopt while one is under way.
  std::optional<Clock::time_point> earliest() const {
    if (under_way_count_ > 0) return std::nullopt;
    return earliest_;
  }

 private:
  int under_way_count_ = 0;
  Clock::time_point begun_at_;
  Clock::time_point earliest_;
};

}  // namespace weir::broker
