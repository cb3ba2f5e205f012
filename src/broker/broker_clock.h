// SPDX-License-Identifier: Apache-2.0
// BrokerClock: broker time, which measures durations. It never goes back and never jumps.
//
// It is made of readings of two clocks: a steady one, which only tells how much time has passed,
// and the wall clock, which people and programs set:
//
//   wall clock     10:00  10:01 | 09:02 (set back)  09:03 ...
//   broker time    10:00  10:01   10:02             10:03 ...
//
// Broker time begins at the wall clock, or at the latest instant that was stored if that is later,
// and then advances with the steady clock. While the wall clock shows another time, broker time
// runs faster or slower by one part in kSlewParts until both agree again. So a wall clock that
// steps changes no duration by more than that part, and one that was wrong for a while leaves
// nothing behind. docs/operations.md, "Clocks".
//
// A pure function of its readings. Single-threaded; BrokerTime is for many threads.
#pragma once

#include <cstdint>

#include "base/instant.h"

namespace weir::broker {

// Both clocks at one moment.
struct ClockReading {
  base::Instant steady;  // since any origin
  base::Instant wall;
};

// Steps of the wall clock that were seen.
struct ClockSteps {
  std::uint64_t forward_count = 0;
  std::uint64_t back_count = 0;
  base::Duration last = {};  // how far; below 0: back
};

class BrokerClock {
 public:
  static constexpr std::int64_t kSlewParts = 16;
  // Between two readings the wall clock moved this much further than the steady clock, or less far.
  static constexpr base::Duration kStepMin = base::Duration::seconds(1);

  // `stored` is the latest instant that was stored; the earliest instant there is if none was. A
  // wall clock that is behind it counts as a step back.
  BrokerClock(const ClockReading& first, base::Instant stored);

  // Broker time at this reading, which must not be earlier than the last one.
  base::Instant advance(const ClockReading& reading);

  base::Instant now() const { return now_; }
  // The instant by which the age of stored events is judged, at most now(). A wall clock that is
  // far ahead when the broker starts may be wrong, and events that are removed do not come back: so
  // the time since the latest stored instant counts only as fast as the broker then runs.
  base::Instant age_now() const;
  // Broker time less the wall clock, at the last reading.
  base::Duration offset() const { return now_ - last_.wall; }
  const ClockSteps& steps() const { return steps_; }

 private:
  void count_step(base::Duration step);

  ClockReading last_;
  base::Instant now_;
  base::Instant start_;
  base::Instant stored_;  // at most start_
  ClockSteps steps_;
};

}  // namespace weir::broker
