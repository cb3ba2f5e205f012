// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/skewed_clock.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using base::Instant;

TEST(SkewedClockTest, GainsByItsDriftAndDoesNotJumpWhenTheDriftChanges) {
  SkewedClock clock;
  clock.set_offset(Duration::milliseconds(5));
  clock.set_drift({1'000'000'000}, 200);
  EXPECT_EQ(clock.read({1'000'000'000}).nanoseconds, 1'005'000'000);
  EXPECT_EQ(clock.read({2'000'000'000}).nanoseconds, 2'005'200'000);
  clock.set_drift({2'000'000'000}, -1000);
  EXPECT_EQ(clock.read({2'000'000'000}).nanoseconds, 2'005'200'000);
  EXPECT_EQ(clock.read({3'000'000'000}).nanoseconds, 3'004'200'000);
}

TEST(SkewedClockTest, TellsTheFirstInstantOfAReading) {
  base::Prng prng(3);
  for (const std::int64_t drift : {-400'000, -1000, -1, 0, 1, 777, 400'000}) {
    SkewedClock clock;
    clock.set_offset({-123'456'789});
    clock.set_drift({1'000'000'000}, drift);
    for (int i = 0; i < 1000; ++i) {
      const Instant reading{2'000'000'000 +
                            static_cast<std::int64_t>(prng.next() % 86'400'000'000'000)};
      const Instant when = clock.when(reading);
      ASSERT_GE(clock.read(when), reading) << drift;
      ASSERT_LT(clock.read(when + Duration{-1}), reading) << drift;
    }
  }
}

}  // namespace
}  // namespace weir::runtime::sim
