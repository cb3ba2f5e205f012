// SPDX-License-Identifier: Apache-2.0
#include "match/text/top_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/prng.h"

namespace weir::match::text {
namespace {

// The share at `index` and the largest of so many others.
double reach_by_definition(std::vector<double> shares, std::size_t index, std::size_t other_count) {
  const double own = shares[index];
  shares.erase(shares.begin() + static_cast<std::ptrdiff_t>(index));
  std::ranges::sort(shares, std::greater<>());
  shares.resize(std::min(shares.size(), other_count));
  double sum = own;
  for (const double share : shares) sum += share;
  return sum;
}

TEST(TopSharesTest, ReachIsTheLargestSumOfSoManyAndHardlyMore) {
  base::Prng prng(5);
  for (int round = 0; round < 200; ++round) {
    TopShares top;
    std::vector<double> shares;
    for (std::size_t i = 0; i <= prng.below(30); ++i) {
      shares.push_back(prng.chance(0.2) ? 0.0 : static_cast<double>(prng.below(9)) / 3);
      top.add(shares.back());
    }
    for (std::size_t i = 0; i < shares.size(); ++i) {
      for (std::size_t count = 0; count < RowKind::kInlineCount; ++count) {
        const double expected = reach_by_definition(shares, i, count);
        EXPECT_GE(top.reach(shares[i], count), expected);
        EXPECT_LE(top.reach(shares[i], count), expected * (1 + 1e-5));
      }
      for (const std::size_t count : {8U, 15U, 1023U}) {
        EXPECT_GE(top.reach(shares[i], count), reach_by_definition(shares, i, count));
      }
    }
  }
}

TEST(TopSharesTest, OpensWhatItCanReach) {
  TopShares top;
  for (const double share : {1.0, 4.0, 2.0}) top.add(share);
  const auto opens = [&](std::size_t later_count, float score_min, double share) {
    RowGate gate;
    gate.open(RowKind::of(TextMode::kAny, later_count), score_min);
    return top.opens(gate, share);
  };
  EXPECT_TRUE(opens(0, 1.0F, 1.0));
  EXPECT_FALSE(opens(0, 1.5F, 1.0));
  EXPECT_TRUE(opens(1, 5.0F, 1.0));
  EXPECT_FALSE(opens(1, 5.5F, 1.0));
  EXPECT_TRUE(opens(1, 6.0F, 4.0));
  EXPECT_TRUE(opens(2, 7.0F, 1.0));
  EXPECT_FALSE(opens(2, 8.0F, 1.0));
  EXPECT_TRUE(opens(5, 7.0F, 1.0));
  EXPECT_FALSE(opens(5, 8.0F, 1.0));
  EXPECT_FALSE(top.opens(RowGate(), 4.0));
}

}  // namespace
}  // namespace weir::match::text
