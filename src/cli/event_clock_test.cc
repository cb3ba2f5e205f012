// SPDX-License-Identifier: Apache-2.0
#include "cli/event_clock.h"

#include <gtest/gtest.h>

#include "event/event_testing.h"

namespace weir::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

base::Instant at(EventClock& clock, const std::string& members) {
  return clock.at(*event::event_of("{" + members + "}"));
}

TEST(EventClockTest, TakesTheTimeOfTheEvent) {
  EventClock clock(ClockKind::kEvent);
  EXPECT_EQ(at(clock, R"("time":"1970-01-01T00:00:02.5Z")").nanoseconds, 2 * kSecond + kSecond / 2);
  EXPECT_EQ(at(clock, R"("time":"1970-01-01T01:00:01+01:00")").nanoseconds, kSecond);
}

TEST(EventClockTest, TakesTheNewestTimeForAnEventWithoutOne) {
  EventClock clock(ClockKind::kEvent);
  EXPECT_EQ(at(clock, "").nanoseconds, std::numeric_limits<std::int64_t>::min());
  at(clock, R"("time":"1970-01-01T00:00:09Z")");
  at(clock, R"("time":"1970-01-01T00:00:03Z")");
  EXPECT_EQ(at(clock, "").nanoseconds, 9 * kSecond);
}

TEST(EventClockTest, TakesYearsBeyondTheRangeForItsEnds) {
  EventClock clock(ClockKind::kEvent);
  const base::Instant first = at(clock, R"("time":"0001-01-01T00:00:00Z")");
  const base::Instant last = at(clock, R"("time":"9999-12-31T23:59:59.999999999Z")");
  EXPECT_LT(first.nanoseconds, -9'223'372'035 * kSecond);
  EXPECT_GT(last.nanoseconds, 9'223'372'035 * kSecond);
}

TEST(EventClockTest, ReadsTheWallClock) {
  EventClock clock(ClockKind::kWall);
  const base::Instant before = wall_now();
  const base::Instant instant = at(clock, R"("time":"1970-01-01T00:00:09Z")");
  EXPECT_GE(instant, before);
}

}  // namespace
}  // namespace weir::cli
