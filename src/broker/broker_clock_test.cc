// SPDX-License-Identifier: Apache-2.0
#include "broker/broker_clock.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/prng.h"

namespace weir::broker {
namespace {

using base::Duration;
using base::Instant;

constexpr Instant kNone{std::numeric_limits<std::int64_t>::min()};
constexpr std::int64_t kDay = 86'400;

Instant at_second(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

// The steady clock starts at any origin; the wall clock is set by the test.
class BrokerClockTest : public testing::Test {
 protected:
  static constexpr std::int64_t kStart = 1'700'000'000;

  ClockReading reading() const { return {.steady = steady_, .wall = wall_}; }
  void pass(Duration time) {
    steady_ = steady_ + time;
    wall_ = wall_ + time;
  }
  void set_wall(std::int64_t step_seconds) { wall_ = wall_ + Duration::seconds(step_seconds); }

  Instant steady_ = at_second(77);
  Instant wall_ = at_second(kStart);
};

TEST_F(BrokerClockTest, ShowsTheWallClockWhileNobodySetsIt) {
  BrokerClock clock(reading(), kNone);
  EXPECT_EQ(clock.now(), wall_);
  for (int i = 0; i < 100; ++i) {
    pass(Duration::milliseconds(i * 37));
    EXPECT_EQ(clock.advance(reading()), wall_);
  }
  EXPECT_EQ(clock.offset(), Duration{});
  EXPECT_EQ(clock.steps().forward_count + clock.steps().back_count, 0U);
}

TEST_F(BrokerClockTest, GoesOnWhenTheWallClockIsSetBack) {
  BrokerClock clock(reading(), kNone);
  set_wall(-kDay);
  EXPECT_EQ(clock.advance(reading()), at_second(kStart));
  EXPECT_EQ(clock.steps().back_count, 1U);
  EXPECT_EQ(clock.steps().last, Duration::seconds(-kDay));
  EXPECT_EQ(clock.offset(), Duration::seconds(kDay));
  pass(Duration::seconds(16));
  EXPECT_EQ(clock.advance(reading()), at_second(kStart + 15)) << "a sixteenth slower";
  EXPECT_EQ(clock.steps().back_count, 1U) << "the step is over";
}

TEST_F(BrokerClockTest, DoesNotJumpWhenTheWallClockIsSetForward) {
  BrokerClock clock(reading(), kNone);
  set_wall(kDay);
  EXPECT_EQ(clock.advance(reading()), at_second(kStart));
  EXPECT_EQ(clock.steps().forward_count, 1U);
  EXPECT_EQ(clock.steps().last, Duration::seconds(kDay));
  pass(Duration::seconds(16));
  EXPECT_EQ(clock.advance(reading()), at_second(kStart + 17)) << "a sixteenth faster";
}

TEST_F(BrokerClockTest, MeetsTheWallClockAgainAndStaysWithIt) {
  for (const std::int64_t step : {kDay, -kDay}) {
    BrokerClock clock(reading(), kNone);
    set_wall(step);
    for (std::int64_t passed = 0; passed < 16 * kDay; passed += 60) {
      pass(Duration::seconds(60));
      clock.advance(reading());
    }
    EXPECT_EQ(clock.offset(), Duration{});
    pass(Duration::seconds(60));
    EXPECT_EQ(clock.advance(reading()), wall_);
  }
}

TEST_F(BrokerClockTest, ADayAheadForAnHourLeavesNothingBehind) {
  BrokerClock clock(reading(), kNone);
  set_wall(kDay);
  for (int i = 0; i < 3600; ++i) {
    pass(Duration::seconds(1));
    clock.advance(reading());
  }
  set_wall(-kDay);
  EXPECT_EQ(clock.advance(reading()) - wall_, Duration::seconds(3600 / 16));
  for (int i = 0; i < 3600; ++i) {
    pass(Duration::seconds(1));
    clock.advance(reading());
  }
  EXPECT_EQ(clock.now(), wall_);
  EXPECT_EQ(clock.steps().forward_count, 1U);
  EXPECT_EQ(clock.steps().back_count, 1U);
}

TEST_F(BrokerClockTest, BeginsBehindWhatWasStored) {
  BrokerClock clock(reading(), at_second(kStart + kDay));
  EXPECT_EQ(clock.now(), at_second(kStart + kDay));
  EXPECT_EQ(clock.steps().back_count, 1U);
  EXPECT_EQ(clock.steps().last, Duration::seconds(-kDay));
  pass(Duration::seconds(16));
  EXPECT_EQ(clock.advance(reading()), at_second(kStart + kDay + 15));
  EXPECT_EQ(clock.age_now(), clock.now());
}

TEST_F(BrokerClockTest, BeginsAtTheWallClockAfterATimeWithoutTheBroker) {
  const BrokerClock clock(reading(), at_second(kStart - kDay));
  EXPECT_EQ(clock.now(), at_second(kStart));
  EXPECT_EQ(clock.steps().forward_count + clock.steps().back_count, 0U);
}

// A wall clock that is wrong at the start makes no event older than the broker has run for.
TEST_F(BrokerClockTest, TimeBeforeTheStartCountsForAgesOnlyAsFastAsTheBrokerRuns) {
  const Instant stored = at_second(kStart - 10 * kDay);
  BrokerClock clock(reading(), stored);
  EXPECT_EQ(clock.age_now(), stored);
  for (std::int64_t day = 1; day <= 12; ++day) {
    for (int i = 0; i < 24; ++i) {
      pass(Duration::seconds(3600));
      clock.advance(reading());
    }
    const std::int64_t seconds = day <= 10 ? (2 * day - 10) * kDay : day * kDay;
    EXPECT_EQ(clock.age_now(), at_second(kStart + seconds)) << day;
  }
}

TEST_F(BrokerClockTest, SmallCorrectionsAreNoSteps) {
  BrokerClock clock(reading(), kNone);
  for (int i = 0; i < 10; ++i) {
    pass(Duration::seconds(10));
    wall_ = wall_ + Duration::milliseconds(i % 2 == 0 ? 999 : -999);
    clock.advance(reading());
  }
  EXPECT_EQ(clock.steps().forward_count + clock.steps().back_count, 0U);
}

TEST_F(BrokerClockTest, NeverGoesBackAndKeepsDurationsWithinOneSixteenth) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    base::Prng prng(seed);
    BrokerClock clock(reading(), kNone);
    for (int i = 0; i < 200; ++i) {
      if (prng.chance(0.2)) set_wall(static_cast<std::int64_t>(prng.below(200'000)) - 100'000);
      const Duration passed{static_cast<std::int64_t>(prng.below(10'000'000'000))};
      pass(passed);
      const Instant before = clock.now();
      const std::int64_t moved = (clock.advance(reading()) - before).nanoseconds;
      ASSERT_GE(moved, passed.nanoseconds - passed.nanoseconds / 16) << seed;
      ASSERT_LE(moved, passed.nanoseconds + passed.nanoseconds / 16) << seed;
    }
  }
}

}  // namespace
}  // namespace weir::broker
