// SPDX-License-Identifier: Apache-2.0
#include "match/content/match_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/prng.h"

namespace weir::match::content {
namespace {

// Sorted from `first` on by the standard library.
std::vector<Match> sorted(std::vector<Match> matches, std::size_t first) {
  const auto begin = matches.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, matches.end());
  matches.erase(std::unique(begin, matches.end()), matches.end());
  return matches;
}

void expect_sorted(MatchSort& sort, std::vector<Match> matches, std::size_t first) {
  const std::vector<Match> expected = sorted(matches, first);
  sort.sort(matches, first);
  ASSERT_EQ(matches, expected) << first;
}

TEST(MatchSortTest, SortsAsTheStandardLibraryDoes) {
  constexpr std::uint64_t kSeed = 6;
  SCOPED_TRACE(kSeed);
  base::Prng prng(kSeed);
  MatchSort sort;
  for (std::size_t count = 0; count <= 5000; count += count < 100 ? 1 : 245) {
    for (const unsigned bits : {1U, 3U, 10U, 11U, 12U, 20U, 22U, 23U, 32U, 40U, 63U, 64U}) {
      std::vector<Match> matches = {{SubscriptionId{9}, 3}, {SubscriptionId{1}, 0}};
      for (std::size_t i = 0; i < count; ++i) {
        matches.push_back({SubscriptionId{prng.next() >> (64 - bits)}, 0});
      }
      ASSERT_NO_FATAL_FAILURE(expect_sorted(sort, matches, 2)) << count << " of " << bits;
    }
  }
}

TEST(MatchSortTest, SortsByConjunctionToo) {
  constexpr std::uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  base::Prng prng(kSeed);
  MatchSort sort;
  for (const std::size_t count : {2U, 32U, 33U, 100U, 5000U}) {
    std::vector<Match> matches;
    for (std::size_t i = 0; i < count; ++i) {
      matches.push_back(
          {SubscriptionId{prng.below(count)}, static_cast<std::uint32_t>(prng.below(3))});
    }
    ASSERT_NO_FATAL_FAILURE(expect_sorted(sort, matches, 0)) << count;
  }
}

// Only the lowest or the highest bits differ.
TEST(MatchSortTest, SortsIdsThatDifferInFewBits) {
  MatchSort sort;
  for (unsigned shift = 0; shift < 64; ++shift) {
    std::vector<Match> matches;
    for (std::uint64_t i = 0; i < 200; ++i) {
      matches.push_back({SubscriptionId{~(((i * 7) & 1U) << shift)}, 0});
    }
    ASSERT_NO_FATAL_FAILURE(expect_sorted(sort, matches, 0)) << shift;
    const std::vector<Match> same(200, Match{SubscriptionId{std::uint64_t{1} << shift}, 0});
    ASSERT_NO_FATAL_FAILURE(expect_sorted(sort, same, 0)) << shift;
  }
}

TEST(MatchSortTest, LeavesWhatStandsBeforeAlone) {
  MatchSort sort;
  std::vector<Match> matches = {{SubscriptionId{5}, 0}, {SubscriptionId{5}, 0}};
  sort.sort(matches, 2);
  EXPECT_EQ(matches.size(), 2U);
  for (std::uint64_t i = 100; i > 0; --i) matches.push_back({SubscriptionId{i / 2}, 0});
  sort.sort(matches, 2);
  EXPECT_EQ(matches.size(), 53U) << "two, and 0 to 50";
  EXPECT_EQ(matches[1].subscription, SubscriptionId{5});
  EXPECT_EQ(matches[2].subscription, SubscriptionId{0});
}

}  // namespace
}  // namespace weir::match::content
