// SPDX-License-Identifier: Apache-2.0
#include "match/change/moment_queue.h"

#include <gtest/gtest.h>

#include <set>

#include "base/prng.h"

namespace weir::match {
namespace {

TEST(MomentQueueTest, GivesTheEarliestFirst) {
  MomentQueue queue;
  std::multiset<Moment> expected;
  base::Prng prng(7);
  for (int step = 0; step < 10'000; ++step) {
    if (expected.empty() || prng.chance(0.6)) {
      const Moment moment{{static_cast<std::int64_t>(prng.below(500)) - 250},
                          static_cast<std::uint32_t>(prng.below(9))};
      queue.push(moment);
      expected.insert(moment);
    } else {
      ASSERT_EQ(queue.first(), *expected.begin());
      ASSERT_EQ(queue.pop(), *expected.begin());
      expected.erase(expected.begin());
    }
    ASSERT_EQ(queue.size(), expected.size());
  }
}

TEST(MomentQueueTest, KeepsEachMomentOfUseOnceWhenThereAreTooMany) {
  MomentQueue queue;
  const auto is_even = [](const Moment& moment) { return moment.slot % 2 == 0; };
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t slot = 0; slot < 100; ++slot) queue.push({{1'000 - slot}, slot});
  }
  queue.tidy(200, is_even);
  EXPECT_EQ(queue.size(), 300);
  queue.tidy(50, is_even);
  ASSERT_EQ(queue.size(), 50);
  for (std::uint32_t slot = 98; !queue.is_empty(); slot -= 2) EXPECT_EQ(queue.pop().slot, slot);
}

}  // namespace
}  // namespace weir::match
