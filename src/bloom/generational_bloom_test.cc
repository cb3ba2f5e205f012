// SPDX-License-Identifier: Apache-2.0
#include "bloom/generational_bloom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/prng.h"
#include "bloom/bloom_testing.h"
#include "bloom/probe.h"

namespace weir::bloom {
namespace {

using base::Duration;
using base::Instant;

constexpr std::int64_t kWindowNs = 7000;  // a generation is 1000
constexpr std::int64_t kUnseen = 100 * kWindowNs;

GenerationalOptions options_of(std::uint32_t bucket_count, std::uint32_t line_count = 4) {
  return {.shape = {bucket_count, line_count}, .within = {kWindowNs}, .start = {}};
}

// Small steps of time, silences of all lengths, and a clock that goes back.
std::int64_t next_instant(base::Prng& prng, std::int64_t now) {
  if (prng.chance(0.01)) return now + static_cast<std::int64_t>(prng.below(20 * kWindowNs));
  if (prng.chance(0.0005)) return now + static_cast<std::int64_t>(prng.below(1'000'000'000'000));
  if (prng.chance(0.02)) return now - static_cast<std::int64_t>(prng.below(kWindowNs));
  return now + static_cast<std::int64_t>(prng.below(30));
}

TEST(GenerationalBloomTest, RemembersForTheWindowAndAtMostASeventhLonger) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    base::Prng prng(seed);
    const bool refresh = seed % 2 == 1;
    GenerationalOptions options = options_of(1 + static_cast<std::uint32_t>(prng.below(3000)), 8);
    options.refresh = refresh;
    GenerationalBloom filter(options);
    std::map<std::uint64_t, std::int64_t> exact;  // when a key was last remembered
    std::int64_t now = 0;
    std::int64_t latest = 0;
    std::uint64_t false_positives = 0;
    for (int i = 0; i < 5000; ++i) {
      now = next_instant(prng, now);
      latest = std::max(latest, now);
      const std::uint64_t key = mix(1 + prng.below(60));
      const auto found = exact.find(key);
      const std::int64_t age = found == exact.end() ? kUnseen : latest - found->second;
      ASSERT_EQ(filter.test(key, {now}), filter.test(key, {latest}));
      const bool tested = filter.test(key, {now});
      const bool distinct = filter.first_test_then_set(key, {now});
      ASSERT_EQ(tested, distinct) << "seed " << seed << " step " << i;
      if (age < kWindowNs) {
        ASSERT_FALSE(distinct) << "seed " << seed << " age " << age;
      }
      if (age > kWindowNs + 1000) false_positives += distinct ? 0U : 1U;
      if (distinct || refresh) exact[key] = latest;
    }
    // With so few keys, hardly any; a single bucket has some.
    EXPECT_LE(false_positives, options.shape.bucket_count < 20 ? 500U : 1U) << "seed " << seed;
  }
}

TEST(GenerationalBloomTest, ForgetsAKeyBetweenTheWindowAndASeventhMore) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    base::Prng prng(seed);
    const std::uint64_t key = prng.next();
    const auto at = static_cast<std::int64_t>(prng.below(100'000));
    GenerationalBloom filter(options_of(1000));
    EXPECT_TRUE(filter.first_test_then_set(key, {at}));
    EXPECT_FALSE(filter.test(key, {at + kWindowNs - 1}));
    EXPECT_FALSE(filter.test(key, {at + kWindowNs}));
    EXPECT_TRUE(filter.test(key, {at + kWindowNs + 1000}));
  }
}

