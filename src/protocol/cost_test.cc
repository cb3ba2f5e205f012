// SPDX-License-Identifier: Apache-2.0
#include "protocol/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::protocol {
namespace {

constexpr MessageKind kA{.protocol = ProtocolId::kProbe, .number = 1};
constexpr MessageKind kB{.protocol = ProtocolId::kSlots, .number = 31};

TEST(CostTableTest, ARelayedMessageCountsOnceAndWithEveryHop) {
  CostTable costs;
  costs.add(Send{.target = {2}, .kind = kB, .bytes = "123"});
  costs.add(Send{.target = {3}, .kind = kB, .is_relay = true, .bytes = "1234"});
  costs.add(kA, 3, 10);
  EXPECT_EQ(costs.of(kB).message_count, 1U);
  EXPECT_EQ(costs.of(kB).hop_count, 2U);
  EXPECT_EQ(costs.of(kB).bytes, 7U);
  EXPECT_EQ(costs.total().message_count, 2U);
  EXPECT_EQ(costs.total().hop_count, 5U);
  EXPECT_EQ(costs.total().bytes, 37U);
  EXPECT_THAT(costs.kinds(), testing::ElementsAre(kA, kB));
}

TEST(CostTableTest, CountsWhatWasDropped) {
  CostTable costs;
  costs.add(DropReason::kHomeless);
  costs.add(DropReason::kHomeless);
  EXPECT_EQ(costs.dropped(DropReason::kHomeless), 2U);
  EXPECT_EQ(costs.dropped(DropReason::kMalformed), 0U);
  EXPECT_EQ(to_string(DropReason::kHomeless), "homeless");
}

}  // namespace
}  // namespace weir::protocol
