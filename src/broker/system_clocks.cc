// SPDX-License-Identifier: Apache-2.0
#include "broker/system_clocks.h"

#include <ctime>

namespace weir::broker {
namespace {

// A thread that is put aside between two readings would see a step where there was none.
constexpr base::Duration kReadingMax = base::Duration::milliseconds(1);
constexpr int kReadingCountMax = 100;

base::Instant read(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return base::Instant{} + base::Duration{time.tv_sec * 1'000'000'000 + time.tv_nsec};
}

}  // namespace

ClockReading system_clocks() {
  ClockReading reading;
  for (int i = 0; i < kReadingCountMax; ++i) {
    reading = {.steady = read(CLOCK_BOOTTIME), .wall = read(CLOCK_REALTIME)};
    if (read(CLOCK_BOOTTIME) - reading.steady <= kReadingMax) break;
  }
  return reading;
}

base::Instant system_now() { return read(CLOCK_REALTIME); }

}  // namespace weir::broker
