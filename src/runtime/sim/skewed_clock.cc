// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/skewed_clock.h"

#include "base/check.h"

namespace weir::runtime::sim {

namespace {

constexpr std::int64_t kMillion = 1'000'000;

// Returns value * numerator / denominator without overflow; both are near a million.
std::int64_t scaled(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  return (value / denominator * numerator) + (value % denominator * numerator / denominator);
}

}  // namespace

base::Duration SkewedClock::ahead_at(base::Instant now) const {
  if (drift_ppm_ == 0) return offset_;
  const base::Duration drifted = now - drifts_since_;
  return {offset_.nanoseconds + scaled(drifted.nanoseconds, drift_ppm_, kMillion)};
}

base::Instant SkewedClock::when(base::Instant reading) const {
  base::Instant guess = reading + base::Duration{-offset_.nanoseconds};
  if (drift_ppm_ == 0) return guess;
  const std::int64_t since = (guess - drifts_since_).nanoseconds;
  guess = drifts_since_ + base::Duration{scaled(since, kMillion, kMillion + drift_ppm_)};
  // Corrects the rounding of the division.
  while (read(guess) >= reading) guess = guess + base::Duration{-1};
  while (read(guess) < reading) guess = guess + base::Duration{1};
  return guess;
}

void SkewedClock::set_drift(base::Instant now, std::int64_t parts_per_million) {
  WEIR_CHECK(parts_per_million >= -kDriftPpmMax && parts_per_million <= kDriftPpmMax);
  offset_ = ahead_at(now);
  drift_ppm_ = parts_per_million;
  drifts_since_ = now;
}

}  // namespace weir::runtime::sim
