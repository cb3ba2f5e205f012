// SPDX-License-Identifier: Apache-2.0
#include "bloom/expiry_counts.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace weir::bloom {
namespace {

// Timers of at most this many ticks, each a position of the map.
constexpr std::uint64_t kTicksMax = 40;

TEST(ExpiryCountsTest, CountsAsAMapDoesAlsoWhereTicksStartAgain) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    base::Prng prng(seed);
    const std::uint64_t origin = seed % 2 == 0 ? 1000 : std::uint64_t{0} - 200;
    std::uint64_t passed = 0;
    ExpiryCounts counts;
    std::map<std::uint64_t, std::uint64_t> model;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t at = passed + 1 + prng.below(kTicksMax);
      counts.add(origin + at);
      ++model[at];
      if (const auto first = model.begin(); prng.chance(0.5) && first->first < at) {
        counts.remove(origin + first->first);
        if (--first->second == 0) model.erase(first);
      }
      passed += prng.chance(0.3) ? prng.below(prng.chance(0.05) ? 2 * kTicksMax : 3) : 0;
      std::uint64_t expired = 0;
      while (!model.empty() && model.begin()->first <= passed) {
        expired += model.begin()->second;
        model.erase(model.begin());
      }
      ASSERT_EQ(counts.expire(origin + passed), expired) << "seed " << seed;
      ASSERT_EQ(counts.empty(), model.empty()) << "seed " << seed;
      if (!model.empty()) {
        ASSERT_EQ(counts.last_tick(), origin + model.rbegin()->first) << "seed " << seed;
      }
    }
    EXPECT_LE(counts.memory_bytes(), 4 * kTicksMax * 16);
  }
}

TEST(ExpiryCountsTest, DoesNotKeepATimerThatIsPutOffForEver) {
  ExpiryCounts counts;
  counts.add(0);
  for (std::uint64_t tick = 1; tick < 100'000; ++tick) {
    counts.remove(tick - 1);
    counts.add(tick);
  }
  EXPECT_LE(counts.memory_bytes(), 1024U);
  EXPECT_EQ(counts.expire(100'000), 1U);
}

TEST(ExpiryCountsTest, TakesSortedTicksAtOnce) {
  ExpiryCounts counts;
  counts.add(3);
  counts.assign(std::vector<std::uint64_t>{5, 5, 6, 9});
  EXPECT_EQ(counts.last_tick(), 9U);
  EXPECT_EQ(counts.expire(5), 2U);
  EXPECT_EQ(counts.expire(8), 1U);
  EXPECT_EQ(counts.expire(9), 1U);
  EXPECT_TRUE(counts.empty());
}

}  // namespace
}  // namespace weir::bloom
