// SPDX-License-Identifier: Apache-2.0
#include "match/subscription_map.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>

#include "base/prng.h"

namespace weir::match {
namespace {

using RecordRef = std::uint32_t;

class SubscriptionMapTest : public testing::Test {
 protected:
  // Records are but numbers here.
  RecordRef add(SubscriptionId id) {
    EXPECT_NE(map_.add(id, ++last_), nullptr);
    return last_;
  }
  // Then it cannot be added.
  bool has(SubscriptionId id) {
    const bool found = map_.find(id) != nullptr;
    if (found) {
      EXPECT_EQ(map_.add(id, 0), nullptr);
    }
    return found;
  }

  SubscriptionMap<RecordRef> map_;
  RecordRef last_ = 0;
};

TEST_F(SubscriptionMapTest, FindsTheRecordOfASubscription) {
  EXPECT_EQ(map_.remove(SubscriptionId{7}), std::nullopt);
  const RecordRef record = add(SubscriptionId{7});
  EXPECT_TRUE(has(SubscriptionId{7}));
  EXPECT_FALSE(has(SubscriptionId{8}));
  EXPECT_EQ(map_.size(), 1U);
  EXPECT_EQ(map_.remove(SubscriptionId{8}), std::nullopt);
  EXPECT_EQ(map_.remove(SubscriptionId{7}), record);
  EXPECT_EQ(map_.remove(SubscriptionId{7}), std::nullopt);
  EXPECT_EQ(map_.size(), 0U);
}

TEST_F(SubscriptionMapTest, ARecordCanBeExchanged) {
  add(SubscriptionId{7});
  *map_.find(SubscriptionId{7}) = 99;
  EXPECT_EQ(map_.remove(SubscriptionId{7}), 99U);
}

TEST_F(SubscriptionMapTest, APageGoesWithItsLastSubscription) {
  const std::size_t empty_bytes = map_.memory_bytes();
  for (std::uint64_t id = 0; id < 10'000; ++id) add(SubscriptionId{id});
  EXPECT_LT(map_.memory_bytes() - empty_bytes, 70'000U);
  const std::size_t full_bytes = map_.memory_bytes();
  for (std::uint64_t id = 0; id < 10'000; ++id) map_.remove(SubscriptionId{id});
  EXPECT_LT(map_.memory_bytes(), full_bytes / 4);
  add(SubscriptionId{9'999});
  EXPECT_EQ(map_.size(), 1U);
}

TEST_F(SubscriptionMapTest, IdsMayDifferInAnyBit) {
  std::map<std::uint64_t, RecordRef> expected;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t id = std::uint64_t{1} << bit;
    expected.emplace(id, add(SubscriptionId{id}));
  }
  expected.emplace(0, add(SubscriptionId{0}));
  expected.emplace(~std::uint64_t{0}, add(SubscriptionId{~std::uint64_t{0}}));
  EXPECT_FALSE(has(SubscriptionId{3}));
  for (const auto& [id, record] : expected) EXPECT_EQ(map_.remove(SubscriptionId{id}), record);
}

TEST_F(SubscriptionMapTest, AgreesWithAMapWhileSubscriptionsComeAndGo) {
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
      ASSERT_EQ(map_.remove(SubscriptionId{id}), at->second);
      expected.erase(at);
    } else {
      ASSERT_TRUE(has(SubscriptionId{id}));
    }
    ASSERT_EQ(map_.size(), expected.size());
  }
  std::map<std::uint64_t, RecordRef> visited;
  map_.for_each([&](SubscriptionId id, RecordRef record) { visited.emplace(id.value, record); });
  EXPECT_EQ(visited, expected);
  for (const auto& [id, record] : expected) ASSERT_EQ(map_.remove(SubscriptionId{id}), record);
  EXPECT_EQ(map_.size(), 0U);
}

TEST(SubscriptionMapOfPointersTest, WhatIsPointedToGoesWithItsSubscription) {
  const auto shared = std::make_shared<int>(1);
  SubscriptionMap<std::shared_ptr<int>> map;
  ASSERT_NE(map.add(SubscriptionId{1}, shared), nullptr);
  ASSERT_NE(map.add(SubscriptionId{2}, shared), nullptr);
  EXPECT_EQ(**map.find(SubscriptionId{2}), 1);
  map.remove(SubscriptionId{1});
  EXPECT_EQ(shared.use_count(), 2);
}

}  // namespace
}  // namespace weir::match
