// SPDX-License-Identifier: Apache-2.0
#include "broker/broker_clock.h"

#include <algorithm>
#include <limits>

namespace weir::broker {
namespace {

using base::Duration;
using base::Instant;

constexpr Instant kNone{std::numeric_limits<std::int64_t>::min()};

}  // namespace

BrokerClock::BrokerClock(const ClockReading& first, Instant stored)
    : last_(first),
      now_(std::max(first.wall, stored)),
      start_(now_),
      stored_(stored == kNone ? now_ : stored) {
  count_step(std::min(first.wall - stored_, Duration{}));
}

Instant BrokerClock::advance(const ClockReading& reading) {
  const Duration passed = std::max(reading.steady - last_.steady, Duration{});
  count_step(reading.wall - (last_.wall + passed));
  last_ = reading;
  const std::int64_t slew_max = passed.nanoseconds / kSlewParts;
  const Duration behind = reading.wall - (now_ + passed);
  now_ = now_ + passed + Duration{std::clamp(behind.nanoseconds, -slew_max, slew_max)};
  return now_;
}

Instant BrokerClock::age_now() const {
  const Duration run = now_ - start_;
  return std::min(now_, stored_ + run + run);
}

void BrokerClock::count_step(Duration step) {
  if (step > Duration{-kStepMin.nanoseconds} && step < kStepMin) return;
  ++(step > Duration{} ? steps_.forward_count : steps_.back_count);
  steps_.last = step;
}

}  // namespace weir::broker
