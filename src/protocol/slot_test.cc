// SPDX-License-Identifier: Apache-2.0
#include "protocol/slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::protocol {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kSlotKeys = std::uint64_t{1} << kSlotShift;

TEST(SlotTest, InOrderSortsKeysAndRemovesRepeatedOnes) {
  EXPECT_EQ(in_order({{3}, {1}, {3}, {2}}), (std::vector<Key>{{1}, {2}, {3}}));
  EXPECT_TRUE(in_order({}).empty());
}

TEST(SlotTest, AKeyIsInTheArcOfItsSlotOnly) {
  const Ring ring;
  for (const std::uint64_t value :
       {std::uint64_t{0}, kSlotKeys - 1, kSlotKeys, ~std::uint64_t{0}}) {
    for (const std::uint32_t slot : {0U, 1U, kSlotCount - 1}) {
      EXPECT_EQ(ring.contains(arc_of(slot), {value}), slot_of({value}) == slot)
          << value << ' ' << slot;
    }
  }
}

TEST(SlotTest, KeysOfOneSlotCountOnce) {
  const std::vector<Key> keys{{kSlotKeys}, {3}, {kSlotKeys + 1}, {0}};
  EXPECT_THAT(slots_of(keys), ElementsAre(0U, 1U));
}

TEST(SlotTest, AnArcTouchesTheSlotsFromItsFirstKeyToItsLast) {
  EXPECT_THAT(slots_of(KeyArc{.after = {kSlotKeys - 1}, .last = {kSlotKeys}}), ElementsAre(1U));
  EXPECT_THAT(slots_of(KeyArc{.after = {kSlotKeys - 2}, .last = {kSlotKeys}}), ElementsAre(0U, 1U));
  EXPECT_THAT(slots_of(KeyArc{.after = {~std::uint64_t{0} - 1}, .last = {0}}),
              ElementsAre(0U, kSlotCount - 1));
  EXPECT_THAT(slots_of(arc_of(7)), ElementsAre(7U));
}

TEST(SlotTest, AnArcThatGoesAllTheWayRoundTouchesAll) {
  const KeyArc almost_all{.after = {10}, .last = {9}};
  EXPECT_EQ(slots_of(almost_all).size(), kSlotCount);
  EXPECT_FALSE(is_whole_ring(almost_all));
  const KeyArc all{.after = {10}, .last = {10}};
  EXPECT_EQ(slots_of(all).size(), kSlotCount);
  EXPECT_TRUE(is_whole_ring(all));
  EXPECT_FALSE(is_whole_ring(std::vector<Key>{}));
}

}  // namespace
}  // namespace weir::protocol
