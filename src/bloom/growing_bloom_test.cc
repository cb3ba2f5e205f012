// SPDX-License-Identifier: Apache-2.0
#include "bloom/growing_bloom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/prng.h"
#include "bloom/bloom_testing.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

using GrowingClassic = GrowingBloom<ClassicBloom>;
using GrowingTimer = GrowingBloom<TimerBloom>;

base::Instant at_second(std::int64_t seconds) {
  return base::Instant{} + base::Duration::seconds(seconds);
}

TimerOptions window(std::int64_t seconds) {
  return {.within = base::Duration::seconds(seconds), .tick = base::Duration::seconds(1)};
}

constexpr GrowthRule kRules[] = {GrowthRule::kDensity, GrowthRule::kCardinality};

TEST(GrowingBloomTest, NeverCallsASeenKeyDistinct) {
  for (const GrowthRule rule : kRules) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      base::Prng prng(seed);
      GrowingClassic filter({.first_shape = {100 + prng.below(1000), 4},
                             .stage_false_positive_rate = 0.05,
                             .rule = rule,
                             .factor = 1 + static_cast<std::uint32_t>(prng.below(3)),
                             .stage_count_max = 1 + static_cast<std::uint32_t>(prng.below(9))});
      std::unordered_set<std::uint64_t> exact;
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t key = mix(prng.below(1500));
        const bool unseen = exact.insert(key).second;
        const bool tested = filter.test(key);
        EXPECT_EQ(filter.first_test_then_set(key), tested) << "seed " << seed;
        if (!unseen) {
          ASSERT_FALSE(tested) << "seed " << seed;
        }
      }
      EXPECT_LE(filter.stage_count(), filter.options().stage_count_max);
      EXPECT_LE(filter.key_count(), exact.size());
    }
  }
}

TEST(GrowingBloomTest, NeverCallsAKeyOfTheWindowDistinct) {
  constexpr std::int64_t kSeconds = 40;
  for (const GrowthRule rule : kRules) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      base::Prng prng(seed);
      GrowingTimer filter({.first_shape = {300, 4},
                           .stage_false_positive_rate = 0.05,
                           .rule = rule,
                           .factor = 1 + static_cast<std::uint32_t>(seed % 2),
                           .stage_count_max = 12},
                          window(kSeconds));
      std::unordered_map<std::uint64_t, std::int64_t> delivered;
      std::int64_t now = 0;
      for (int i = 0; i < 4000; ++i) {
        now += prng.chance(0.1) ? 1 : 0;
        now += prng.chance(0.002) ? 100 : 0;
        const std::uint64_t key = mix(prng.below(3000));
        const auto last = delivered.find(key);
        const bool seen = last != delivered.end() && now - last->second < kSeconds;
        const bool tested = filter.test(key, at_second(now));
        if (seen) {
          ASSERT_FALSE(tested) << "seed " << seed;
        }
        ASSERT_EQ(filter.first_test_then_set(key, at_second(now)), tested) << "seed " << seed;
        if (tested) delivered[key] = now;
      }
      EXPECT_TRUE(filter.empty(at_second(now + kSeconds)));
      filter.advance(at_second(now + kSeconds));
      EXPECT_EQ(filter.stage_count(), 1U);
      EXPECT_EQ(filter.stage(0).shape(), filter.options().first_shape);
      EXPECT_EQ(filter.key_count(), 0U);
    }
  }
}

