// SPDX-License-Identifier: Apache-2.0
#include "bloom/elastic_bloom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "bloom/bloom_testing.h"
#include "bloom/probe.h"

namespace weir::bloom {
namespace {

constexpr std::int64_t kWindowNs = 7'000'000;

ElasticOptions options_of(double false_positives, std::uint64_t key_count_max) {
  return {.within = {kWindowNs},
          .false_positives_max = false_positives,
          .key_count_max = key_count_max};
}

// Keys at a rate, per window, for some windows.
void feed(ElasticBloom& window, base::Prng& prng, std::int64_t& now, std::int64_t rate,
          int window_count) {
  for (std::int64_t i = 0; i < rate * window_count; ++i) {
    now += kWindowNs / rate;
    window.first_test_then_set(prng.next(), {now});
  }
}

TEST(ElasticBloomTest, AgreesWithAnExactWindowWhateverTheRateDoes) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    base::Prng prng(seed);
    ElasticOptions options = options_of(1e-9, 20'000);
    options.refresh = seed % 2 == 1;
    ElasticBloom window(options);
    std::map<std::uint64_t, std::int64_t> exact;
    std::int64_t now = 0;
    for (int phase = 0; phase < 12; ++phase) {
      const auto step = static_cast<std::int64_t>(1 + prng.below(20'000));
      const std::uint64_t key_count = 1 + prng.below(3000);
      for (int i = 0; i < 3000; ++i) {
        now += static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(step)));
        const std::uint64_t key = mix(prng.below(key_count) + 1);
        const auto found = exact.find(key);
        const std::int64_t age = found == exact.end() ? 10 * kWindowNs : now - found->second;
        const bool tested = window.test(key, {now});
        const bool distinct = window.first_test_then_set(key, {now});
        ASSERT_EQ(tested, distinct);
        if (age < kWindowNs) {
          ASSERT_FALSE(distinct) << "seed " << seed << " age " << age;
        }
        if (age > kWindowNs + kWindowNs / 7 + 1) {
          ASSERT_TRUE(distinct) << "seed " << seed << " age " << age;
        }
        if (distinct || options.refresh) exact[key] = now;
      }
    }
    EXPECT_EQ(window.overflow_count(), 0U);
    EXPECT_LE(window.memory_bytes(), window.memory_bytes_max());
  }
}

TEST(ElasticBloomTest, AFewKeysLeaveExactlyAtTheEndOfTheirWindow) {
  ElasticBloom window(options_of(0.01, 1000));
  for (std::uint64_t key = 1; key <= 200; ++key) window.first_test_then_set(key, {1000});
  EXPECT_EQ(window.stage_count(), 0U);
  EXPECT_FALSE(window.test(5, {1000 + kWindowNs - 1}));
  EXPECT_TRUE(window.test(5, {1000 + kWindowNs}));
  EXPECT_LT(window.memory_bytes(), 16'000U);
  EXPECT_TRUE(*window.forget(5, {2000}));
  EXPECT_TRUE(window.first_test_then_set(5, {2000}));
}

TEST(ElasticBloomTest, GrowsInABurstOfFiveTimesAndShrinksBack) {
  base::Prng prng(1);
  ElasticBloom window(options_of(0.01, 1'000'000));
  std::int64_t now = 0;
  feed(window, prng, now, 10'000, 4);
  const std::size_t calm_bytes = window.memory_bytes();
  EXPECT_EQ(window.stage_count(), 1U) << "of the right size by now";
  feed(window, prng, now, 50'000, 2);
  EXPECT_GT(window.memory_bytes(), 3 * calm_bytes);
  EXPECT_LE(window.false_positives(), 0.01);
  feed(window, prng, now, 10'000, 5);
  EXPECT_EQ(window.stage_count(), 1U);
  EXPECT_LE(window.memory_bytes(), 2 * calm_bytes);
}

// While it grows, when it is full, and after: the rate stays below the one asked for.
TEST(ElasticBloomTest, KeepsItsFalsePositivesBelowTheBoundAtEveryMoment) {
  for (const double bound : {0.05, 0.01, 0.001}) {
    base::Prng prng(2);
    ElasticBloom window(options_of(bound, 100'000));
    std::int64_t now = 0;
    for (const std::int64_t rate : {500, 5000, 60'000, 90'000, 3000, 500}) {
      feed(window, prng, now, rate, 1);
      EXPECT_LE(window.false_positives(), bound * 1.02);
      std::uint64_t hits = 0;
      const std::uint64_t trials = 100'000;
      for (std::uint64_t i = 0; i < trials; ++i) {
        hits += window.test(prng.next(), {now}) ? 0U : 1U;
      }
      EXPECT_LE(static_cast<double>(hits) / static_cast<double>(trials), bound * 1.05 + 1e-4);
    }
  }
}

TEST(ElasticBloomTest, LetsThroughWhatItHasNoRoomFor) {
  base::Prng prng(3);
  ElasticBloom window(options_of(0.01, 2000));
  std::int64_t now = 0;
  feed(window, prng, now, 40'000, 1);
  EXPECT_GT(window.overflow_count(), 20'000U);
  EXPECT_LE(window.memory_bytes(), window.memory_bytes_max());
  EXPECT_LE(window.false_positives(), 0.011);
  const std::uint64_t before = window.overflow_count();
  now += 2 * kWindowNs;
  feed(window, prng, now, 1000, 4);
  EXPECT_EQ(window.overflow_count(), before) << "room comes back with time";
}

TEST(ElasticBloomTest, HoldsAsManyKeysAsItSays) {
  base::Prng prng(4);
  for (const std::uint64_t count : {1U, 100U, 3000U, 50'000U}) {
    ElasticBloom window(options_of(1e-3, count));
    std::int64_t now = 0;
    feed(window, prng, now, static_cast<std::int64_t>(count) * 9 / 10 + 1, 3);
    EXPECT_EQ(window.overflow_count(), 0U) << count;
  }
}

TEST(ElasticBloomTest, HoldsTwoThirdsOfItsKeysIfTheyComeAllAtOnce) {
  base::Prng prng(5);
  for (const double bound : {0.05, 0.01, 1e-6}) {
    for (const std::uint64_t count : {300U, 5000U, 100'000U}) {
      ElasticBloom window(options_of(bound, count));
      std::uint64_t false_positives = 0;
      for (std::uint64_t i = 0; i < count * 2 / 3; ++i) {
        false_positives += window.first_test_then_set(prng.next(), {1000}) ? 0U : 1U;
      }
      EXPECT_EQ(window.overflow_count(), 0U) << count << " at " << bound;
      EXPECT_LE(window.false_positives(), bound);
      EXPECT_LE(static_cast<double>(false_positives), 1 + bound * static_cast<double>(count));
    }
  }
}

TEST(ElasticBloomTest, ForgetsOneKeyAndNoOther) {
  ElasticBloom window(options_of(0.01, 10'000));
  const auto keys = random_keys(5, 3000);
  for (const std::uint64_t key : keys) window.first_test_then_set(key, {100});
  EXPECT_TRUE(*window.forget(keys[7], {200}));
  EXPECT_FALSE(*window.forget(keys[7], {200})) << "it is not remembered any more";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i != 7) {
      ASSERT_FALSE(window.test(keys[i], {300}));
    }
  }
  EXPECT_TRUE(window.test(keys[7], {300}));
  EXPECT_TRUE(window.first_test_then_set(keys[7], {400}));
  EXPECT_FALSE(window.first_test_then_set(keys[7], {500})) << "remembered anew";
  EXPECT_FALSE(window.test(keys[7], {400 + kWindowNs - 1}));
  EXPECT_TRUE(window.test(keys[7], {400 + kWindowNs + kWindowNs / 7 + 1}));
}

TEST(ElasticBloomTest, ForgetsABoundedNumberOfKeysPerWindow) {
  ElasticBloom window(options_of(1e-6, 100'000));
  const auto keys = random_keys(6, ElasticBloom::kForgottenCountMax + 1);
  for (const std::uint64_t key : keys) window.first_test_then_set(key, {100});
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    ASSERT_TRUE(window.forget(keys[i], {200}).has_value());
  }
  const auto refused = window.forget(keys.back(), {200});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().id, base::ErrorId::kEngineTooManyForgotten);
}

TEST(ElasticBloomTest, AClockThatGoesBackStandsStillAndIsCounted) {
  ElasticBloom window(options_of(0.01, 1000));
  window.first_test_then_set(1, {5000});
  EXPECT_FALSE(window.first_test_then_set(1, {10}));
  EXPECT_EQ(window.clock_backward_count(), 1U);
}

TEST(ElasticBloomTest, BatchesAnswerAsSingleKeysDo) {
  ElasticBloom one(options_of(0.01, 10'000));
  ElasticBloom many(options_of(0.01, 10'000));
  base::Prng prng(7);
  std::int64_t now = 0;
  for (int i = 0; i < 300; ++i) {
    now += static_cast<std::int64_t>(prng.below(100'000));
    std::vector<std::uint64_t> keys(prng.below(200));
    for (std::uint64_t& key : keys) key = mix(prng.below(4000));
    const auto distinct = std::make_unique<bool[]>(keys.size());
    many.first_test_then_set(keys, {now}, {distinct.get(), keys.size()});
    for (std::size_t k = 0; k < keys.size(); ++k) {
      ASSERT_EQ(one.first_test_then_set(keys[k], {now}), distinct[k]) << "batch " << i;
    }
  }
}

TEST(ElasticBloomTest, GoesOnFromItsBytes) {
  const ElasticOptions options = options_of(1e-4, 5000);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    base::Prng prng(seed);
    ElasticBloom window(options);
    std::int64_t now = 0;
    const auto step = [&] {
      now += static_cast<std::int64_t>(prng.below(prng.chance(0.01) ? kWindowNs : 9000));
      return mix(prng.below(4000));
    };
    for (int i = 0; i < 4000; ++i) {
      const std::uint64_t key = step();
      window.first_test_then_set(key, {now});
      if (i % 400 == 0) {
        EXPECT_TRUE(*window.forget(key, {now}));
      }
    }
    const std::string bytes = window.save();
    auto restored = ElasticBloom::restore(options, bytes);
    ASSERT_TRUE(restored.has_value());
    EXPECT_EQ(restored->save(), bytes);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t key = step();
      ASSERT_EQ(restored->first_test_then_set(key, {now}), window.first_test_then_set(key, {now}));
    }
    EXPECT_EQ(restored->save(), window.save());
    const auto bounded = ElasticBloom::restore(options_of(0.1, 50'000), bytes);
    ASSERT_TRUE(bounded.has_value()) << "it goes on with its own bounds";
    EXPECT_EQ(bounded->options().key_count_max, 5000U);
    ElasticOptions other = options;
    other.refresh = true;
    EXPECT_FALSE(ElasticBloom::restore(other, bytes).has_value());
  }
}

}  // namespace
}  // namespace weir::bloom
