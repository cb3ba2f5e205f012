// SPDX-License-Identifier: Apache-2.0
#include "bloom/block_sizing.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

constexpr double kRates[] = {0.5, 0.1, 0.01, 0.001, 1e-6, 1e-9};

// Eight words, one bit of each per key; drawn, not derived from keys.
std::array<std::uint64_t, kBlockWordCount> random_block_bits(base::Prng& prng,
                                                             std::uint64_t word_bits) {
  std::array<std::uint64_t, kBlockWordCount> bits{};
  for (std::uint64_t& bit : bits) bit = std::uint64_t{1} << prng.below(word_bits);
  return bits;
}

TEST(BlockSizingTest, ErrsAsOftenAsDrawnBlocksDo) {
  base::Prng prng(21);
  constexpr std::uint64_t kBlockCount = 4000;
  constexpr std::uint64_t kTrialCount = 400'000;
  for (const std::uint32_t block_bits : {256U, 512U}) {
    const std::uint64_t word_bits = block_bits / kBlockWordCount;
    std::vector<std::array<std::uint64_t, kBlockWordCount>> blocks(kBlockCount);
    for (std::uint64_t i = 0; i < kBlockCount * 40; ++i) {
      auto& block = blocks[prng.below(kBlockCount)];
      const auto bits = random_block_bits(prng, word_bits);
      for (std::size_t w = 0; w < kBlockWordCount; ++w) block[w] |= bits[w];
    }
    std::uint64_t hit_count = 0;
    for (std::uint64_t i = 0; i < kTrialCount; ++i) {
      const auto& block = blocks[prng.below(kBlockCount)];
      const auto bits = random_block_bits(prng, word_bits);
      std::size_t set_count = 0;
      for (std::size_t w = 0; w < kBlockWordCount; ++w) set_count += (block[w] & bits[w]) != 0;
      hit_count += set_count == kBlockWordCount ? 1U : 0U;
    }
    const double rate = block_false_positives(40, block_bits);
    EXPECT_NEAR(static_cast<double>(hit_count) / kTrialCount / rate, 1, 0.05) << block_bits;
  }
}

TEST(BlockSizingTest, AgreesWithTheFiguresInItsHeader) {
  EXPECT_NEAR(block_bits_per_key(0.01, 256), 10.53, 0.005);
  EXPECT_NEAR(block_bits_per_key(0.01, 512), 10.10, 0.005);
  EXPECT_NEAR(block_bits_per_key(0.001, 256), 16.89, 0.005);
  EXPECT_NEAR(block_bits_per_key(0.001, 512), 15.72, 0.005);
}

TEST(BlockSizingTest, LambdaIsTheInverseOfFalsePositives) {
  for (const std::uint32_t block_bits : {256U, 512U}) {
    for (const double rate : kRates) {
      const double lambda = block_lambda(rate, block_bits);
      EXPECT_NEAR(block_false_positives(lambda, block_bits) / rate, 1, 1e-6) << rate;
    }
  }
}

TEST(BlockSizingTest, NeedsMoreThanAClassicFilterAndLargerBlocksNeedLess) {
  for (const double rate : kRates) {
    EXPECT_GT(block_bits_per_key(rate, 512), classic_bits_per_key(rate)) << rate;
    EXPECT_GT(block_bits_per_key(rate, 256), block_bits_per_key(rate, 512)) << rate;
  }
}

TEST(BlockSizingTest, CountsTheFewestBlocksThatHoldTheKeys) {
  EXPECT_EQ(block_count_for(0, 0.01, 512), 1U);
  const auto count = static_cast<double>(block_count_for(1e6, 0.01, 512));
  EXPECT_LE(block_false_positives(1e6 / count, 512), 0.01);
  EXPECT_GT(block_false_positives(1e6 / (count - 1), 512), 0.01);
}

TEST(BlockSizingDeathTest, KnowsOnlyTwoSizesOfBlocks) {
  EXPECT_DEATH(block_false_positives(1, 128), "block_bits");
}

}  // namespace
}  // namespace weir::bloom
