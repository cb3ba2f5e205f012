// SPDX-License-Identifier: Apache-2.0
#include "bloom/timer_bloom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/prng.h"
#include "bloom/bloom_testing.h"

namespace weir::bloom {
namespace {

constexpr std::int64_t kTickNs = 10;

base::Instant at_tick(std::int64_t tick) { return {tick * kTickNs}; }

TimerOptions window(std::int64_t ticks, std::uint32_t equal_min = 0) {
  return {.within = {ticks * kTickNs}, .tick = {kTickNs}, .equal_min = equal_min};
}

// The paper's filter, word for word: counters, all of them decremented at every tick.
class Decremented {
 public:
  Decremented(BloomShape shape, const TimerOptions& options)
      : shape_(shape),
        options_(options),
        window_(options.within.nanoseconds / kTickNs),
        timers_(shape.cell_count) {}

  bool test(std::uint64_t key) const { return equal_count(key) < std::max(1U, options_.equal_min); }

  std::uint32_t equal_count(std::uint64_t key) const {
    std::unordered_map<std::int64_t, std::uint32_t> groups;
    std::uint32_t largest = 0;
    for (std::uint32_t i = 0; i < shape_.probe_count; ++i) {
      const std::int64_t timer = timers_[probe(key, i, shape_.cell_count)];
      if (timer == 0) return 0;
      largest = std::max(largest, ++groups[timer]);
    }
    return largest;
  }

  bool first_test_then_set(std::uint64_t key, std::int64_t at_tick) {
    const bool distinct = test(key);
    if (distinct || options_.refresh) set(key, at_tick);
    return distinct;
  }

  void set(std::uint64_t key, std::int64_t at_tick) {
    const std::int64_t value = std::min(window_, window_ - (tick_ - at_tick));
    for (std::uint32_t i = 0; i < shape_.probe_count; ++i) {
      std::int64_t& timer = timers_[probe(key, i, shape_.cell_count)];
      timer = std::max(timer, value);
    }
  }

  // After a window's ticks nothing is left to decrement.
  void advance(std::int64_t tick) {
    for (std::int64_t i = 0; i < std::min(tick - tick_, window_); ++i) {
      for (std::int64_t& timer : timers_) timer -= timer > 0 ? 1 : 0;
    }
    tick_ = std::max(tick_, tick);
  }

  std::int64_t tick() const { return tick_; }
  std::uint64_t live_cell_count() const {
    return timers_.size() - static_cast<std::uint64_t>(std::ranges::count(timers_, 0));
  }

 private:
  BloomShape shape_;
  TimerOptions options_;
  std::int64_t window_;
  std::vector<std::int64_t> timers_;
  std::int64_t tick_ = std::numeric_limits<std::int64_t>::min() / (4 * kTickNs);
};

// Mostly still or a tick on; rarely far ahead, and back.
std::int64_t next_tick(base::Prng& prng, std::int64_t tick, std::int64_t ticks) {
  const auto span = static_cast<std::uint64_t>(ticks);
  if (prng.chance(0.02)) return tick - 1 - static_cast<std::int64_t>(prng.below(span));
  if (prng.chance(0.005)) return tick + static_cast<std::int64_t>(prng.below(1'000'000'000'000));
  if (prng.chance(0.05)) return tick + static_cast<std::int64_t>(prng.below(2 * span));
  return tick + static_cast<std::int64_t>(prng.below(3) / 2);
}

void walk(std::uint64_t seed) {
  base::Prng prng(seed);
  const BloomShape shape{1 + prng.below(400), 1 + static_cast<std::uint32_t>(prng.below(6))};
  const auto ticks = static_cast<std::int64_t>(1 + prng.below(seed % 3 == 0 ? 6 : 150));
  TimerOptions options = window(ticks);
  options.equal_min = static_cast<std::uint32_t>(prng.below(shape.probe_count + 1));
  options.refresh = prng.chance(0.5);
  TimerBloom filter(shape, options);
  Decremented model(shape, options);
  std::uint64_t backward_count = 0;
  std::int64_t tick = seed % 2 == 0 ? -50 : 1'000'000;
  for (int i = 0; i < 1500; ++i) {
    tick = next_tick(prng, std::max(tick, model.tick()), ticks);
    const base::Instant now{tick * kTickNs + static_cast<std::int64_t>(prng.below(kTickNs))};
    backward_count += now < filter.latest() ? 1U : 0U;
    const std::uint64_t key = mix(prng.below(60));
    const std::uint64_t other = mix(prng.below(60));
    const std::int64_t at =
        tick + 3 - static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(ticks) + 6));
    model.advance(tick);
    ASSERT_EQ(filter.test(other, now), model.test(other));
    ASSERT_EQ(filter.equal_count(other, now), model.equal_count(other));
    ASSERT_EQ(filter.empty(now), model.live_cell_count() == 0);
    if (prng.chance(0.4)) {
      ASSERT_EQ(filter.first_test_then_set(key, now), model.first_test_then_set(key, model.tick()));
    } else if (prng.chance(0.5)) {
      ASSERT_EQ(filter.first_test_then_set(key, now, at_tick(at)),
                model.first_test_then_set(key, at));
    } else {
      filter.set(key, now, at_tick(at));
      model.set(key, at);
    }
    ASSERT_EQ(filter.live_cell_count(), model.live_cell_count());
    ASSERT_EQ(filter.clock_backward_count(), backward_count);
    ASSERT_EQ(filter.test(other, now), model.test(other));
    if (i % 300 == 0) {
      const std::string bytes = filter.save();
      auto restored = TimerBloom::restore(bytes);
      ASSERT_TRUE(restored.has_value());
      ASSERT_EQ(restored->save(), bytes);
      if (prng.chance(0.5)) filter = std::move(*restored);
    }
  }
}

