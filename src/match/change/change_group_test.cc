// SPDX-License-Identifier: Apache-2.0
#include "match/change/change_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/prng.h"
#include "event/event_testing.h"

namespace weir::match {
namespace {

using base::Duration;
using base::Instant;

std::vector<std::uint64_t> ids_of(const Firing& firing) {
  std::vector<std::uint64_t> ids;
  firing.for_each_span([&](const FiredRange&, ThresholdIndex::Span span) {
    ids.insert(ids.end(), span.begin(), span.end());
  });
  return ids;
}

class ChangeGroupTest : public testing::Test {
 protected:
  std::vector<std::uint64_t> update(ChangeGroup& group, const std::string& key, double value) {
    group.update(key, value, now_, nullptr, firing_);
    return ids_of(firing_);
  }
  std::vector<std::uint64_t> advance(ChangeGroup& group) {
    while (group.advance(now_, firing_)) {
      if (firing_.id_count > 0) return ids_of(firing_);
    }
    return {};
  }

  Instant now_{100};
  Firing firing_;
};

using Ids = std::vector<std::uint64_t>;

TEST_F(ChangeGroupTest, TellsThoseWhoseThresholdIsExceededInTheOrderOfThresholds) {
  ChangeGroup group{ChangeGroupOptions{}};
  group.join({1, 5});
  group.join({2, 1});
  group.join({3, 2});
  EXPECT_EQ(update(group, "k", 10), (Ids{2, 3, 1}));
  EXPECT_EQ(update(group, "k", 11), Ids{});
  EXPECT_EQ(update(group, "k", 12.5), (Ids{2, 3}));
  EXPECT_EQ(update(group, "k", 15.5), (Ids{2, 3, 1}));
  EXPECT_EQ(group.counters().readings.updates, 4);
  EXPECT_EQ(group.counters().readings.quiet, 1);
  EXPECT_EQ(group.counters().readings.fired, 8);
  EXPECT_EQ(group.source("k")->counters.fired, 8);
}

TEST_F(ChangeGroupTest, KeysHaveSourcesOfTheirOwn) {
  ChangeGroup group{ChangeGroupOptions{}};
  group.join({1, 5});
  EXPECT_EQ(update(group, "a", 10), Ids{1});
  EXPECT_EQ(update(group, "b", 10), Ids{1});
  EXPECT_EQ(update(group, "a", 16), Ids{1});
  EXPECT_EQ(group.last(1, 5, "b")->value, 10);
  EXPECT_EQ(group.last(1, 5, "c"), std::nullopt);
  EXPECT_EQ(group.last(1, 4, "a"), std::nullopt);
}

TEST_F(ChangeGroupTest, ASubscriberThatMovesKeepsWhatItWasTold) {
  ChangeGroup group{ChangeGroupOptions{}};
  group.join({1, 5});
  group.join({2, 5});
  update(group, "k", 10);
  EXPECT_TRUE(group.move(1, 5, 1));
  EXPECT_FALSE(group.move(1, 5, 1));
  EXPECT_EQ(update(group, "k", 12), Ids{1});
  EXPECT_EQ(group.last(2, 5, "k")->value, 10);
}

TEST_F(ChangeGroupTest, AfterForgettingTheNextReadingIsTheFirst) {
  ChangeGroup group{ChangeGroupOptions{}};
  group.join({1, 5, Initial::kNone});
  group.join({2, 5});
  EXPECT_EQ(update(group, "k", 10), Ids{2});
  EXPECT_TRUE(group.forget(1, 5, "k"));
  EXPECT_TRUE(group.forget(2, 5, "k"));
  EXPECT_FALSE(group.forget(1, 5, "other"));
  EXPECT_FALSE(group.forget(3, 5, "k"));
  EXPECT_EQ(group.last(1, 5, "k"), std::nullopt);
  EXPECT_EQ(update(group, "k", 10), Ids{2});
  EXPECT_EQ(group.last(1, 5, "k")->value, 10) << "taken silently, as the first one";
}

TEST_F(ChangeGroupTest, BeyondTheLimitOfKeysEverybodyIsToldAndNothingRemembered) {
  ChangeGroup group{ChangeGroupOptions{.key_count_max = 1}};
  group.join({1, 5});
  EXPECT_EQ(update(group, "a", 10), Ids{1});
  EXPECT_EQ(update(group, "b", 10), Ids{1});
  EXPECT_EQ(update(group, "b", 10), Ids{1});
  EXPECT_EQ(group.counters().overflow, 2);
  EXPECT_EQ(group.source_count(), 1);
  EXPECT_FALSE(group.set_last(1, 5, "b", {}));
}

TEST_F(ChangeGroupTest, ASourceThatIsIdleForSoLongIsRetired) {
  ChangeGroup group{ChangeGroupOptions{.idle = Duration{10}}};
  group.join({1, 5});
  update(group, "a", 10);
  now_ = Instant{105};
  update(group, "b", 10);
  now_ = Instant{109};
  EXPECT_EQ(update(group, "a", 11), Ids{});  // idle for nine
  now_ = Instant{115};
  EXPECT_EQ(update(group, "b", 11), Ids{1});
  now_ = Instant{119};
  update(group, "c", 11);
  EXPECT_EQ(group.source("a"), std::nullopt);
  EXPECT_EQ(group.counters().retired, 2);
  EXPECT_EQ(group.source_count(), 2);
}

TEST_F(ChangeGroupTest, WhatWasHeldIsToldWhenItIsDue) {
  ChangeGroupOptions options;
  options.timing.at_most_every = Duration{10};
  options.keep_events = true;
  ChangeGroup group{options};
  group.join({1, 5});
  group.join({2, 50});
  const event::EventPtr first = event::event_of(R"({"data":1})");
  const event::EventPtr second = event::event_of(R"({"data":2})");
  group.update("k", 10, now_, first, firing_);
  now_ = Instant{103};
  group.update("k", 20, now_, first, firing_);
  EXPECT_EQ(firing_.id_count, 0);
  now_ = Instant{104};
  group.update("k", 30, now_, second, firing_);
  EXPECT_EQ(firing_.id_count, 0);
  EXPECT_EQ(group.next_wake(), Instant{110});
  now_ = Instant{109};
  EXPECT_EQ(advance(group), Ids{});
  now_ = Instant{200};
  EXPECT_EQ(advance(group), Ids{1});
  EXPECT_EQ(firing_.at, Instant{110});
  EXPECT_EQ(firing_.value, 30);
  EXPECT_EQ(firing_.key, "k");
  EXPECT_EQ(firing_.event, second);
  EXPECT_EQ(firing_.ranges[0].before, (LastDelivery{10, Instant{100}, 2}));
  EXPECT_EQ(advance(group), Ids{});
  EXPECT_EQ(group.next_wake(), std::nullopt);
}

TEST_F(ChangeGroupTest, EqualStatesThatArePutBackOneByOneAreFewPieces) {
  ChangeGroup group{ChangeGroupOptions{}};
  for (std::uint64_t id = 0; id < 1000; ++id) group.join({id, static_cast<double>(id % 10)});
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t id = i * 7 % 1000;
    const double threshold = static_cast<double>(id % 10);
    EXPECT_TRUE(group.set_last(id, threshold, "k", {threshold < 5 ? 1.0 : 2.0, Instant{50}}));
  }
  EXPECT_EQ(group.piece_count(), 2);
  EXPECT_FALSE(group.set_last(1000, 1, "k", {}));
}

// A group that is told what another one tells goes on as that one does.
TEST_F(ChangeGroupTest, IsRestoredFromWhatItTells) {
  ChangeGroupOptions options;
  options.timing = {.silent_for = Duration{40}, .at_most_every = Duration{7}};
  options.idle = Duration{60};
  ChangeGroup group{options};
  std::vector<ChangeGroup::Joiner> joiners;
  base::Prng prng(12);
  for (std::uint64_t id = 0; id < 50; ++id) joiners.push_back({id, prng.fraction() * 4});
  for (const auto& joiner : joiners) group.join(joiner);
  const auto step = [&](std::vector<ChangeGroup*> groups) {
    now_.nanoseconds += static_cast<std::int64_t>(prng.below(6));
    const std::string key(1, static_cast<char>('a' + prng.below(4)));
    const double value = prng.fraction() * 10;
    Ids told;
    for (ChangeGroup* const each : groups) {
      Ids ids;
      for (Ids due = advance(*each); !due.empty(); due = advance(*each)) {
        ids.insert(ids.end(), due.begin(), due.end());
      }
      const Ids fired = update(*each, key, value);
      ids.insert(ids.end(), fired.begin(), fired.end());
      if (each == groups.front()) told = ids;
      ASSERT_EQ(ids, told);
    }
  };
  for (int i = 0; i < 500; ++i) step({&group});
  ChangeGroup restored{options};
  restored.join_all(joiners);
  group.for_each_source([&](const ChangeGroup::SourceView& source) {
    ASSERT_TRUE(restored.set_newest(source.key, *source.newest, source.event));
  });
  for (const auto& joiner : joiners) {
    for (const char* const key : {"a", "b", "c", "d"}) {
      const auto last = group.last(joiner.id, joiner.threshold, key);
      if (last) {
        ASSERT_TRUE(restored.set_last(joiner.id, joiner.threshold, key, *last));
      }
    }
  }
  for (int i = 0; i < 500 && !HasFatalFailure(); ++i) step({&group, &restored});
}

TEST_F(ChangeGroupTest, PiecesStayFewInALongStream) {
  ChangeGroup group{ChangeGroupOptions{}};
  base::Prng prng(2);
  for (std::uint64_t id = 0; id < 2000; ++id) group.join({id, prng.fraction() * 10});
  double value = 0;
  std::size_t most = 0;
  for (int i = 0; i < 100'000; ++i) {
    value += prng.fraction() - 0.5;
    update(group, "k", value);
    most = std::max(most, group.piece_count());
  }
  EXPECT_LE(most, 1000);
  for (std::uint64_t id = 0; id < 2000; ++id) group.join({10'000 + id, prng.fraction() * 10});
  update(group, "k", value + 1e6);
  EXPECT_EQ(group.piece_count(), 1);
}

// P1 of paper 002: between two deliveries every value is within c of the last delivered one. And no
// delivery is in vain.
TEST_F(ChangeGroupTest, EveryDeliveredSequenceConforms) {
  constexpr std::size_t kCount = 500;
  ChangeGroup group{ChangeGroupOptions{}};
  base::Prng prng(8);
  std::vector<double> thresholds;
  for (std::uint64_t id = 0; id < kCount; ++id) {
    thresholds.push_back(prng.fraction() * 5);
    group.join({id, thresholds[id]});
  }
  std::vector<double> lasts(kCount, std::numeric_limits<double>::infinity());
  double value = 0;
  for (int i = 0; i < 5'000; ++i) {
    value += prng.chance(0.01) ? (prng.fraction() - 0.5) * 50 : prng.fraction() - 0.5;
    for (const std::uint64_t id : update(group, "k", value)) {
      ASSERT_GT(std::abs(value - lasts[id]), thresholds[id]);
      lasts[id] = value;
    }
    for (std::size_t id = 0; id < kCount; ++id) {
      ASSERT_LE(std::abs(value - lasts[id]), thresholds[id]);
    }
  }
}

TEST_F(ChangeGroupTest, LeaversAreSweptAndTheLogStaysShort) {
  ChangeGroup group{ChangeGroupOptions{}};
  base::Prng prng(2);
  group.join({0, 1});
  update(group, "idle", 0);
  for (std::uint64_t id = 1; id < 20'000; ++id) {
    const double threshold = prng.fraction();
    group.join({id, threshold});
    if (id % 3 == 0) update(group, "k", static_cast<double>(id));
    ASSERT_TRUE(group.leave(id, threshold));
    ASSERT_LE(group.log_size(), 8000);
  }
  update(group, "k", 0);
  update(group, "idle", 10);
  EXPECT_EQ(group.source("k")->piece_count, 1);
  EXPECT_EQ(group.source("idle")->piece_count, 1);
  EXPECT_LT(group.memory_bytes(), 1'000'000);
}

TEST_F(ChangeGroupTest, ManyMovesDoNotMakeTheLogLong) {
  ChangeGroup group{ChangeGroupOptions{}};
  group.join({7, 0});
  update(group, "k", 5);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(group.move(7, i, i + 1));
    ASSERT_LE(group.log_size(), 8000);
  }
  EXPECT_EQ(group.last(7, 20'000, "k")->value, 5);
}

}  // namespace
}  // namespace weir::match
