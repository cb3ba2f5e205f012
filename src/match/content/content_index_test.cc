// SPDX-License-Identifier: Apache-2.0
// The index as a whole: conjunctions that move while the stream goes on. Filters are added through
// the matcher, which compiles them; its oracle sees every event of a migration.
#include "match/content/content_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/prng.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/brute_force.h"
#include "match/content_matcher.h"

namespace weir::match::content {
namespace {

using filter::FilterPtr;

std::vector<Match> match(Matcher& matcher, const event::Event& event, double score = 1.0) {
  filter::FixedScorer scorer(score);
  std::vector<Match> matches;
  matcher.match(event, scorer, matches);
  return matches;
}

// The matcher beside its oracle, under random changes.
class Pair {
 public:
  void add(const FilterPtr& filter) {
    const SubscriptionId id{++last_id_};
    content.add(id, filter);
    oracle.add(id, filter);
    ids_.push_back(id);
  }
  void add_all(const std::vector<FilterPtr>& filters) {
    std::vector<Addition> additions;
    for (const FilterPtr& filter : filters) {
      additions.push_back({SubscriptionId{++last_id_}, filter});
      ids_.push_back(additions.back().id);
    }
    content.add_all(additions);
    oracle.add_all(additions);
  }
  // One comes, one goes, one gets another filter.
  void churn(base::Prng& prng, const FilterPtr& added, const FilterPtr& updated) {
    add(added);
    const SubscriptionId id = ids_[prng.below(ids_.size())];
    ASSERT_TRUE(content.update(id, updated));
    ASSERT_TRUE(oracle.update(id, updated));
    std::swap(ids_[prng.below(ids_.size())], ids_.back());
    ASSERT_TRUE(content.remove(ids_.back()));
    ASSERT_TRUE(oracle.remove(ids_.back()));
    ids_.pop_back();
  }
  void expect_agreement(const event::Event& event, double score = 1.0) {
    ASSERT_EQ(match(content, event, score), match(oracle, event, score)) << event.json();
    ASSERT_EQ(content.size(), oracle.size());
  }
  void expect_nothing_left() {
    for (const SubscriptionId id : ids_) ASSERT_TRUE(content.remove(id));
    EXPECT_EQ(content.sizes(), MatchSizes());
  }

  ContentMatcher content;
  BruteForce oracle;

 private:
  std::vector<SubscriptionId> ids_;
  std::uint64_t last_id_ = 0;
};

TEST(ContentIndexTest, WhatIsAlwaysTrueCostsNoCandidate) {
  ContentMatcher matcher;
  for (std::uint64_t id = 1; id <= 1000; ++id) {
    matcher.add(SubscriptionId{id}, filter::filter_of(id % 2 == 0 ? "true" : "not false"));
  }
  EXPECT_EQ(matcher.sizes().always, 1000U);
  for (std::uint64_t id = 3; id <= 1000; id += 3) EXPECT_TRUE(matcher.remove(SubscriptionId{id}));
  const auto matches = match(matcher, *event::event_of("{}"));
  EXPECT_EQ(matches.size(), 667U);
  for (const Match& found : matches) EXPECT_NE(found.subscription.value % 3, 0U);
  EXPECT_EQ(matcher.counters().candidates, 0U);
  EXPECT_EQ(matcher.counters().verified, 0U);
  EXPECT_EQ(matcher.counters().matches, 667U);
}

TEST(ContentIndexTest, WhatIsNeverTrueCostsNoCandidate) {
  ContentMatcher matcher;
  matcher.add(SubscriptionId{1}, filter::filter_of("false"));
  matcher.add(SubscriptionId{2}, filter::filter_of("type = 'test' and not type = 'test'"));
  EXPECT_EQ(matcher.sizes().never, 2U);
  EXPECT_TRUE(match(matcher, *event::event_of("{}")).empty());
  EXPECT_EQ(matcher.counters().candidates, 0U);
  EXPECT_TRUE(matcher.remove(SubscriptionId{1}));
  EXPECT_TRUE(matcher.remove(SubscriptionId{2}));
  EXPECT_EQ(matcher.sizes(), MatchSizes());
}

TEST(ContentIndexTest, CountsWhatSignaturesStopAndWhatIsLookedAt) {
  ContentMatcher matcher;
  constexpr std::uint64_t kCount = 500;
  for (std::uint64_t id = 0; id < kCount; ++id) {
    matcher.add(SubscriptionId{id},
                filter::filter_of(fmt::format("type = 'test' and data.n = {} and data.x = 1", id)));
  }
  const auto event = event::event_of(R"({"data":{"n":7,"x":2}})");
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(match(matcher, *event).empty());
  const MatchCounters& counters = matcher.counters();
  EXPECT_EQ(counters.events, 10U);
  EXPECT_EQ(counters.candidates, counters.signature_rejects + counters.verified);
  EXPECT_GT(counters.candidates, 0U);
  EXPECT_EQ(counters.matches, 0U);
}

// Points and ranges of few columns, which get a second grid, or of more than there are lanes; of
// events that lack some of them.
class ColumnCountTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::string random_term() {
    const std::uint64_t column = prng_.below(GetParam());
    const std::uint64_t low = prng_.below(1000);
    if (column % 2 == 0) return fmt::format("data.c{} = {}", column, low % 10);
    switch (prng_.below(4)) {
      case 0:
        return fmt::format("data.c{} > {}.1", column, low);
      case 1:
        return fmt::format("not data.c{} < {}", column, low);
      default:
        return fmt::format("data.c{} between {} and {}.7", column, low, low + prng_.below(300));
    }
  }

