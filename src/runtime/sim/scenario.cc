// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/scenario.h"

#include <algorithm>

namespace weir::runtime::sim {

using base::Duration;

namespace {

Duration plus(Duration a, Duration b) { return {a.nanoseconds + b.nanoseconds}; }

}  // namespace

std::uint64_t Amount::of(std::uint64_t up_count) const {
  if (share.is_zero()) return count;
  return up_count * share.numerator / share.denominator;
}

Duration Fault::end() const {
  if (every.nanoseconds == 0) return plus(at, lasts);
  const std::int64_t strikes = (until.nanoseconds - at.nanoseconds) / every.nanoseconds;
  return {at.nanoseconds + (strikes * every.nanoseconds) + lasts.nanoseconds};
}

Duration Scenario::faults_end() const {
  Duration end;
  if (members.start == Start::kJoins) {
    end = {members.join_every.nanoseconds * static_cast<std::int64_t>(members.count)};
  }
  for (const Fault& fault : faults) end = std::max(end, fault.end());
  return end;
}

Duration Scenario::calm_from() const {
  const Duration ended = faults_end();
  const bool begins_calm = ended == Duration{} && members.overlay == Overlay::kChord;
  return begins_calm ? ended : plus(ended, settle);
}

Duration Scenario::end() const { return plus(std::max(calm_from(), work.until), drain); }

}  // namespace weir::runtime::sim
