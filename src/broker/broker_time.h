// SPDX-License-Identifier: Apache-2.0
// BrokerTime: the broker's two times, for all its threads.
//
//   now()    broker time: durations and the instants in the log (BrokerClock)
//   wall()   the wall clock: when tokens and secrets end, and times that people are shown
//
// Threads: any.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/broker_clock.h"
#include "store/registry.h"

namespace weir::broker {

class BrokerTime {
 public:
  using Read = std::function<ClockReading()>;

  // `stored` as for BrokerClock.
  BrokerTime(Read read, base::Instant stored) : read_(std::move(read)), clock_(read_(), stored) {}

  base::Instant now();
  base::Instant wall() { return read_().wall; }
  base::Instant age_now();  // BrokerClock::age_now()

  // As of now.
  struct Status {
    ClockSteps steps;
    base::Duration offset;
  };
  Status status();

 private:
  std::mutex mutex_;
  Read read_;
  BrokerClock clock_;
};

// Broker time is stored with every checkpoint: the states in it know no later instant.
store::SharedState stored_time(base::Instant now);
// The earliest instant there is if none is stored; kStoreCorrupt if it cannot be read.
base::Result<base::Instant> read_stored_time(const std::vector<store::SharedState>& states);

}  // namespace weir::broker
