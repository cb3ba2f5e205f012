// SPDX-License-Identifier: Apache-2.0
#include "bloom/generational_sizing.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/prng.h"
#include "bloom/bloom_testing.h"

namespace weir::bloom {
namespace {

constexpr double kRates[] = {0.5, 0.1, 0.02, 0.01, 0.003, 0.001, 1e-4, 1e-6, 1e-9};

std::uint64_t random_pair(base::Prng& prng) {
  const std::uint64_t first = prng.below(64);
  const std::uint64_t other = prng.below(63);
  const std::uint64_t second = other < first ? other : other + 1;
  return std::uint64_t{1} << first | std::uint64_t{1} << second;
}

// The sum as it is written in the header, term by term.
double lane_by_definition(double lambda, std::uint32_t line_count) {
  double sum = 0;
  double weight = std::exp(-lambda);
  for (std::uint64_t j = 0; j < 400; ++j) {
    sum += weight * std::pow(pair_false_positives(j), line_count);
    weight *= lambda / static_cast<double>(j + 1);
  }
  return sum;
}

TEST(GenerationalSizingTest, AWordErrsAsOftenAsDrawnPairsDo) {
  base::Prng prng(11);
  for (const std::uint64_t key_count : {1U, 4U, 16U, 40U, 100U}) {
    constexpr std::uint64_t kTrialCount = 40'000;
    std::uint64_t hit_count = 0;
    for (std::uint64_t i = 0; i < kTrialCount; ++i) {
      std::uint64_t word = 0;
      for (std::uint64_t j = 0; j < key_count; ++j) word |= random_pair(prng);
      const std::uint64_t asked = random_pair(prng);
      ASSERT_EQ(std::popcount(asked), 2);
      hit_count += (word & asked) == asked ? 1U : 0U;
    }
    EXPECT_TRUE(within_band(hit_count, kTrialCount, pair_false_positives(key_count)))
        << hit_count << " hits with " << key_count << " keys";
  }
}

TEST(GenerationalSizingTest, AWordOfOneKeyErrsOnceInAllPairs) {
  EXPECT_EQ(pair_false_positives(0), 0);
  EXPECT_NEAR(pair_false_positives(1), 1.0 / 2016, 1e-12);
}

TEST(GenerationalSizingTest, ALaneIsTheSumOfItsDefinition) {
  for (const std::uint32_t line_count : {4U, 8U}) {
    for (const double lambda : {0.0, 0.001, 0.7, 1.0, 5.5, 16.37, 60.0, 200.0}) {
      const double expected = lane_by_definition(lambda, line_count);
      EXPECT_NEAR(generational_lane_false_positives(lambda, line_count), expected, expected * 1e-9)
          << lambda;
    }
  }
}

TEST(GenerationalSizingTest, TheCurrentLaneIsTheMeanOfAllItsFills) {
  for (const std::uint32_t line_count : {4U, 8U}) {
    for (const double lambda : {0.5, 16.37, 120.0, 2000.0}) {
      constexpr int kSteps = 4000;
      double sum = 0;
      for (int i = 0; i < kSteps; ++i) {
        sum += generational_lane_false_positives((i + 0.5) / kSteps * lambda, line_count);
      }
      EXPECT_NEAR(generational_current_false_positives(lambda, line_count) * kSteps / sum, 1, 1e-5)
          << lambda;
    }
  }
}

TEST(GenerationalSizingTest, AnEmptyFilterNeverErrsAndAFloodedOneAlways) {
  for (const std::uint32_t line_count : {4U, 8U}) {
    EXPECT_EQ(generational_false_positives(0, line_count), 0);
    EXPECT_NEAR(generational_false_positives(1e5, line_count), 1, 1e-9);
  }
}

TEST(GenerationalSizingTest, MoreKeysMakeMoreFalsePositives) {
  for (const std::uint32_t line_count : {4U, 8U}) {
    double before = 0;
    for (double lambda = 0.1; lambda < 100; lambda *= 1.1) {
      const double now = generational_false_positives(lambda, line_count);
      EXPECT_GT(now, before) << lambda;
      before = now;
    }
  }
}

TEST(GenerationalSizingTest, LambdaIsTheInverseOfFalsePositives) {
  for (const std::uint32_t line_count : {4U, 8U}) {
    for (const double rate : kRates) {
      const double lambda = generational_lambda(rate, line_count);
      EXPECT_NEAR(generational_false_positives(lambda, line_count) / rate, 1, 1e-6) << rate;
    }
  }
}

TEST(GenerationalSizingTest, ChoosesFourLinesForManyFalsePositivesAndEightForFew) {
  EXPECT_EQ(generational_shape(1e6, 0.003).line_count, 4U);
  EXPECT_EQ(generational_shape(1e6, 0.0029).line_count, 8U);
  const double eight_over_four = generational_lambda(0.003, 8) / generational_lambda(0.003, 4);
  EXPECT_NEAR(eight_over_four * 258 / 514, 1.034, 0.001);
}

TEST(GenerationalSizingTest, AgreesWithTheFiguresInItsHeader) {
  EXPECT_NEAR(generational_lambda(0.01, 4), 16.36, 0.005);
  EXPECT_NEAR(generational_lambda(0.001, 8), 23.33, 0.005);
  EXPECT_NEAR(generational_bits_per_live_key(0.01), 18.02, 0.005);
  EXPECT_NEAR(generational_bits_per_live_key(0.001), 25.18, 0.005);
}

TEST(GenerationalSizingTest, AShapeHoldsItsKeysAndHardlyMore) {
  for (const double rate : kRates) {
    for (const double keys : {5e3, 1e6, 2e7}) {
      const GenerationalShape shape = generational_shape(keys, rate);
      EXPECT_GE(generational_live_keys(shape, rate), keys);
      const GenerationalShape smaller{shape.bucket_count - 1, shape.line_count};
      EXPECT_LT(generational_live_keys(smaller, rate), keys);
      const double bits = static_cast<double>(generational_bytes(shape)) * 8 / keys;
      EXPECT_NEAR(bits / generational_bits_per_live_key(rate), 1, 0.2 * 1e4 / keys) << rate;
    }
  }
}

TEST(GenerationalSizingTest, AShapeHasAtLeastOneBucketAndAtMostTheLimit) {
  EXPECT_EQ(generational_shape(0, 0.01), (GenerationalShape{1, 4}));
  EXPECT_EQ(generational_shape(1e15, 0.01), (GenerationalShape{kBucketCountMax, 4}));
  EXPECT_EQ(generational_bytes({1, 4}), 258U);
  EXPECT_EQ(generational_bytes({kBucketCountMax, 8}), std::uint64_t{kBucketCountMax} * 514);
}

TEST(GenerationalSizingDeathTest, RefusesRatesBeyondTheLimits) {
  EXPECT_DEATH(generational_shape(1, 0.6), "false_positives");
  EXPECT_DEATH(generational_shape(1, 1e-15), "false_positives");
  EXPECT_DEATH(generational_lane_false_positives(1, 5), "line_count");
}

}  // namespace
}  // namespace weir::bloom