  event::EventPtr random_event() {
    std::string data = "\"z\":0";
    for (std::uint64_t column = 0; column < GetParam(); ++column) {
      if (prng_.chance(0.2)) continue;
      const std::uint64_t value = prng_.below(column % 2 == 0 ? 10 : 1000);
      data += fmt::format(R"(,"c{}":{})", column, value);
      if (prng_.chance(0.2)) data += column % 2 == 0 ? ".5" : ".1";
    }
    return event::event_of(fmt::format(R"({{"data":{{{}}}}})", data));
  }

  base::Prng prng_{16};
};

TEST_P(ColumnCountTest, AgreesWithTheOracle) {
  SCOPED_TRACE("seed 16");
  Pair pair;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 12; ++i) {
      pair.add(
          filter::filter_of(random_term() + " and " + random_term() + " and " + random_term()));
    }
    ASSERT_NO_FATAL_FAILURE(pair.expect_agreement(*random_event()));
  }
  EXPECT_GT(pair.content.counters().matches, 1000U);
  pair.expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(ColumnCounts, ColumnCountTest, testing::Values(3, 62, 150));

// Two attributes of which the filters ask for one pair of values each. In the one stream the first
// varies and the second does not, in the other it is the other way round.
class DriftTest : public testing::Test {
 protected:
  static constexpr std::size_t kFilterCount = 4000;

  FilterPtr pair_filter() {
    return filter::filter_of(fmt::format("data.a = {} and data.b = {}", prng_.below(value_count_),
                                         prng_.below(value_count_)));
  }
  // With ranges, lists, checks and disjunctions around the same attributes.
  FilterPtr mixed_filter() {
    const std::uint64_t a = prng_.below(value_count_);
    const std::uint64_t b = prng_.below(value_count_);
    switch (prng_.below(6)) {
      case 0:
        return filter::filter_of(fmt::format("data.a in ({}, {}) and data.b = {}", a, a + 1, b));
      case 1:
        return filter::filter_of(
            fmt::format("data.a between {} and {}.3 and data.b = {}", a, a + 1, b));
      case 2:
        return filter::filter_of(
            fmt::format("data.a = {} and data.b between {} and {}", a, b, b + 2));
      case 3:
        return filter::filter_of(fmt::format(
            "data.a = {} and string(data.b) prefix '{}' or data.b = {} and data.a != 1", a, b, b));
      case 4:
        return filter::filter_of(
            fmt::format("data.a = {} and data.b in ({}, {}, {})", a, b, b + 3, b + 5));
      default:
        return pair_filter();
    }
  }