TEST(GrowingBloomTest, AStageIsFullAtTheThresholdsOfThePaper) {
  const BloomShape shape{10'000, 4};
  const double keys = cardinality_threshold(shape, 0.02);
  EXPECT_NEAR(std::pow(1 - std::pow(1 - 1.0 / 10'000, 4 * keys), 4), 0.02, 1e-9);
  EXPECT_NEAR(std::pow(density_threshold(shape, 0.02) / 10'000, 4), 0.02, 1e-9);
  GrowingClassic by_count({.first_shape = shape,
                           .stage_false_positive_rate = 0.02,
                           .rule = GrowthRule::kCardinality,
                           .stage_count_max = 3});
  GrowingClassic by_density({.first_shape = shape,
                             .stage_false_positive_rate = 0.02,
                             .rule = GrowthRule::kDensity,
                             .stage_count_max = 3});
  for (const std::uint64_t key : random_keys(1, 3'000)) {
    by_count.set(key);
    by_density.set(key);
  }
  ASSERT_EQ(by_count.stage_count(), 3U);
  ASSERT_EQ(by_density.stage_count(), 3U);
  EXPECT_EQ(by_count.stage_key_count(0), std::floor(keys) + 1);
  EXPECT_NEAR(static_cast<double>(by_density.stage(0).set_cell_count()),
              density_threshold(shape, 0.02), 4);
  EXPECT_NEAR(static_cast<double>(by_density.stage_key_count(0)), keys, 40);
  EXPECT_EQ(by_count.overfull_count(), 0U);
  for (const std::uint64_t key : random_keys(2, 5'000)) by_count.set(key);
  EXPECT_EQ(by_count.stage_count(), 3U);
  EXPECT_EQ(by_count.overfull_count(), by_count.key_count() - 3 * by_count.stage_key_count(0));
}

TEST(GrowingBloomTest, GrowsAThousandfoldWithinItsBoundsOfErrorAndMemory) {
  const GrowingOptions options = plan_growth(
      {.first_key_count = 1000, .false_positive_rate = 0.01, .factor = 2, .stage_count_max = 16});
  EXPECT_DOUBLE_EQ(options.stage_false_positive_rate * 16, 0.01);
  GrowingClassic filter(options);
  constexpr std::size_t kKeys = 1'000'000;
  const auto answers = std::make_unique<bool[]>(kKeys);
  filter.test_and_set(random_keys(1, kKeys), {answers.get(), kKeys});
  EXPECT_EQ(filter.stage_count(), 10U);
  EXPECT_EQ(filter.overfull_count(), 0U);
  const double bits_per_key = static_cast<double>(filter.memory_bytes()) * 8 / kKeys;
  EXPECT_LE(bits_per_key, 16.0);
  const auto others = random_keys(2, 100'000);
  const auto hits = std::ranges::count_if(others, [&](auto key) { return !filter.test(key); });
  EXPECT_LE(static_cast<double>(hits) / 100'000, 0.01);
  EXPECT_GT(hits, 0);
}

// The stages at each second, with so many keys a second in each third of the stream.
struct Burst {
  std::vector<std::size_t> stage_counts;
  std::uint64_t overfull_count = 0;
};

Burst run_burst(GrowthRule rule, std::int64_t window_seconds, std::size_t times) {
  constexpr std::size_t kKeysPerSecond = 20;
  // Room for a quarter more keys than a window has.
  const auto key_count = static_cast<std::uint64_t>(window_seconds) * kKeysPerSecond * 5 / 4;
  const GrowingOptions options = plan_growth({.first_key_count = key_count,
                                              .false_positive_rate = 0.05,
                                              .rule = rule,
                                              .factor = 1,
                                              .stage_count_max = 16});
  GrowingTimer filter(options, window(window_seconds));
  Burst burst;
  base::Prng prng(1);
  const std::int64_t third = 5 * window_seconds;
  for (std::int64_t second = 0; second < 3 * third; ++second) {
    const std::size_t count = kKeysPerSecond * (second / third == 1 ? times : 1);
    for (std::size_t i = 0; i < count; ++i) {
      filter.first_test_then_set(prng.next(), at_second(second));
    }
    burst.stage_counts.push_back(filter.stage_count());
  }
  burst.overfull_count = filter.overfull_count();
  return burst;
}

std::size_t most(const Burst& burst, std::size_t third) {
  const std::size_t count = burst.stage_counts.size() / 3;
  return std::ranges::max(std::span(burst.stage_counts).subspan(third * count, count));
}

TEST(GrowingBloomTest, ByDensityGrowsForABurstAndShrinksBackToOneFilter) {
  const Burst twice = run_burst(GrowthRule::kDensity, 60, 2);
  const Burst five_times = run_burst(GrowthRule::kDensity, 60, 5);
  for (const Burst& burst : {twice, five_times}) {
    EXPECT_EQ(most(burst, 0), 1U) << "a steady stream needs one";
    EXPECT_EQ(burst.stage_counts.back(), 1U);
    const auto last_third = std::span(burst.stage_counts).subspan(600);
    EXPECT_LE(std::ranges::count_if(last_third, [](auto count) { return count > 1; }), 2 * 60);
    EXPECT_EQ(burst.overfull_count, 0U);
  }
  EXPECT_GE(most(twice, 1), 2U);
  EXPECT_LE(most(twice, 1), 3U);
  EXPECT_GE(most(five_times, 1), 4U);
  EXPECT_LE(most(five_times, 1), 6U);
}

TEST(GrowingBloomTest, ByCardinalityFluctuatesBetweenOneAndTwoEvenInSteadyState) {
  const Burst steady = run_burst(GrowthRule::kCardinality, 60, 1);
  for (std::size_t third = 0; third < 3; ++third) EXPECT_EQ(most(steady, third), 2U);
  int change_count = 0;
  for (std::size_t i = 1; i < steady.stage_counts.size(); ++i) {
    change_count += steady.stage_counts[i] != steady.stage_counts[i - 1] ? 1 : 0;
  }
  EXPECT_GE(change_count, 15);
  EXPECT_EQ(most(run_burst(GrowthRule::kDensity, 60, 1), 1), 1U);
  EXPECT_GE(most(run_burst(GrowthRule::kCardinality, 60, 5), 1), 4U);
}

TEST(GrowingBloomTest, OnlyTheNewestStageTakesKeys) {
  GrowingTimer filter(
      {.first_shape = {500, 3}, .stage_false_positive_rate = 0.05, .stage_count_max = 8},
      window(100));
  base::Prng prng(3);
  std::uint64_t before = 0;
  std::size_t count_before = 1;
  for (std::int64_t second = 0; second < 90; ++second) {
    for (int i = 0; i < 3; ++i) filter.set(prng.next(), at_second(second));
    const std::uint64_t first = filter.stage(0).live_cell_count();
    if (count_before > 1) {
      EXPECT_EQ(first, before);
    }
    before = first;
    count_before = filter.stage_count();
  }
  EXPECT_GT(filter.stage_count(), 2U);
}

TEST(GrowingBloomTest, TheSizeOfTimedStagesStaysBoundedHoweverOftenTheyRefill) {
  GrowingTimer filter({.first_shape = {400, 3},
                       .stage_false_positive_rate = 0.05,
                       .rule = GrowthRule::kCardinality,
                       .factor = 2,
                       .stage_count_max = 4},
                      window(20));
  base::Prng prng(4);
  for (std::int64_t second = 0; second < 5000; ++second) {
    filter.first_test_then_set(prng.next(), at_second(second));
    for (std::size_t i = 0; i < filter.stage_count(); ++i) {
      ASSERT_LE(filter.stage(i).shape().cell_count, 800U);
    }
  }
}

TEST(GrowingBloomTest, TimeStandsStillWhereTheClockGoesBack) {
  GrowingTimer filter({.first_shape = {500, 3}}, window(10));
  filter.set(1, at_second(20));
  EXPECT_TRUE(filter.first_test_then_set(2, at_second(5)));
  EXPECT_EQ(filter.clock_backward_count(), 1U);
  EXPECT_FALSE(filter.test(2, at_second(29)));
  EXPECT_TRUE(filter.test(2, at_second(30)));
  filter.set(3, at_second(20), at_second(15));
  EXPECT_FALSE(filter.test(3, at_second(24)));
  EXPECT_TRUE(filter.test(3, at_second(25)));
  EXPECT_TRUE(filter.first_test_then_set(4, at_second(20), at_second(10)));
  EXPECT_EQ(filter.key_count(), 3U) << "what is over takes no place";
}

TEST(GrowingBloomTest, ADuplicateProlongsItsWindowOnlyWithRefresh) {
  for (const bool refresh : {false, true}) {
    TimerOptions options = window(10);
    options.refresh = refresh;
    GrowingTimer filter({.first_shape = {500, 3}}, options);
    filter.set(1, at_second(0));
    EXPECT_FALSE(filter.first_test_then_set(1, at_second(5)));
    EXPECT_EQ(filter.test(1, at_second(14)), !refresh);
  }
}

TEST(GrowingBloomTest, BatchesAnswerAsSingleKeysDo) {
  const GrowingOptions options = plan_growth({.first_key_count = 50, .stage_count_max = 6});
  GrowingClassic one(options);
  GrowingClassic many(options);
  GrowingTimer timed_one(options, window(4));
  GrowingTimer timed_many(options, window(4));
  base::Prng prng(5);
  for (std::int64_t second = 0; second < 12; ++second) {
    std::vector<std::uint64_t> keys(prng.below(300));
    for (std::uint64_t& key : keys) key = mix(prng.below(900));
    const auto answers = std::make_unique<bool[]>(keys.size());
    const std::span<bool> distinct(answers.get(), keys.size());
    many.test(keys, distinct);
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(one.test(keys[i]), distinct[i]);
    many.test_and_set(keys, distinct);
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(one.test_and_set(keys[i]), distinct[i]);
    timed_many.first_test_then_set(keys, at_second(second), distinct);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(timed_one.first_test_then_set(keys[i], at_second(second)), distinct[i]);
    }
  }
  EXPECT_GT(one.stage_count(), 2U);
  EXPECT_EQ(one.save(), many.save());
  EXPECT_EQ(timed_one.save(), timed_many.save());
}

TEST(GrowingBloomTest, GoesOnFromItsBytesAsItWouldHave) {
  const GrowingOptions options = plan_growth({.first_key_count = 40, .stage_count_max = 5});
  GrowingClassic classic(options);
  GrowingTimer timed(options, window(6));
  base::Prng prng(6);
  for (std::int64_t second = 0; second < 60; ++second) {
    auto classic_again = GrowingClassic::restore(classic.save());
    auto timed_again = GrowingTimer::restore(timed.save());
    ASSERT_TRUE(classic_again && timed_again);
    ASSERT_EQ(classic_again->save(), classic.save());
    ASSERT_EQ(timed_again->save(), timed.save());
    for (std::uint64_t i = prng.below(40); i > 0; --i) {
      const std::uint64_t key = mix(prng.below(1000));
      ASSERT_EQ(classic_again->test_and_set(key), classic.test_and_set(key));
      ASSERT_EQ(timed_again->first_test_then_set(key, at_second(second)),
                timed.first_test_then_set(key, at_second(second)));
    }
    EXPECT_EQ(classic_again->save(), classic.save());
    EXPECT_EQ(timed_again->save(), timed.save());
  }
  EXPECT_FALSE(GrowingTimer::restore(classic.save()));
  EXPECT_FALSE(GrowingClassic::restore(timed.save()));
}

}  // namespace
}  // namespace weir::bloom
