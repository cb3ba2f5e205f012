// SPDX-License-Identifier: Apache-2.0
#include "broker/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/machine_memory.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

BrokerOptions options() {
  return {.directory = {},
          .memory_bytes_max = 10'000,
          .memory_per_owner_bytes_max = 3200,
          .outbox_bytes_max = 400,
          .transit_bytes_max = 80,
          .publish_queue_bytes_max = 400,
          .shard_queue_bytes_max = 400,
          .recent_bytes_max = 200};
}

TEST(MemoryBudgetTest, FiltersHaveWhatTheQueuesLeave) {
  const BrokerOptions all = options();
  const MemoryBudget budget(all);
  EXPECT_EQ(budget.total(MemoryPart::kFilters).bytes_max(), 8520U);
  EXPECT_EQ(budget.total(MemoryPart::kPublish).bytes_max(), 400U);
}

TEST(MemoryBudgetTest, ByDefaultHalfOfTheMachineIsTheBudgetAndAQuarterOfItAnOwners) {
  const BrokerOptions all = {.directory = {},
                             .publish_queue_bytes_max = 0,
                             .shard_queue_bytes_max = 0,
                             .recent_bytes_max = 0};
  MemoryBudget budget(all);
  const std::size_t machine = machine_memory_bytes();
  EXPECT_GT(machine, std::size_t{1} << 20U);
  EXPECT_EQ(budget.total(MemoryPart::kFilters).bytes_max(), machine / 2 - 2 * (machine / 16));
  EXPECT_EQ(budget.account(MemoryPart::kFilters, "a")->bytes_max(), machine / 2 / 4);
  EXPECT_EQ(budget.account(MemoryPart::kOutboxes, "a")->bytes_max(), machine / 2 / 8 / 2);
}

TEST(MemoryBudgetTest, OneOwnerCannotFillTheQueueOfPublishers) {
  const BrokerOptions all = options();
  MemoryBudget budget(all);
  base::MemoryCharge mine(budget.account(MemoryPart::kPublish, "a"));
  base::MemoryCharge yours(budget.account(MemoryPart::kPublish, "b"));
  EXPECT_EQ(mine.try_grow(300), nullptr);
  EXPECT_NE(mine.try_grow(1), nullptr);
  EXPECT_EQ(yours.try_grow(100), nullptr);
  EXPECT_EQ(yours.try_grow(1), &budget.total(MemoryPart::kPublish));
}

TEST(MemoryBudgetTest, SubscriptionsAreRefusedToAnOwnerWithoutRoom) {
  const BrokerOptions all = options();
  MemoryBudget budget(all);
  base::MemoryCharge mine(budget.account(MemoryPart::kFilters, "a"));
  EXPECT_TRUE(budget.check_filters("a"));
  mine.grow(3150);
  const auto refused = budget.check_filters("a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().id, base::ErrorId::kBrokerMemory);
  EXPECT_TRUE(budget.check_filters("b"));
  base::MemoryCharge others(budget.account(MemoryPart::kFilters, "c"));
  others.grow(5000);
  EXPECT_FALSE(budget.check_filters("b")) << "all together have none";
}

TEST(MemoryBudgetTest, TellsWhoHoldsMost) {
  const BrokerOptions all = options();
  MemoryBudget budget(all);
  EXPECT_THAT(budget.by_owner(10), IsEmpty());
  base::MemoryCharge filters(budget.account(MemoryPart::kFilters, "a"));
  base::MemoryCharge events(budget.account(MemoryPart::kQueue, "a"));
  base::MemoryCharge others(budget.account(MemoryPart::kFilters, "b"));
  base::MemoryCharge least(budget.account(MemoryPart::kFilters, "c"));
  filters.grow(10);
  events.grow(20);
  others.grow(40);
  least.grow(1);
  EXPECT_THAT(budget.by_owner(2), ElementsAre(MemoryUse{"b", 40}, MemoryUse{"a", 30}));
  EXPECT_THAT(budget.by_part(),
              ElementsAre(MemoryUse{"publish", 0}, MemoryUse{"queue", 20}, MemoryUse{"filters", 51},
                          MemoryUse{"outboxes", 0}, MemoryUse{"streams", 0}));
}

TEST(MemoryBudgetTest, OwnersThatHoldMuchLeaveRoomForThoseThatHoldLittle) {
  const BrokerOptions all = options();
  MemoryBudget budget(all);
  base::MemoryCharge first(budget.account(MemoryPart::kOutboxes, "a"));
  base::MemoryCharge second(budget.account(MemoryPart::kOutboxes, "b"));
  base::MemoryCharge small(budget.account(MemoryPart::kOutboxes, "c"));
  base::MemoryCharge smaller(budget.account(MemoryPart::kOutboxes, "d"));
  EXPECT_EQ(first.try_grow(200), nullptr);
  EXPECT_EQ(first.try_grow(1), budget.account(MemoryPart::kOutboxes, "a").get()) << "half of 400";
  EXPECT_EQ(second.try_grow(100), nullptr);
  EXPECT_EQ(second.try_grow(1), &budget.total(MemoryPart::kOutboxes)) << "three quarters are used";
  EXPECT_TRUE(second.account()->is_exhausted());
  EXPECT_FALSE(small.account()->is_exhausted());
  EXPECT_EQ(small.try_grow(25), nullptr) << "a fourth of the quarter that is kept";
  EXPECT_EQ(small.try_grow(1), &budget.total(MemoryPart::kOutboxes));
  EXPECT_EQ(smaller.try_grow(25), nullptr);
  first.shrink(100);
  EXPECT_EQ(small.try_grow(30), nullptr);
}

TEST(RoomSignalTest, TellsOnceThatMemoryWasGivenBack) {
  const BrokerOptions all = options();
  MemoryBudget budget(all);
  const auto account = budget.account(MemoryPart::kStreams, "a");
  auto held = std::make_shared<HeldMemory>(account, 40, budget.stream_room());
  EXPECT_TRUE(account->is_exhausted());
  int told = 0;
  budget.stream_room()->wake_me([&] {
    ++told;
    EXPECT_EQ(account->bytes(), 0U);
  });
  auto another = held;
  held.reset();
  EXPECT_EQ(told, 0);
  another.reset();
  EXPECT_EQ(told, 1);
  HeldMemory(account, 1, budget.stream_room());
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace weir::broker
