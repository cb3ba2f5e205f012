// SPDX-License-Identifier: Apache-2.0
#include "match/content/subscription_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace weir::match::content {
namespace {

class SubscriptionTableTest : public testing::Test {
 protected:
  // Records are but numbers here.
  RecordRef add(SubscriptionId id) {
    EXPECT_TRUE(table_.add(id, ++last_));
    return last_;
  }
  // Then it cannot be added.
  bool has(SubscriptionId id) {
    const bool found = table_.find(id) != nullptr;
    if (found) {
      EXPECT_FALSE(table_.add(id, 0));
    }
    return found;
  }

  SubscriptionTable table_;
  RecordRef last_ = 0;
};

TEST_F(SubscriptionTableTest, FindsTheRecordOfASubscription) {
  EXPECT_EQ(table_.remove(SubscriptionId{7}), kNoId);
  const RecordRef record = add(SubscriptionId{7});
  EXPECT_TRUE(has(SubscriptionId{7}));
  EXPECT_FALSE(has(SubscriptionId{8}));
  EXPECT_EQ(table_.size(), 1U);
  EXPECT_EQ(table_.remove(SubscriptionId{8}), kNoId);
  EXPECT_EQ(table_.remove(SubscriptionId{7}), record);
  EXPECT_EQ(table_.remove(SubscriptionId{7}), kNoId);
  EXPECT_EQ(table_.size(), 0U);
}

TEST_F(SubscriptionTableTest, ARecordCanBeExchanged) {
  add(SubscriptionId{7});
  *table_.find(SubscriptionId{7}) = 99;
  EXPECT_EQ(table_.remove(SubscriptionId{7}), 99U);
}

TEST_F(SubscriptionTableTest, APageGoesWithItsLastSubscription) {
  const std::size_t empty_bytes = table_.memory_bytes();
  for (std::uint64_t id = 0; id < 10'000; ++id) add(SubscriptionId{id});
  EXPECT_LT(table_.memory_bytes() - empty_bytes, 70'000U);
  const std::size_t full_bytes = table_.memory_bytes();
  for (std::uint64_t id = 0; id < 10'000; ++id) table_.remove(SubscriptionId{id});
  EXPECT_LT(table_.memory_bytes(), full_bytes / 4);
  add(SubscriptionId{9'999});
  EXPECT_EQ(table_.size(), 1U);
}

TEST_F(SubscriptionTableTest, IdsMayDifferInAnyBit) {
  std::map<std::uint64_t, RecordRef> expected;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t id = std::uint64_t{1} << bit;
    expected.emplace(id, add(SubscriptionId{id}));
  }
  expected.emplace(0, add(SubscriptionId{0}));
  expected.emplace(~std::uint64_t{0}, add(SubscriptionId{~std::uint64_t{0}}));
  EXPECT_FALSE(has(SubscriptionId{3}));
  for (const auto& [id, record] : expected) EXPECT_EQ(table_.remove(SubscriptionId{id}), record);
}

TEST_F(SubscriptionTableTest, AgreesWithAMapWhileSubscriptionsComeAndGo) {
  constexpr std::uint64_t kSeed = 12;
  SCOPED_TRACE(kSeed);
  base::Prng prng(kSeed);
  std::map<std::uint64_t, RecordRef> expected;
  for (int round = 0; round < 100'000; ++round) {
    const std::uint64_t id = prng.below(20'000) << (prng.below(2) * 40);
    const auto at = expected.find(id);
    if (at == expected.end()) {
      expected.emplace(id, add(SubscriptionId{id}));
    } else if (prng.chance(0.6)) {
      ASSERT_EQ(table_.remove(SubscriptionId{id}), at->second);
      expected.erase(at);
    } else {
      ASSERT_TRUE(has(SubscriptionId{id}));
    }
    ASSERT_EQ(table_.size(), expected.size());
  }
  for (const auto& [id, record] : expected) ASSERT_EQ(table_.remove(SubscriptionId{id}), record);
  EXPECT_EQ(table_.size(), 0U);
}

}  // namespace
}  // namespace weir::match::content
