// SPDX-License-Identifier: Apache-2.0
#include "base/memory_account.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace weir::base {
namespace {

TEST(MemoryAccountTest, TakesFromItselfAndItsParentOrNotAtAll) {
  const auto owner = std::make_shared<MemoryShare>(100, nullptr);
  MemoryShare one(80, owner);
  MemoryShare other(MemoryAccount::kUnlimited, owner);
  EXPECT_EQ(one.try_take(70), nullptr);
  EXPECT_EQ(one.try_take(11), &one);
  EXPECT_EQ(other.try_take(31), owner.get());
  EXPECT_EQ(other.try_take(30), nullptr);
  EXPECT_EQ(one.try_take(10), owner.get()) << "it has room, both together have none";
  EXPECT_EQ(one.bytes(), 70U) << "a refusal keeps nothing";
  EXPECT_EQ(owner->bytes(), 100U);
  EXPECT_TRUE(one.is_exhausted());
  other.give_back(30);
  EXPECT_FALSE(one.is_exhausted());
}

TEST(MemoryAccountTest, GivesBackWhatAChargeHeld) {
  const auto total = std::make_shared<MemoryShare>(100, nullptr);
  {
    MemoryCharge charge(total);
    EXPECT_EQ(charge.try_grow(60), nullptr);
    EXPECT_EQ(charge.try_grow(60), total.get());
    charge.grow(60);
    EXPECT_EQ(total->bytes(), 120U) << "beyond the limit if it must be";
    charge.set(20);
    MemoryCharge moved = std::move(charge);
    EXPECT_EQ(moved.bytes(), 20U);
    EXPECT_EQ(total->bytes(), 20U);
  }
  EXPECT_EQ(total->bytes(), 0U);
}

TEST(MemoryAccountTest, WithoutAnAccountEverythingIsGranted) {
  MemoryCharge charge;
  EXPECT_EQ(charge.try_grow(MemoryAccount::kUnlimited), nullptr);
}

}  // namespace
}  // namespace weir::base