  event::EventPtr event(bool first_varies) {
    const std::uint64_t varied = prng_.below(value_count_);
    const std::uint64_t fixed = prng_.below(2);
    return event::event_of(fmt::format(R"({{"data":{{"a":{},"b":{}}}}})",
                                       first_varies ? varied : fixed,
                                       first_varies ? fixed : varied));
  }

  // The mean number of candidates for the events of a stream, while nothing moves.
  double candidates_per_event(ContentMatcher& matcher, bool first_varies) {
    constexpr int kEventCount = 200;
    const MatchCounters before = matcher.counters();
    for (int i = 0; i < kEventCount; ++i) match(matcher, *event(first_varies));
    return static_cast<double>(matcher.counters().candidates - before.candidates) / kEventCount;
  }

  base::Prng prng_{14};
  std::uint64_t value_count_ = 40;
};

TEST_F(DriftTest, ConjunctionsMoveToWhatIsRareNow) {
  SCOPED_TRACE("seed 14");
  Pair pair;
  std::vector<FilterPtr> filters;
  for (std::size_t i = 0; i < kFilterCount; ++i) filters.push_back(pair_filter());
  for (const FilterPtr& filter : filters) pair.add(filter);
  constexpr int kEventCount = 16'000;
  for (int i = 0; i < kEventCount; ++i) match(pair.content, *event(true));
  const double at_first = candidates_per_event(pair.content, true);

  const double after_drift = candidates_per_event(pair.content, false);
  const MatchCounters before = pair.content.counters();
  EXPECT_GT(after_drift, 5 * at_first) << "otherwise there is nothing to gain";
  // All of them are compared with the oracle while conjunctions move, otherwise one of many.
  int compared_until = 0;
  std::uint64_t placements = before.placements;
  for (int i = 0; i < kEventCount; ++i) {
    if (i < compared_until || i % 64 == 0) {
      ASSERT_NO_FATAL_FAILURE(pair.expect_agreement(*event(false)));
    } else {
      match(pair.content, *event(false));
    }
    if (pair.content.counters().placements == placements) continue;
    placements = pair.content.counters().placements;
    compared_until = i + 1 + static_cast<int>(kFilterCount / 64) + 2;
  }
  EXPECT_GT(placements, before.placements);
  EXPECT_GE(pair.content.counters().moves, before.moves + kFilterCount);

  Pair fresh;
  fresh.add_all(filters);
  for (int i = 0; i < kEventCount; ++i) match(fresh.content, *event(false));
  const double adapted = candidates_per_event(pair.content, false);
  EXPECT_LT(adapted, 1.2 * candidates_per_event(fresh.content, false) + 1);
  EXPECT_LT(adapted, after_drift / 5);
  pair.expect_nothing_left();
}

