// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "protocol/tree/max_summary.h"
#include "protocol/tree/or_summary.h"
#include "protocol/tree/sum_summary.h"

namespace weir::protocol::tree {
namespace {

constexpr std::size_t kBytesMax = 1000;
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::string merged(const Summary& summary, std::string a, const std::string& b) {
  EXPECT_TRUE(summary.merge(a, b, kBytesMax));
  EXPECT_TRUE(summary.is_valid(a));
  return a;
}

// Merges three in all orders, and with identity().
void expect_laws(const Summary& summary, const std::vector<std::string>& values) {
  for (const std::string& a : values) {
    EXPECT_TRUE(summary.is_valid(a));
    EXPECT_EQ(merged(summary, a, summary.identity()), a);
    for (const std::string& b : values) {
      EXPECT_EQ(merged(summary, a, b), merged(summary, b, a));
      for (const std::string& c : values) {
        EXPECT_EQ(merged(summary, merged(summary, a, b), c),
                  merged(summary, a, merged(summary, b, c)));
      }
    }
  }
}

TEST(SummaryTest, MergingDoesNotDependOnTheOrder) {
  std::vector<std::string> sums{SumSummary().identity()};
  std::vector<std::string> maxima{MaxSummary().identity()};
  for (const std::int64_t value : {kMin, kMin + 1, -1L, 0L, 1L, 2L, kMax - 1, kMax}) {
    sums.push_back(SumSummary::of(value));
    maxima.push_back(MaxSummary::of(value));
  }
  expect_laws(SumSummary(), sums);
  expect_laws(MaxSummary(), maxima);
  expect_laws(OrSummary(2), {std::string(2, '\0'), "\x01\x80", "\xff\x10", "ab"});
}

TEST(SummaryTest, ASumIsExactAndSaturatesWhenRead) {
  const SumSummary summary;
  std::string sum = summary.identity();
  EXPECT_EQ(SumSummary::read(sum), (SumSummary::Total{.count = 0, .sum = 0}));
  for (int i = 0; i < 3; ++i) sum = merged(summary, sum, SumSummary::of(kMax));
  EXPECT_EQ(SumSummary::read(sum), (SumSummary::Total{.count = 3, .sum = kMax}));
  for (int i = 0; i < 3; ++i) sum = merged(summary, sum, SumSummary::of(kMin));
  EXPECT_EQ(SumSummary::read(sum), (SumSummary::Total{.count = 6, .sum = -3}));
}

TEST(SummaryTest, ASumThatSoManyValuesCannotHaveIsRefused) {
  const SumSummary summary;
  const std::string sum = SumSummary::of(-1);
  std::string of_none = sum;
  of_none[0] = 0;
  EXPECT_FALSE(summary.is_valid(of_none));
  std::string too_large = SumSummary::of(kMax);
  too_large[16] = 1;
  EXPECT_FALSE(summary.is_valid(too_large));
  EXPECT_FALSE(summary.is_valid(std::string(24, '\xff')));
  EXPECT_FALSE(summary.is_valid(sum + "x"));
  EXPECT_FALSE(summary.is_valid(""));

  std::string many(24, '\0');  // 2^63 zeros
  many[7] = '\x80';
  EXPECT_TRUE(summary.is_valid(many));
  const std::string before = many;
  EXPECT_FALSE(summary.merge(many, sum, kBytesMax));
  EXPECT_EQ(many, before);
}

TEST(SummaryTest, AMaximumIsTheLargest) {
  const MaxSummary summary;
  EXPECT_EQ(MaxSummary::read(summary.identity()), std::nullopt);
  EXPECT_EQ(MaxSummary::read(merged(summary, MaxSummary::of(-5), MaxSummary::of(-7))), -5);
  EXPECT_FALSE(summary.is_valid("short"));
}

TEST(SummaryTest, AnOrHasTheBitsOfBoth) {
  const OrSummary summary(2);
  EXPECT_EQ(merged(summary, "\x01\x80", "\x03\x40"), "\x03\xc0");
  EXPECT_FALSE(summary.is_valid("abc"));
}

TEST(SummaryTest, WhatIsTooLongIsNotMerged) {
  std::string sum = SumSummary::of(1);
  EXPECT_FALSE(SumSummary().merge(sum, SumSummary::of(1), sum.size() - 1));
  std::string maximum;
  EXPECT_FALSE(MaxSummary().merge(maximum, MaxSummary::of(1), 7));
  std::string bits = "ab";
  EXPECT_FALSE(OrSummary(2).merge(bits, "cd", 1));
  EXPECT_EQ(bits, "ab");
}

}  // namespace
}  // namespace weir::protocol::tree
