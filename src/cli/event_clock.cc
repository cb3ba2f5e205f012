// SPDX-License-Identifier: Apache-2.0
#include "cli/event_clock.h"

#include <algorithm>
#include <chrono>

#include "event/timestamp.h"

namespace weir::cli {
namespace {

// Years that nanoseconds cannot hold become the first or last instant there is.
base::Instant to_instant(event::Timestamp timestamp) {
  constexpr std::int64_t kSecondsMax = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
  const std::int64_t seconds = std::clamp(timestamp.seconds, -kSecondsMax, kSecondsMax);
  return base::Instant{seconds * 1'000'000'000} + base::Duration{timestamp.nanoseconds};
}

}  // namespace

base::Instant wall_now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
}

base::Instant EventClock::at(const event::Event& event) {
  if (kind_ == ClockKind::kWall) return wall_now();
  const event::Attribute* const time = event.find(event::CoreAttribute::kTime);
  if (time == nullptr) return newest_;
  const base::Instant instant = to_instant(time->value.as_timestamp());
  newest_ = std::max(newest_, instant);
  return instant;
}

}  // namespace weir::cli
