// SPDX-License-Identifier: Apache-2.0
#include "bloom/block_bloom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/prng.h"
#include "bloom/block_sizing.h"
#include "bloom/bloom_testing.h"
#include "bloom/probe.h"

namespace weir::bloom {
namespace {

TEST(BlockBloomTest, NeverCallsASeenKeyDistinct) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    base::Prng prng(seed);
    BlockBloom filter(
        {.block_count = 1 + prng.below(200), .block_bits = seed % 2 == 0 ? 256U : 512U});
    std::unordered_set<std::uint64_t> exact;
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t key = mix(prng.below(1500));
      const bool unseen = exact.insert(key).second;
      const bool tested = filter.test(key);
      EXPECT_EQ(filter.test_and_set(key), tested) << "seed " << seed;
      if (!unseen) {
        ASSERT_FALSE(tested) << "seed " << seed;
      }
    }
  }
}

TEST(BlockBloomTest, HasTheFalsePositivesOfTheFormula) {
  for (const std::uint32_t block_bits : {256U, 512U}) {
    BlockBloom filter({.block_count = 4000, .block_bits = block_bits});
    filter.set(random_keys(1, 100'000));
    const auto others = random_keys(2, 400'000);
    const auto hits = std::ranges::count_if(others, [&](auto key) { return !filter.test(key); });
    EXPECT_TRUE(within_band(static_cast<std::uint64_t>(hits), others.size(),
                            block_false_positives(25, block_bits)))
        << hits << ", expected " << block_false_positives(25, block_bits) * 400'000;
  }
}

TEST(BlockBloomTest, AllMachinesGiveTheSameAnswersAndBits) {
  const auto keys = random_keys(3, 2000);
  const auto others = random_keys(4, 2000);
  for (const std::uint32_t block_bits : {256U, 512U}) {
    for (const std::uint64_t block_count : {1U, 7U, 100U, 100'000U}) {
      BlockBloom portable(
          {.block_count = block_count, .block_bits = block_bits, .isa = Isa::kPortable});
      std::vector<bool> expected;
      for (const std::uint64_t key : keys) expected.push_back(portable.test_and_set(key));
      for (const std::uint64_t key : others) expected.push_back(portable.test(key));
      for (const Isa isa : available_isas()) {
        BlockBloom filter({.block_count = block_count, .block_bits = block_bits, .isa = isa});
        const auto answers = std::make_unique<bool[]>(4000);
        filter.test_and_set(keys, {answers.get(), 2000});
        filter.test(others, {answers.get() + 2000, 2000});
        EXPECT_EQ(filter, portable) << name_of(isa);
        EXPECT_EQ(std::vector<bool>(answers.get(), answers.get() + 4000), expected) << name_of(isa);
        BlockBloom set_only({.block_count = block_count, .block_bits = block_bits, .isa = isa});
        set_only.set(keys);
        EXPECT_EQ(set_only, portable) << name_of(isa);
      }
    }
  }
}

TEST(BlockBloomTest, ComesBackFromItsBytes) {
  for (const std::uint32_t block_bits : {256U, 512U}) {
    BlockBloom filter({.block_count = 33, .block_bits = block_bits});
    filter.set(random_keys(5, 200));
    const std::string bytes = filter.save();
    const auto restored = BlockBloom::restore(bytes);
    ASSERT_TRUE(restored.has_value());
    EXPECT_EQ(*restored, filter);
    EXPECT_EQ(restored->save(), bytes);
    EXPECT_FALSE(BlockBloom::restore(bytes.substr(0, bytes.size() - 1)).has_value());
  }
}

}  // namespace
}  // namespace weir::bloom