// Of few values, so that every event leads to many that would be worth moving, if any were.
TEST_F(DriftTest, AStreamThatStaysTheSameMovesNothing) {
  SCOPED_TRACE("seed 14");
  value_count_ = 10;
  for (const bool mixed : {false, true}) {
    SCOPED_TRACE(mixed);
    ContentMatcher matcher;
    for (std::uint64_t id = 0; id < 2000; ++id) {
      matcher.add(SubscriptionId{id}, mixed ? mixed_filter() : pair_filter());
    }
    for (int i = 0; i < 20'000; ++i) match(matcher, *event(true));
    const MatchCounters before = matcher.counters();
    EXPECT_GT(candidates_per_event(matcher, true), 20);
    for (int i = 0; i < 20'000; ++i) match(matcher, *event(true));
    EXPECT_EQ(matcher.counters().placements, before.placements);
    EXPECT_EQ(matcher.counters().moves, before.moves);
  }
}

// Of so many values that chance decides which of them the last events had: the doors are as good as
// any, though others would have been better for the events that are known.
TEST(RareValuesTest, ChanceMovesNothing) {
  SCOPED_TRACE("seed 15");
  constexpr std::uint64_t kValueCount = 1000;
  constexpr std::uint64_t kFilterCount = 20'000;
  base::Prng prng(15);
  const auto value = [&] { return prng.below(kValueCount); };
  ContentMatcher matcher;
  std::vector<Addition> additions;
  for (std::uint64_t id = 0; id < kFilterCount; ++id) {
    additions.push_back({SubscriptionId{id}, filter::filter_of(fmt::format(
                                                 "data.a = {} and data.b = {} and data.c = {}",
                                                 value(), value(), value()))});
  }
  matcher.add_all(additions);
  for (int i = 0; i < 40'000; ++i) {
    match(matcher, *event::event_of(fmt::format(R"({{"data":{{"a":{},"b":{},"c":{}}}}})", value(),
                                                value(), value())));
  }
  EXPECT_EQ(matcher.counters().placements, 0U);
}

// Filters of many kinds that come, go and change with every event of the migrations.
TEST_F(DriftTest, FiltersComeAndGoWhileOthersMove) {
  SCOPED_TRACE("seed 14");
  Pair pair;
  std::vector<FilterPtr> filters;
  for (std::size_t i = 0; i < 2000; ++i) filters.push_back(mixed_filter());
  pair.add_all(filters);
  std::uint64_t placements = 0;
  int moving_event_count = 0;
  int churned_until = 0;
  for (int i = 0; i < 30'000; ++i) {
    const bool first_varies = i / 10'000 % 2 == 0;
    if (i < churned_until) {
      ASSERT_NO_FATAL_FAILURE(pair.churn(prng_, mixed_filter(), mixed_filter()));
      ASSERT_NO_FATAL_FAILURE(pair.expect_agreement(*event(first_varies)));
      ++moving_event_count;
    } else if (i % 256 == 0) {
      ASSERT_NO_FATAL_FAILURE(pair.expect_agreement(*event(first_varies)));
    } else {
      match(pair.content, *event(first_varies));
    }
    if (pair.content.counters().placements == placements) continue;
    placements = pair.content.counters().placements;
    churned_until = i + 60;
  }
  EXPECT_GE(placements, 2U);
  EXPECT_GT(moving_event_count, 100);
  pair.expect_nothing_left();
}

// Ranges side by side, of which every event lies in one or two.
class RangeDriftTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kFilterCount = 4000;

  static FilterPtr range_filter(std::uint64_t place) {
    return filter::filter_of(fmt::format("data.n between {} and {}", 10 * place, 10 * place + 10));
  }
  event::EventPtr event(std::uint64_t first_place, std::uint64_t last_place) {
    const std::uint64_t n = 10 * first_place + prng_.below(10 * (last_place - first_place));
    return event::event_of(fmt::format(R"({{"data":{{"n":{}}}}})", n));
  }
  double candidates_per_event(std::uint64_t first_place, std::uint64_t last_place) {
    constexpr int kEventCount = 400;
    const std::uint64_t before = pair_.content.counters().candidates;
    for (int i = 0; i < kEventCount; ++i) match(pair_.content, *event(first_place, last_place));
    return static_cast<double>(pair_.content.counters().candidates - before) / kEventCount;
  }

  Pair pair_;
  base::Prng prng_{17};
};

// The first filters make the grid, and all that come later lie beyond it: in one cell.
TEST_F(RangeDriftTest, RangesThatCameInOrderAreFoundApart) {
  SCOPED_TRACE("seed 17");
  for (std::uint64_t i = 0; i < kFilterCount; ++i) pair_.add(range_filter(i));
  for (int i = 0; i < 10'000; ++i) match(pair_.content, *event(0, kFilterCount));
  EXPECT_LT(candidates_per_event(0, kFilterCount), 100);
  for (int i = 0; i < 50; ++i) {
    ASSERT_NO_FATAL_FAILURE(pair_.expect_agreement(*event(0, kFilterCount)));
  }
  EXPECT_GT(pair_.content.counters().placements, 0U);
  const std::uint64_t moves = pair_.content.counters().moves;
  for (int i = 0; i < 20'000; ++i) match(pair_.content, *event(0, kFilterCount));
  EXPECT_EQ(pair_.content.counters().moves, moves) << "it stays with that";
}

// As clocks and counters do: beyond the numbers of yesterday there are only those of today.
TEST_F(RangeDriftTest, RangesFollowNumbersThatGrow) {
  SCOPED_TRACE("seed 17");
  constexpr std::uint64_t kHalf = kFilterCount / 2;
  for (std::uint64_t i = 0; i < kHalf; ++i) pair_.add(range_filter(i));
  for (int i = 0; i < 10'000; ++i) match(pair_.content, *event(0, kHalf));
  EXPECT_LT(candidates_per_event(0, kHalf), 60);
  for (std::uint64_t i = kHalf; i < kFilterCount; ++i) pair_.add(range_filter(i));
  EXPECT_GT(candidates_per_event(kHalf, kFilterCount), 1000);
  for (int i = 0; i < 20'000; ++i) match(pair_.content, *event(kHalf, kFilterCount));
  EXPECT_LT(candidates_per_event(kHalf, kFilterCount), 60);
  pair_.expect_nothing_left();
}

// A placement that suits few is followed by one that suits many, whatever the filters are.
TEST(OutgrownIndexTest, FiltersOfAllKindsMoveWhileTheyComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    filter::FilterGenerator generator(seed, {.depth_max = 2, .change = true, .distinct = true});
    const auto next_filter = [&] {
      for (;;) {
        if (const auto made = filter::Filter::create(generator.parsed())) return *made;
      }
    };
    Pair pair;
    while (pair.content.sizes().conjunctions < 3000) pair.add(next_filter());
    for (int i = 0; i < 20; ++i) {
      ASSERT_NO_FATAL_FAILURE(pair.expect_agreement(*generator.event()));
    }
    ASSERT_EQ(pair.content.counters().placements, 0U);
    while (pair.content.sizes().conjunctions < 4200) pair.add(next_filter());
    const std::size_t conjunction_count = pair.content.sizes().conjunctions;
    for (int i = 0; i < 100; ++i) {
      ASSERT_NO_FATAL_FAILURE(pair.churn(generator.prng(), next_filter(), next_filter()));
      ASSERT_NO_FATAL_FAILURE(
          pair.expect_agreement(*generator.event(), 2 * generator.prng().fraction()));
      const MatchSizes sizes = pair.content.sizes();
      ASSERT_EQ(sizes.conjunctions, sizes.by_point + sizes.by_range + sizes.by_door +
                                        sizes.unindexed + sizes.always + sizes.never);
    }
    EXPECT_EQ(pair.content.counters().placements, 1U);
    EXPECT_GT(pair.content.counters().moves, conjunction_count / 2);
    pair.expect_nothing_left();
  }
}

// All of it goes away in the middle of a migration, and other filters come.
TEST(OutgrownIndexTest, EverythingMayBeRemovedWhileItMoves) {
  Pair pair;
  base::Prng prng(15);
  SCOPED_TRACE("seed 15");
  std::vector<FilterPtr> filters;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    filters.push_back(filter::filter_of(
        fmt::format("data.n between {} and {} and data.k in ({}, {})", i, i + 10, i % 7, i % 5)));
  }
  for (const FilterPtr& filter : filters) pair.add(filter);
  const auto random_event = [&] {
    return event::event_of(
        fmt::format(R"({{"data":{{"n":{},"k":{}}}}})", prng.below(5100), prng.below(7)));
  };
  while (pair.content.counters().moves == 0) {
    ASSERT_NO_FATAL_FAILURE(pair.expect_agreement(*random_event()));
    ASSERT_LT(pair.content.counters().events, 1000U);
  }
  pair.expect_nothing_left();
  Pair other;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    const FilterPtr filter = filters[id * 40];
    pair.content.add(SubscriptionId{id}, filter);
    other.oracle.add(SubscriptionId{id}, filter);
  }
  for (int i = 0; i < 300; ++i) {
    const event::EventPtr event = random_event();
    ASSERT_EQ(match(pair.content, *event), match(other.oracle, *event)) << event->json();
  }
}

}  // namespace
}  // namespace weir::match::content
