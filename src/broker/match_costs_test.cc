// SPDX-License-Identifier: Apache-2.0
#include "broker/match_costs.h"

#include <gtest/gtest.h>

namespace weir::broker {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

const MatchCosts::Clock::time_point kBegin{};

TEST(MatchCostsTest, BeginsWithAGuessAndGoesOnWithWhatWasMeasured) {
  MatchCosts costs;
  EXPECT_EQ(costs.of("a", kBegin), MatchCosts::kFirst);
  costs.add({.owner = "a", .event_count = 100, .time = milliseconds(1)}, kBegin);
  EXPECT_EQ(costs.of("a", kBegin), microseconds(10));
  EXPECT_EQ(costs.of("b", kBegin), MatchCosts::kFirst);
}

TEST(MatchCostsTest, RisesAtOnceAndFallsSlowly) {
  MatchCosts costs;
  costs.add({.owner = "a", .event_count = 10, .time = microseconds(100)}, kBegin);
  costs.add({.owner = "a", .event_count = 10, .time = milliseconds(10)}, kBegin);
  EXPECT_EQ(costs.of("a", kBegin), milliseconds(1));
  for (int i = 0; i < 1000; ++i) {
    costs.add({.owner = "a", .event_count = 1000, .time = milliseconds(1)}, kBegin);
  }
  EXPECT_EQ(costs.of("a", kBegin), milliseconds(1)) << "many cheap events buy no trust";
  EXPECT_EQ(costs.of("a", kBegin + MatchCosts::kHalfLife), microseconds(500));
}

TEST(MatchCostsTest, RisesLittleByWhatTookLittleTime) {
  MatchCosts costs;
  costs.add({.owner = "a", .event_count = 1000, .time = milliseconds(2)}, kBegin);
  costs.add({.owner = "a", .event_count = 1, .time = MatchCosts::kSure / 10}, kBegin);
  EXPECT_EQ(costs.of("a", kBegin), std::chrono::nanoseconds(2000 + 98'000 / 10));
}

TEST(MatchCostsTest, StaysWithinItsBounds) {
  MatchCosts costs;
  costs.add({.owner = "a", .event_count = 1, .time = seconds(10)}, kBegin);
  EXPECT_EQ(costs.of("a", kBegin), MatchCosts::kMost);
  costs.add({.owner = "b", .event_count = 1000, .time = microseconds(1)}, kBegin);
  EXPECT_EQ(costs.of("b", kBegin), MatchCosts::kLeast);
  costs.add({.owner = "b"}, kBegin);
  EXPECT_EQ(costs.of("b", kBegin), MatchCosts::kLeast);
}

TEST(MatchCostsTest, ForgetsOwnersThatAreGone) {
  MatchCosts costs;
  costs.add({.owner = "a", .event_count = 1, .time = seconds(1)}, kBegin);
  const auto later = kBegin + 3 * MatchCosts::kForgetAfter;
  costs.add({.owner = "b", .event_count = 1, .time = seconds(1)}, later);
  EXPECT_EQ(costs.of("a", later), MatchCosts::kFirst);
}

}  // namespace
}  // namespace weir::broker
