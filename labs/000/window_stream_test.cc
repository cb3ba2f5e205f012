// SPDX-License-Identifier: Apache-2.0
#include "000/window_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace weir::lab {
namespace {

// Events per slot in each third of the time.
std::array<double, 3> rates_of(const SlotPlan& plan, std::size_t event_count) {
  std::array<double, 3> counts{};
  for (std::size_t i = 0; i < event_count; ++i) {
    ++counts[std::min<std::size_t>(std::size_t{plan.slot_of(i)} * 3 / plan.slot_count(), 2)];
  }
  for (double& count : counts) count *= 3.0 / plan.slot_count();
  return counts;
}

TEST(SlotPlanTest, ASteadyStreamHasOneRate) {
  const SlotPlan plan = steady_slots(100'000);
  EXPECT_EQ(plan.slot_count(), kSteadySlotCount);
  for (const double rate : rates_of(plan, 100'000)) EXPECT_NEAR(rate, 10, 0.1);
}

TEST(SlotPlanTest, ABurstHasTheMiddleThirdOfTheTime) {
  for (const double factor : {2.0, 5.0}) {
    const SlotPlan plan(100'000, factor);
    const auto rates = rates_of(plan, 100'000);
    EXPECT_NEAR(rates[0], 10, 0.1);
    EXPECT_NEAR(rates[1], 10 * factor, 0.1 * factor);
    EXPECT_NEAR(rates[2], 10, 0.1);
    for (std::size_t i = 1; i < 100'000; ++i) ASSERT_LE(plan.slot_of(i - 1), plan.slot_of(i));
  }
}

TEST(DeliveredWindowTest, ForgetsADeliveryAfterTheWindow) {
  DeliveredWindow delivered(10);
  EXPECT_TRUE(delivered.is_distinct(1, 5));
  delivered.deliver(1, 5);
  EXPECT_FALSE(delivered.is_distinct(1, 14));
  EXPECT_TRUE(delivered.is_distinct(1, 15));
  EXPECT_TRUE(delivered.is_distinct(2, 6));
}

TEST(DeliveredWindowTest, CountsTheKeysOfTheFullestWindow) {
  Workload workload;
  for (std::uint64_t i = 0; i < 30'000; ++i) workload.events.push_back({i % 50, 0});
  // Three events in a slot: in 10 slots 30 keys, in 100 slots all of them.
  const SlotPlan plan = steady_slots(workload.events.size());
  EXPECT_EQ(distinct_in_window_max(workload, plan, 10), 30U);
  EXPECT_EQ(distinct_in_window_max(workload, plan, 100), 50U);
}

}  // namespace
}  // namespace weir::lab
