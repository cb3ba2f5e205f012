// SPDX-License-Identifier: Apache-2.0
#include "bloom/classic_bloom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/prng.h"
#include "bloom/bloom_testing.h"

namespace weir::bloom {
namespace {

double expected_rate(const BloomShape& shape, double key_count) {
  const auto m = static_cast<double>(shape.cell_count);
  const double k = shape.probe_count;
  return std::pow(1 - std::pow(1 - 1 / m, k * key_count), k);
}

TEST(ClassicBloomTest, NeverCallsASeenKeyDistinct) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    base::Prng prng(seed);
    ClassicBloom filter({1 + prng.below(5000), 1 + static_cast<std::uint32_t>(prng.below(10))});
    std::unordered_set<std::uint64_t> exact;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t key = mix(prng.below(1000));
      const bool unseen = exact.insert(key).second;
      const bool tested = filter.test(key);
      EXPECT_EQ(filter.test_and_set(key), tested) << "seed " << seed;
      if (!unseen) {
        ASSERT_FALSE(tested) << "seed " << seed;
      }
    }
  }
}

TEST(ClassicBloomTest, HasTheFalsePositivesOfTheFormula) {
  for (const BloomShape shape : {BloomShape{100'000, 4}, {64'000, 1}, {200'003, 7}}) {
    ClassicBloom filter(shape);
    for (const std::uint64_t key : random_keys(1, 12'000)) filter.set(key);
    const auto others = random_keys(2, 400'000);
    const auto hits = std::ranges::count_if(others, [&](auto key) { return !filter.test(key); });
    EXPECT_TRUE(
        within_band(static_cast<std::uint64_t>(hits), others.size(), expected_rate(shape, 12'000)))
        << hits << " of " << others.size();
  }
}

TEST(ClassicBloomTest, BatchesAnswerAsSingleKeysDo) {
  ClassicBloom one({3000, 5});
  ClassicBloom many({3000, 5});
  std::vector<std::uint64_t> keys = random_keys(3, 300);
  keys.insert(keys.end(), keys.begin(), keys.begin() + 100);
  const auto answers = std::make_unique<bool[]>(keys.size());
  const std::span<bool> distinct(answers.get(), keys.size());
  many.test_and_set(keys, distinct);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(one.test_and_set(keys[i]), distinct[i]);
  EXPECT_EQ(one, many);
  const auto others = random_keys(4, 500);
  const auto other_answers = std::make_unique<bool[]>(others.size());
  many.test(others, {other_answers.get(), others.size()});
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_EQ(one.test(others[i]), other_answers[i]);
  }
}

TEST(ClassicBloomTest, CountsItsCells) {
  ClassicBloom filter({1000, 3});
  for (const std::uint64_t key : random_keys(5, 100)) filter.set(key);
  std::uint64_t set_count = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) set_count += filter.cell(i) ? 1U : 0U;
  EXPECT_EQ(filter.set_cell_count(), set_count);
  EXPECT_DOUBLE_EQ(filter.density(), static_cast<double>(set_count) / 1000);
}

TEST(ClassicBloomTest, ComesBackFromItsBytes) {
  ClassicBloom filter({1000, 3});
  for (const std::uint64_t key : random_keys(6, 100)) filter.set(key);
  const auto restored = ClassicBloom::restore(filter.save());
  ASSERT_TRUE(restored.has_value());
  EXPECT_EQ(*restored, filter);
}

}  // namespace
}  // namespace weir::bloom
