// SPDX-License-Identifier: Apache-2.0
#include "match/exact_window.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/prng.h"

namespace weir::match {
namespace {

using base::Duration;
using base::Instant;

Instant at(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

TEST(ExactWindowTest, ForgetsAKeyExactlyAtTheEndOfItsWindow) {
  ExactWindow window({.within = Duration::seconds(10)});
  EXPECT_TRUE(window.test_and_set("a", at(0), 0));
  EXPECT_FALSE(window.test_and_set("a", at(9), 0));
  EXPECT_FALSE(window.test("a", at(9)));
  EXPECT_TRUE(window.test("a", at(10)));
  EXPECT_TRUE(window.test_and_set("a", at(10), 0));
  EXPECT_FALSE(window.test_and_set("a", at(19), 0));
}

TEST(ExactWindowTest, ADuplicateExtendsTheWindowOnlyWithRefresh) {
  ExactWindow plain({.within = Duration::seconds(10)});
  ExactWindow refreshed({.within = Duration::seconds(10), .refresh = true});
  for (ExactWindow* window : {&plain, &refreshed}) {
    EXPECT_TRUE(window->test_and_set("a", at(0), 0));
    EXPECT_FALSE(window->test_and_set("a", at(6), 0));
  }
  EXPECT_TRUE(plain.test_and_set("a", at(12), 0));
  EXPECT_FALSE(refreshed.test_and_set("a", at(12), 0));
  EXPECT_TRUE(refreshed.test_and_set("a", at(22), 0));
}

TEST(ExactWindowTest, LetsEverythingNewThroughWhenFull) {
  ExactWindow window({.within = Duration::seconds(10), .key_count_max = 2});
  EXPECT_TRUE(window.test_and_set("a", at(0), 0));
  EXPECT_TRUE(window.test_and_set("b", at(1), 0));
  EXPECT_TRUE(window.test_and_set("c", at(2), 0));
  EXPECT_TRUE(window.test_and_set("c", at(3), 0));
  EXPECT_FALSE(window.test_and_set("b", at(3), 0));
  EXPECT_EQ(window.stats().overflow, 2U);
  EXPECT_EQ(window.stats().key_count, 2U);
  EXPECT_TRUE(window.test_and_set("c", at(10), 0));
  EXPECT_FALSE(window.test_and_set("c", at(11), 0));
  EXPECT_EQ(window.stats().overflow, 2U);
}

// The judge keeps every instant at which a key was let through and looks through all of them.
TEST(ExactWindowTest, AgreesWithAListOfAllThatWasSeen) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    const bool refresh = seed % 2 == 0;
    const std::int64_t within = 1 + static_cast<std::int64_t>(prng.below(20));
    ExactWindow window({.within = Duration::seconds(within), .refresh = refresh});
    std::vector<std::pair<std::string, std::int64_t>> seen;
    std::int64_t now = 0;
    for (int i = 0; i < 500; ++i) {
      now += static_cast<std::int64_t>(prng.below(3));
      const std::string key = std::to_string(prng.below(8));
      bool distinct = true;
      for (auto& [old_key, seconds] : seen) {
        if (old_key != key || now - seconds >= within) continue;
        distinct = false;
        if (refresh) seconds = now;
      }
      if (distinct) seen.emplace_back(key, now);
      ASSERT_EQ(window.test(key, at(now)), distinct) << i;
      ASSERT_EQ(window.test_and_set(key, at(now), 0), distinct) << i;
    }
  }
}

}  // namespace
}  // namespace weir::match