TEST(TimerBloomTest, AnswersAsTimersThatAreDecrementedAtEveryTick) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    walk(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(TimerBloomTest, ForgetsAnEventAfterTheWindow) {
  for (const std::int64_t ticks : {1, 2, 3, 7, 64, 120, 127, 128, 1000}) {
    for (const std::int64_t begin : {-1000, -1, 0, 5}) {
      TimerBloom filter({1000, 3}, window(ticks));
      EXPECT_TRUE(filter.first_test_then_set(7, at_tick(begin)));
      EXPECT_FALSE(filter.test(7, {at_tick(begin + ticks).nanoseconds - 1}));
      EXPECT_TRUE(filter.test(7, at_tick(begin + ticks)));
      for (std::int64_t tick = begin; tick < begin + ticks; ++tick) {
        ASSERT_FALSE(filter.first_test_then_set(7, at_tick(tick))) << ticks << " at " << tick;
      }
      EXPECT_TRUE(filter.first_test_then_set(7, at_tick(begin + ticks))) << ticks;
    }
  }
}

TEST(TimerBloomTest, RoundsTheWindowUpToWholeTicks) {
  TimerOptions options = {.within = {15}, .tick = {10}};
  EXPECT_EQ(options.window_ticks(), 2U);
  options.within = {};
  EXPECT_EQ(options.window_ticks(), 0U);
  options = {.within = base::Duration::seconds(3), .tick = {1}};
  EXPECT_EQ(options.window_ticks(), 0U) << "more than 2^31";
  options = {.within = {std::numeric_limits<std::int64_t>::max()}, .tick = {0}};
  EXPECT_EQ(options.window_ticks(), 0U);
}

TEST(TimerBloomTest, ADuplicateProlongsItsWindowOnlyWithRefresh) {
  for (const bool refresh : {false, true}) {
    TimerOptions options = window(10);
    options.refresh = refresh;
    TimerBloom filter({1000, 3}, options);
    filter.set(7, at_tick(0));
    EXPECT_FALSE(filter.first_test_then_set(7, at_tick(6)));
    EXPECT_EQ(filter.test(7, at_tick(10)), !refresh);
    EXPECT_EQ(filter.test(7, at_tick(15)), !refresh);
    EXPECT_TRUE(filter.test(7, at_tick(16)));
  }
}

TEST(TimerBloomTest, ADelayedEventLivesFromItsOwnInstant) {
  TimerBloom filter({1000, 3}, window(10));
  filter.set(1, at_tick(20), at_tick(15));
  filter.set(2, at_tick(20), at_tick(10));
  filter.set(3, at_tick(20), at_tick(99));
  filter.set(4, at_tick(20));
  filter.set(4, at_tick(20), at_tick(12));
  EXPECT_FALSE(filter.test(1, at_tick(24)));
  EXPECT_TRUE(filter.test(1, at_tick(25)));
  EXPECT_TRUE(filter.test(2, at_tick(20))) << "already over";
  EXPECT_TRUE(filter.test(3, at_tick(30)));
  EXPECT_FALSE(filter.test(4, at_tick(29))) << "a timer is never shortened";
  EXPECT_TRUE(filter.first_test_then_set(5, at_tick(20), at_tick(10)));
  EXPECT_TRUE(filter.test(5, at_tick(20)));
}

TEST(TimerBloomTest, TimeStandsStillWhereTheClockGoesBack) {
  TimerBloom filter({1000, 3}, window(10));
  filter.set(1, at_tick(20));
  EXPECT_FALSE(filter.first_test_then_set(1, at_tick(-5)));
  EXPECT_TRUE(filter.first_test_then_set(2, at_tick(3)));
  EXPECT_EQ(filter.clock_backward_count(), 2U);
  EXPECT_EQ(filter.latest(), at_tick(20));
  EXPECT_FALSE(filter.test(2, at_tick(29)));
  EXPECT_TRUE(filter.test(2, at_tick(30)));
}

TEST(TimerBloomTest, TakesTheFirstAndTheLastInstants) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t tick : {std::int64_t{1}, std::int64_t{7}, kMost}) {
    TimerBloom filter({100, 2}, {.within = {tick}, .tick = {tick}});
    EXPECT_TRUE(filter.first_test_then_set(1, {kLeast}));
    EXPECT_FALSE(filter.first_test_then_set(1, {kLeast}));
    EXPECT_TRUE(filter.first_test_then_set(1, {kMost}));
    EXPECT_FALSE(filter.first_test_then_set(1, {kMost}));
    EXPECT_EQ(filter.live_cell_count(), 2U);
    EXPECT_FALSE(filter.empty({kMost}));
  }
}

