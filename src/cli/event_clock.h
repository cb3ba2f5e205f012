// SPDX-License-Identifier: Apache-2.0
// EventClock: the instant at which an event counts as published.
#pragma once

#include <limits>

#include "base/instant.h"
#include "cli/options.h"
#include "event/event.h"

namespace weir::cli {

base::Instant wall_now();

class EventClock {
 public:
  explicit EventClock(ClockKind kind) : kind_(kind) {}

  base::Instant at(const event::Event& event);

 private:
  ClockKind kind_;
  base::Instant newest_{std::numeric_limits<std::int64_t>::min()};
};

}  // namespace weir::cli
