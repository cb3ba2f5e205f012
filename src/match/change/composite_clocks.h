// SPDX-License-Identifier: Apache-2.0
// CompositeClocks: when time does something to the conjunctions of a CompositeIndex.
//
//   last value taken at 0   |----------------|-------------------|-------------->
//   at most every 4s        held until 4s    |
//   or silent for 9s                         satisfied from 9s on
//
// A conjunction's clock is held until all leaves with a last value let it fire again. Of each clock
// one moment is queued, which may be before its next one but not behind: so a clock that is started
// again and again costs nothing there. Single-threaded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/instant.h"
#include "match/change/change_timing.h"
#include "match/change/moment_buckets.h"
#include "match/change/slot_pool.h"

namespace weir::match {

class CompositeClocks {
 public:
  using Number = std::uint32_t;

  static constexpr base::Instant kNever = {std::numeric_limits<std::int64_t>::max()};
  static constexpr base::Instant kLongAgo = {std::numeric_limits<std::int64_t>::min()};

  // For a conjunction whose leaves have these timings. It lives at the floor until time is there.
  Number add(std::uint32_t conjunction, std::span<const ChangeTiming> leaves, base::Instant floor);
  void remove(Number number);

  // The leaf took its last value at this instant.
  void start(Number number, std::uint32_t leaf, base::Instant at);
  // None of the leaves has a last value any more.
  void stop(Number number);

  base::Instant held_until(Number number) const { return clocks_[number].held_until; }
  base::Instant silent_at(Number number, std::uint32_t leaf) const {
    return leaves_[clocks_[number].first_leaf + leaf].silent_at;
  }
  // What time it is for the conjunction.
  base::Instant time_of(Number number, base::Instant now) const {
    return std::max(now, clocks_[number].floor);
  }

  // The clock is to be looked at when its first moment behind this instant has come.
  void schedule(Number number, base::Instant after);
  // Appends the conjunctions whose clocks have come to a moment by now, or may have: these clocks
  // must be scheduled again. Time does not go back.
  void pass(base::Instant now, std::vector<std::uint32_t>& conjunctions);

  std::size_t memory_bytes() const {
    return clocks_.memory_bytes() + leaves_.memory_bytes() + queue_.memory_bytes();
  }

 private:
  struct LeafClock {
    base::Duration silent_for = {std::numeric_limits<std::int64_t>::max()};     // never
    base::Duration at_most_every = {std::numeric_limits<std::int64_t>::min()};  // always
    base::Instant silent_at = kNever;
  };
  struct Clock {
    base::Instant floor = kLongAgo;
    base::Instant held_until = kLongAgo;
    base::Instant queued_at = kNever;
    std::uint32_t first_leaf = 0;
    std::uint32_t leaf_count = 0;
    std::uint32_t conjunction = 0;
  };

  base::Instant next_moment(const Clock& clock, base::Instant after) const;

  SlotPool<Clock> clocks_;
  SlotPool<LeafClock> leaves_;
  MomentBuckets queue_;  // of clocks
  std::size_t queued_count_ = 0;
  std::vector<Moment> passed_;  // within pass()
};

}  // namespace weir::match