TEST(TimerBloomTest, AnOldFilterBecomesEmptyByItself) {
  TimerBloom filter({5000, 4}, window(100));
  EXPECT_TRUE(filter.empty(at_tick(0)));
  for (const std::uint64_t key : random_keys(1, 300)) filter.set(key, at_tick(0));
  EXPECT_GT(filter.density(), 0.15);
  EXPECT_FALSE(filter.empty(at_tick(99)));
  EXPECT_TRUE(filter.empty(at_tick(100)));
  for (std::int64_t tick = 0; tick <= 100; ++tick) filter.advance(at_tick(tick));
  EXPECT_EQ(filter.live_cell_count(), 0U);
  EXPECT_EQ(filter.density(), 0.0);
}

TEST(TimerBloomTest, HasNoFalseNegativeAndTheFalsePositivesOfTheFormula) {
  const BloomShape shape{60'000, 5};
  constexpr std::int64_t kTicks = 120;
  constexpr std::size_t kKeysPerTick = 60;
  TimerBloom filter(shape, window(kTicks));
  const auto keys = random_keys(1, 4 * kTicks * kKeysPerTick);
  std::int64_t tick = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    tick = static_cast<std::int64_t>(i / kKeysPerTick);
    filter.set(keys[i], at_tick(tick));
    const std::size_t begin = i < 7000 ? 0 : i - 7000;
    if (i % 97 == 0) {
      for (std::size_t j = begin; j <= i; j += 53)
        ASSERT_FALSE(filter.test(keys[j], at_tick(tick)));
    }
  }
  const double key_count = kTicks * kKeysPerTick;
  const double empty_share = std::pow(1 - 1.0 / 60'000, 5 * key_count);
  const auto others = random_keys(2, 200'000);
  const auto hits = std::ranges::count_if(
      others, [&](std::uint64_t key) { return !filter.test(key, at_tick(tick)); });
  EXPECT_TRUE(
      within_band(static_cast<std::uint64_t>(hits), others.size(), std::pow(1 - empty_share, 5)))
      << hits;
  EXPECT_NEAR(filter.density(), 1 - empty_share, 0.01);
  EXPECT_LE(filter.memory_bytes(), 60'000 * 7 / 8 + 16 + 256 * 16) << "7 bits per timer";
}

// Every key in a tick of its own, so that equal timers are of one key.
TEST(TimerBloomTest, EqualTimersTradeFalsePositivesForFalseNegatives) {
  const BloomShape shape{20'000, 8};
  constexpr std::int64_t kKeys = 2000;
  const auto keys = random_keys(3, kKeys);
  const auto others = random_keys(4, 50'000);
  std::int64_t false_positives_before = std::numeric_limits<std::int64_t>::max();
  std::int64_t false_negatives_before = -1;
  for (const std::uint32_t equal_min : {1U, 2U, 4U, 6U, 8U}) {
    TimerBloom filter(shape, window(kKeys, equal_min));
    double expected = 0;
    for (std::int64_t i = 0; i < kKeys; ++i) {
      filter.set(keys[static_cast<std::size_t>(i)], at_tick(i));
      const double kept = std::pow(1 - 1.0 / 20'000, 8.0 * static_cast<double>(kKeys - 1 - i));
      double choices = 1;
      for (std::uint32_t j = 0; j < equal_min; ++j) {
        expected += choices * std::pow(kept, j) * std::pow(1 - kept, 8 - j) / kKeys;
        choices = choices * (8 - j) / (j + 1);
      }
    }
    const base::Instant now = at_tick(kKeys - 1);
    const auto distinct = [&](std::uint64_t key) { return filter.test(key, now); };
    const auto missed = std::ranges::count_if(keys, distinct);
    const auto hits =
        static_cast<std::int64_t>(others.size()) - std::ranges::count_if(others, distinct);
    if (equal_min > 2) {  // two equal ones may also be of another key
      EXPECT_TRUE(within_band(static_cast<std::uint64_t>(missed), kKeys, expected))
          << equal_min << ": " << missed << " missed, expected " << expected * kKeys;
    }
    EXPECT_LE(hits, false_positives_before) << equal_min;
    EXPECT_GE(missed, false_negatives_before) << equal_min;
    if (equal_min == 1) {
      EXPECT_EQ(missed, 0);
      EXPECT_GT(hits, 0);
    }
    if (equal_min == 6) {
      EXPECT_EQ(hits, 0);
    }
    false_positives_before = hits;
    false_negatives_before = missed;
  }
}

TEST(TimerBloomTest, BatchesAnswerAsSingleKeysDo) {
  TimerBloom one({3000, 5}, window(50));
  TimerBloom many({3000, 5}, window(50));
  std::vector<std::uint64_t> keys = random_keys(5, 300);
  keys.insert(keys.end(), keys.begin(), keys.begin() + 100);
  const auto answers = std::make_unique<bool[]>(keys.size());
  for (std::int64_t tick = 0; tick < 120; tick += 20) {
    const std::span<bool> distinct(answers.get(), keys.size());
    many.first_test_then_set(keys, at_tick(tick), distinct);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(one.first_test_then_set(keys[i], at_tick(tick)), distinct[i]);
    }
  }
  EXPECT_EQ(one.save(), many.save());
}

TEST(TimerBloomTest, GoesOnFromItsBytesAsItWouldHave) {
  TimerBloom filter({3000, 4}, window(60, 2));
  const auto keys = random_keys(6, 2000);
  for (std::size_t i = 0; i < 1000; ++i) {
    filter.first_test_then_set(keys[i], at_tick(static_cast<std::int64_t>(i / 10)));
  }
  auto restored = TimerBloom::restore(filter.save());
  ASSERT_TRUE(restored.has_value());
  EXPECT_EQ(restored->live_cell_count(), filter.live_cell_count());
  for (std::size_t i = 0; i < 2000; ++i) {
    const base::Instant now = at_tick(static_cast<std::int64_t>(100 + i / 10));
    ASSERT_EQ(restored->first_test_then_set(keys[i], now),
              filter.first_test_then_set(keys[i], now));
  }
  EXPECT_EQ(restored->save(), filter.save());
}

}  // namespace
}  // namespace weir::bloom