TEST(GenerationalBloomTest, ADuplicateRefreshesOnlyOnRequest) {
  for (const bool refresh : {false, true}) {
    GenerationalOptions options = options_of(100);
    options.refresh = refresh;
    GenerationalBloom filter(options);
    filter.set(1, {0});
    EXPECT_FALSE(filter.first_test_then_set(1, {5000}));
    EXPECT_EQ(filter.test(1, {9000}), !refresh);
    EXPECT_TRUE(filter.test(1, {13'001}));
  }
}

TEST(GenerationalBloomTest, ALateEventIsRememberedAsOfItsOwnTime) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    base::Prng prng(seed);
    const std::uint64_t key = prng.next();
    const auto now = static_cast<std::int64_t>(prng.below(20'000));
    const auto late = static_cast<std::int64_t>(prng.below(9000));
    GenerationalBloom filter(options_of(500));
    filter.set(key, {now}, {now - late});
    if (late < kWindowNs) {
      EXPECT_FALSE(filter.test(key, {now})) << "seed " << seed;
      EXPECT_FALSE(filter.test(key, {now - late + kWindowNs - 1})) << "seed " << seed;
    }
    if (late >= kWindowNs + 1000) {
      EXPECT_TRUE(filter.test(key, {now}));
    }
    EXPECT_TRUE(filter.test(key, {now - late + kWindowNs + 1000})) << "seed " << seed;
  }
}

TEST(GenerationalBloomTest, AClockThatGoesBackStandsStillAndIsCounted) {
  GenerationalBloom filter(options_of(100));
  filter.set(1, {50'000});
  EXPECT_FALSE(filter.first_test_then_set(1, {10}));
  EXPECT_TRUE(filter.first_test_then_set(2, {20}));
  EXPECT_EQ(filter.clock_backward_count(), 2U);
  EXPECT_EQ(filter.now(), Instant{50'000});
  EXPECT_FALSE(filter.test(2, {50'000 + kWindowNs - 1})) << "remembered as of the latest instant";
}

// The rate is the same at every moment; looked at in many, once the window is full.
TEST(GenerationalBloomTest, HasTheFalsePositivesOfTheFormula) {
  for (const std::uint32_t line_count : {4U, 8U}) {
    const double lambda = line_count == 4 ? 16.36 : 25;
    GenerationalBloom filter(options_of(2000, line_count));
    base::Prng prng(1);
    const auto key_count = static_cast<std::int64_t>(lambda * 2000);  // per generation
    std::uint64_t hit_count = 0;
    std::uint64_t trial_count = 0;
    for (std::int64_t i = 0; i < 12 * key_count; ++i) {
      const Instant now{i * 1000 / key_count};
      filter.set(prng.next(), now);
      if (i < 9 * key_count || i % 500 != 0) continue;
      for (int trial = 0; trial < 2000; ++trial) {
        hit_count += filter.test(prng.next(), now) ? 0U : 1U;
        ++trial_count;
      }
    }
    const double expected = generational_false_positives(lambda, line_count);
    EXPECT_TRUE(within_band(hit_count, trial_count, expected))
        << hit_count << " of " << trial_count << ", expected " << expected;
    EXPECT_NEAR(filter.false_positives() / expected, 1, 0.03);
  }
}

TEST(GenerationalBloomTest, AllMachinesGiveTheSameAnswersAndBits) {
  for (const std::uint32_t line_count : {4U, 8U}) {
    std::vector<std::string> states;
    std::vector<std::vector<bool>> answers;
    for (const Isa isa : available_isas()) {
      GenerationalOptions options = options_of(40, line_count);
      options.isa = isa;
      GenerationalBloom filter(options);
      base::Prng prng(7);
      std::vector<bool> seen;
      std::int64_t now = 0;
      for (int i = 0; i < 300; ++i) {
        now = next_instant(prng, now);
        std::vector<std::uint64_t> keys(1 + prng.below(60));
        for (std::uint64_t& key : keys) key = mix(prng.below(1500));
        const auto distinct = std::make_unique<bool[]>(2 * keys.size());
        filter.test(keys, {now}, {distinct.get() + keys.size(), keys.size()});
        filter.first_test_then_set(keys, {now}, {distinct.get(), keys.size()});
        seen.insert(seen.end(), distinct.get(), distinct.get() + 2 * keys.size());
      }
      states.push_back(filter.save());
      answers.push_back(seen);
    }
    for (std::size_t i = 1; i < states.size(); ++i) {
      EXPECT_EQ(states[i], states[0]) << name_of(available_isas()[i]);
      EXPECT_EQ(answers[i], answers[0]) << name_of(available_isas()[i]);
    }
  }
}

TEST(GenerationalBloomTest, BatchesAnswerAsSingleKeysDo) {
  for (const bool refresh : {false, true}) {
    GenerationalOptions options = options_of(50, 8);
    options.refresh = refresh;
    GenerationalBloom one(options);
    GenerationalBloom many(options);
    base::Prng prng(3);
    std::int64_t now = 0;
    for (int i = 0; i < 200; ++i) {
      now = next_instant(prng, now);
      std::vector<std::uint64_t> keys(prng.below(100));
      for (std::uint64_t& key : keys) key = mix(prng.below(3000));
      const auto distinct = std::make_unique<bool[]>(keys.size());
      many.first_test_then_set(keys, {now}, {distinct.get(), keys.size()});
      one.advance({now});
      for (std::size_t k = 0; k < keys.size(); ++k) {
        ASSERT_EQ(one.first_test_then_set(keys[k], one.now()), distinct[k]);
      }
    }
    many.advance({now});
    EXPECT_EQ(one.live_key_count(), many.live_key_count());
  }
}

// However long the silence, the first call after it does bounded work, and nothing old is left.
TEST(GenerationalBloomTest, ASilenceOfAnyLengthLeavesNothingBehind) {
  for (const std::int64_t generations :
       {7, 8, 9, 10, 255, 256, 65'535, 65'536, 65'537, 10'000'000}) {
    GenerationalBloom filter(options_of(200'000));
    const auto keys = random_keys(1, 3000);
    for (const std::uint64_t key : keys) filter.set(key, {500});
    EXPECT_EQ(filter.live_key_count(), 3000U);
    const Instant later{500 + generations * 1000 + 1000};
    for (const std::uint64_t key : keys) ASSERT_TRUE(filter.test(key, later)) << generations;
    for (const std::uint64_t key : keys) ASSERT_TRUE(filter.first_test_then_set(key, later));
    for (const std::uint64_t key : keys) ASSERT_FALSE(filter.test(key, later));
    // How many of the oldest generation are left is estimated.
    if (generations > 7) {
      EXPECT_EQ(filter.live_key_count(), 3000U);
    }
  }
}

TEST(GenerationalBloomTest, CountsItsKeysAndBecomesEmpty) {
  GenerationalBloom filter(options_of(1000));
  EXPECT_TRUE(filter.empty());
  for (std::int64_t i = 0; i < 1000; ++i) {
    filter.set(mix(static_cast<std::uint64_t>(i)), {i * 7});
  }
  EXPECT_EQ(filter.live_key_count(), 1000U);
  filter.advance({3 * kWindowNs});
  EXPECT_TRUE(filter.empty());
  EXPECT_EQ(filter.memory_bytes(), generational_bytes(filter.options().shape));
}

TEST(GenerationalBloomTest, GoesOnFromItsBytes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    base::Prng prng(seed);
    GenerationalBloom filter(options_of(20 + static_cast<std::uint32_t>(prng.below(50)), 8));
    std::int64_t now = 0;
    for (int i = 0; i < 500; ++i) {
      now = next_instant(prng, now);
      filter.first_test_then_set(mix(prng.below(300)), {now});
    }
    const std::string bytes = filter.save();
    auto restored = GenerationalBloom::restore(bytes, 100);
    ASSERT_TRUE(restored.has_value());
    EXPECT_EQ(restored->save(), bytes);
    for (int i = 0; i < 500; ++i) {
      now = next_instant(prng, now);
      const std::uint64_t key = mix(prng.below(300));
      ASSERT_EQ(restored->first_test_then_set(key, {now}), filter.first_test_then_set(key, {now}));
    }
    EXPECT_EQ(restored->save(), filter.save());
  }
}

TEST(GenerationalBloomTest, RefusesBytesThatAreDamaged) {
  GenerationalBloom filter(options_of(20));
  for (const std::uint64_t key : random_keys(1, 50)) filter.set(key, {100});
  const std::string bytes = filter.save();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_FALSE(GenerationalBloom::restore(damaged, 100).has_value());
    EXPECT_FALSE(GenerationalBloom::restore(bytes.substr(0, i), 100).has_value());
  }
  EXPECT_FALSE(GenerationalBloom::restore(bytes, 19).has_value()) << "beyond the limit";
}

}  // namespace
}  // namespace weir::bloom
