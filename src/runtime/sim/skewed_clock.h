// SPDX-License-Identifier: Apache-2.0
// SkewedClock: what a member takes for the time: the simulator's, an offset, and a drift since the
// drift was set.
#pragma once

#include <cstdint>

#include "base/instant.h"

namespace weir::runtime::sim {

inline constexpr std::int64_t kDriftPpmMax = 500'000;

class SkewedClock {
 public:
  base::Instant read(base::Instant now) const { return now + ahead_at(now); }

  // The first instant at which it reads this or more.
  base::Instant when(base::Instant reading) const;

  void set_offset(base::Duration offset) { offset_ = offset; }
  // It runs faster by so many parts per million from now on, slower if negative; at most by
  // kDriftPpmMax. It does not jump.
  void set_drift(base::Instant now, std::int64_t parts_per_million);

 private:
  base::Duration ahead_at(base::Instant now) const;

  base::Duration offset_;
  std::int64_t drift_ppm_ = 0;
  base::Instant drifts_since_;
};

}  // namespace weir::runtime::sim
