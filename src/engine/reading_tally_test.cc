// SPDX-License-Identifier: Apache-2.0
#include "engine/reading_tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/prng.h"

namespace weir::engine {
namespace {

using match::SourceNumber;
using Sources = std::vector<SourceNumber>;

Sources random_sources(base::Prng& prng, double share) {
  Sources sources;
  for (SourceNumber source = 0; source < 8; ++source) {
    if (prng.chance(share)) sources.push_back(source);
  }
  return sources;
}

bool have_common(const Sources& left, const Sources& right) {
  return std::ranges::any_of(left,
                             [&](SourceNumber one) { return std::ranges::count(right, one) > 0; });
}

TEST(ReadingTallyTest, AnEventOfSeveralSourcesCountsOnce) {
  ReadingTally tally;
  tally.count(Sources{1, 2}, Sources{});
  tally.count(Sources{2}, Sources{1});
  tally.count(Sources{}, Sources{1, 3});
  tally.count(Sources{}, Sources{});
  EXPECT_EQ(tally.of(Sources{1, 2}).readings, 2);
  EXPECT_EQ(tally.of(Sources{1, 2}).no_value, 1);
  EXPECT_EQ(tally.of(Sources{1}).readings, 1);
  EXPECT_EQ(tally.of(Sources{1}).no_value, 2);
  EXPECT_EQ(tally.of(Sources{9}).readings, 0);
}

TEST(ReadingTallyTest, CountsWhatAListOfAllEventsGives) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    ReadingTally tally;
    std::vector<std::pair<Sources, Sources>> events;
    for (int i = 0; i < 300; ++i) {
      Sources read = random_sources(prng, 0.2);
      Sources unread = random_sources(prng, 0.1);
      std::erase_if(unread, [&](SourceNumber one) { return std::ranges::count(read, one) > 0; });
      tally.count(read, unread);
      events.emplace_back(std::move(read), std::move(unread));
      const Sources asked = random_sources(prng, 0.3);
      std::uint64_t readings = 0;
      std::uint64_t no_value = 0;
      for (const auto& [with, without] : events) {
        const bool is_read = have_common(asked, with);
        readings += is_read ? 1U : 0U;
        no_value += !is_read && have_common(asked, without) ? 1U : 0U;
      }
      ASSERT_EQ(tally.of(asked).readings, readings);
      ASSERT_EQ(tally.of(asked).no_value, no_value);
    }
  }
}

TEST(ReadingTallyTest, IsFullAfterManyKindsAndEmptyWhenCleared) {
  ReadingTally tally;
  const auto count_pairs = [&](SourceNumber source_count) {
    for (SourceNumber i = 0; i < source_count; ++i) {
      for (SourceNumber j = i + 1; j < source_count; ++j) tally.count(Sources{i, j}, Sources{});
    }
  };
  count_pairs(50);
  EXPECT_FALSE(tally.is_full());
  count_pairs(300);
  EXPECT_TRUE(tally.is_full());
  const std::size_t bytes = tally.memory_bytes();
  tally.clear();
  EXPECT_FALSE(tally.is_full());
  EXPECT_EQ(tally.of(Sources{0, 1}).readings, 0);
  EXPECT_LT(tally.memory_bytes(), bytes);
}

}  // namespace
}  // namespace weir::engine
