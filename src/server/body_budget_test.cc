// SPDX-License-Identifier: Apache-2.0
#include "server/body_budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace weir::server {
namespace {

TEST(BodyBudgetTest, GivesBackWhatARequestHeld) {
  BodyBudget budget({.bytes_max = 100, .body_bytes_max = 10});
  {
    BodyBudget::Share share(budget);
    EXPECT_TRUE(share.grow_to(10, "a"));
    EXPECT_TRUE(share.grow_to(30, "a"));
    EXPECT_EQ(budget.held_bytes(), 30U);
    share.clear();
    EXPECT_EQ(budget.held_bytes(), 0U);
    EXPECT_TRUE(share.grow_to(20, "b"));
  }
  EXPECT_EQ(budget.held_bytes(), 0U);
}

TEST(BodyBudgetTest, HoldsNoMoreThanThereIs) {
  BodyBudget budget({.bytes_max = 100, .body_bytes_max = 100});
  BodyBudget::Share share(budget);
  EXPECT_TRUE(share.grow_to(100, "a"));
  BodyBudget::Share other(budget);
  EXPECT_FALSE(other.grow_to(1, "b"));
  EXPECT_EQ(budget.held_bytes(), 100U);
}

// Any number of owners that take all they can leave as much to another one as each of them has.
TEST(BodyBudgetTest, OwnersThatTakeAllTheyCanLeaveSomeToOthers) {
  constexpr std::size_t kBytesMax = 6000;
  for (std::size_t owner_count = 1; owner_count <= 5; ++owner_count) {
    BodyBudget budget({.bytes_max = kBytesMax, .body_bytes_max = 10});
    std::vector<std::unique_ptr<BodyBudget::Share>> shares;
    bool took = true;
    while (took) {
      took = false;
      for (std::size_t owner = 0; owner < owner_count; ++owner) {
        auto share = std::make_unique<BodyBudget::Share>(budget);
        took |= share->grow_to(1, std::to_string(owner));
        shares.push_back(std::move(share));
      }
    }
    EXPECT_EQ(budget.held_bytes(), kBytesMax * owner_count / (owner_count + 1));
    BodyBudget::Share healthy(budget);
    EXPECT_TRUE(healthy.grow_to(10, "healthy"));
  }
}

TEST(BodyBudgetTest, OneLongestBodyFitsWhereAllOthersAreShort) {
  BodyBudget budget({.bytes_max = 100, .body_bytes_max = 80});
  BodyBudget::Share share(budget);
  EXPECT_TRUE(share.grow_to(80, "a"));
  EXPECT_FALSE(share.grow_to(81, "a"));
}

}  // namespace
}  // namespace weir::server
