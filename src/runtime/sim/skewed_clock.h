// SPDX-License-Identifier: Apache-2.0
// SkewedClock: the clock of a member: the simulator's time plus an offset plus a drift since it was
// set.
#pragma once

#include <cstdint>

#include "base/instant.h"

namespace weir::runtime::sim {

inline constexpr std::int64_t kDriftPpmMax = 500'000;

class SkewedClock {
 public:
  base::Instant read(base::Instant now) const { return now + ahead_at(now); }

  // Returns the first instant at which the clock shows this or more.
  base::Instant when(base::Instant reading) const;

  void set_offset(base::Duration offset) { offset_ = offset; }
  // Makes the clock run faster by parts per million from now on, slower if negative; at most by
  // kDriftPpmMax. The clock does not jump.
  void set_drift(base::Instant now, std::int64_t parts_per_million);

 private:
  base::Duration ahead_at(base::Instant now) const;

  base::Duration offset_;
  std::int64_t drift_ppm_ = 0;
  base::Instant drifts_since_;
};

}  // namespace weir::runtime::sim
