// SPDX-License-Identifier: Apache-2.0
#include "bloom/window_sizing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bloom/generational_sizing.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

constexpr TimerSpan kTwoMinutes{.window = base::Duration::seconds(120)};

TEST(WindowSizingTest, ATimerHasAValueForEveryTickAndOneForNone) {
  const auto bits = [](std::int64_t window, std::int64_t tick) {
    return timer_bits({base::Duration::seconds(window), base::Duration::seconds(tick)});
  };
  EXPECT_EQ(bits(1, 1), 1U);
  EXPECT_EQ(bits(1, 60), 1U);
  EXPECT_EQ(bits(3, 1), 2U);
  EXPECT_EQ(bits(4, 1), 3U);
  EXPECT_EQ(bits(120, 1), 7U);
  EXPECT_EQ(bits(121, 60), 2U);
}

TEST(WindowSizingTest, TimersOfASecondNeedAlmost68BitsForTwoMinutes) {
  EXPECT_NEAR(timer_bits_per_live_key(kTwoMinutes, 0.01), 67.15, 0.01);
}

TEST(WindowSizingTest, EqualTimersErrOnlyWhereTwoKeysShareAllCells) {
  const double rate = equal_timers_false_positives({1000, 4});
  EXPECT_NEAR(rate, std::pow(1 - std::exp(-0.004), 4), 1e-18);
  EXPECT_LT(rate, 3e-10);
}

TEST(WindowSizingTest, AgePartitionedSlicesErrAsARunOfBitsDoes) {
  // One slice of a key, two slices in all, each half full: seen unless both bits are unset.
  EXPECT_NEAR(age_partitioned_false_positives({1, 1}), 0.75, 1e-12);
  // Two adjacent of three slices with fills of 1 - 2^-1/2, 1/2 and 1/2.
  const double a = 1 - std::sqrt(0.5);
  EXPECT_NEAR(age_partitioned_false_positives({2, 1}), a * 0.5 + (1 - a) * 0.25, 1e-12);
}

TEST(WindowSizingTest, TheAgePartitionedShapeKeepsItsPromise) {
  double before = 0;
  for (const double rate : {0.1, 0.01, 0.001, 1e-6, 1e-9}) {
    const AgePartitionedShape shape = age_partitioned_shape(rate);
    ASSERT_GT(shape.probe_count, 0U) << rate;
    EXPECT_LE(age_partitioned_false_positives(shape), rate);
    EXPECT_GT(age_partitioned_bits_per_live_key(shape), before);
    before = age_partitioned_bits_per_live_key(shape);
  }
}

TEST(WindowSizingTest, AGenerationalFilterNeedsFewerBitsThanRotatingOnesAndTimersMore) {
  for (const double rate : {0.01, 0.001, 1e-4}) {
    const double generational = generational_bits_per_live_key(rate);
    EXPECT_GT(rotating_bits_per_live_key(rate), generational) << rate;
    EXPECT_GT(timer_bits_per_live_key(kTwoMinutes, rate), rotating_bits_per_live_key(rate)) << rate;
    EXPECT_GT(kExactMapBitsPerLiveKeyMeasured, timer_bits_per_live_key(kTwoMinutes, rate)) << rate;
  }
}

TEST(WindowSizingTest, AgreesWithTheFiguresInItsHeader) {
  EXPECT_NEAR(rotating_bits_per_live_key(0.01), 23.2, 0.05);
  const AgePartitionedShape shape = age_partitioned_shape(0.01);
  EXPECT_EQ(shape.probe_count, 12U);
  EXPECT_EQ(shape.generation_count, 87U);
  EXPECT_NEAR(age_partitioned_bits_per_live_key(shape), 19.7, 0.05);
}

}  // namespace
}  // namespace weir::bloom
