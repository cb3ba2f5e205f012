// SPDX-License-Identifier: Apache-2.0
#include "match/content_matcher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/brute_force.h"
#include "match/content_workload_testing.h"

namespace weir::match {
namespace {

std::vector<Match> match(Matcher& matcher, const event::Event& event,
                         std::optional<double> score = std::nullopt) {
  filter::FixedScorer scorer(score);
  std::vector<Match> matches;
  matcher.match(event, scorer, matches);
  return matches;
}

std::vector<std::uint64_t> matching(Matcher& matcher, std::string_view json) {
  std::vector<std::uint64_t> ids;
  for (const Match& found : match(matcher, *event::event_of(json))) {
    ids.push_back(found.subscription.value);
  }
  return ids;
}

using Ids = std::vector<std::uint64_t>;

// The matcher under test beside its oracle.
struct Pair {
  ContentMatcher content;
  BruteForce oracle;
  std::uint64_t last_id = 0;

  void add(std::string_view text) { add(SubscriptionId{++last_id}, filter::filter_of(text)); }
  void add(SubscriptionId id, const filter::FilterPtr& filter) {
    content.add(id, filter);
    oracle.add(id, filter);
  }
  void remove(SubscriptionId id) {
    ASSERT_TRUE(content.remove(id));
    ASSERT_TRUE(oracle.remove(id));
  }
  void expect_agreement(const event::Event& event, std::optional<double> score = std::nullopt) {
    ASSERT_EQ(match(content, event, score), match(oracle, event, score)) << event.json();
  }
};

TEST(ContentMatcherTest, ReachesAConjunctionThroughItsMostSelectiveTerm) {
  ContentMatcher matcher;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    matcher.add(SubscriptionId{i},
                filter::filter_of(fmt::format("type = 'quote' and data.symbol = 'S{}' "
                                              "and data.price > {}",
                                              i % 100, i)));
  }
  EXPECT_EQ(matcher.sizes().by_point, 1000U);
  const auto matches =
      match(matcher, *event::event_of(R"({"type":"quote","data":{"symbol":"S7","price":350}})"));
  EXPECT_EQ(matches.size(), 4U) << "7, 107, 207, 307";
  // One for each of the ten with that symbol; the first few filters knew no better than the type.
  EXPECT_LE(matcher.counters().candidates, 13U);
  EXPECT_EQ(matcher.counters().matches, 4U);
  EXPECT_EQ(matcher.counters().events, 1U);
}

TEST(ContentMatcherTest, TellsHowConjunctionsAreReached) {
  ContentMatcher matcher;
  std::uint64_t id = 0;
  for (const char* text :
       {"type = 'a'", "data.x in (1, 2)", "source prefix '/a'", "source like '/a%b'", "data.x < 5",
        "data.x between 1 and 2", "time > timestamp '2026-01-01T00:00:00Z'", "exists data.y",
        "data.x != 5", "data.x = data.y", "type suffix 'x'", "data.s < 'x'", "not data.x = 5",
        "true", "cesql('type = ''a''')", "false", "data.x = 1 or data.x = 2"}) {
    matcher.add(SubscriptionId{++id}, filter::filter_of(text));
  }
  const MatchSizes sizes = matcher.sizes();
  EXPECT_EQ(sizes.by_point, 4U) << "= and cesql";
  EXPECT_EQ(sizes.by_range, 3U);
  EXPECT_EQ(sizes.by_door, 8U) << "in, prefix, like, suffix and any value";
  EXPECT_EQ(sizes.unindexed, 1U) << "not";
  EXPECT_EQ(sizes.always, 1U);
  EXPECT_EQ(sizes.never, 1U);
  EXPECT_EQ(sizes.conjunctions, 18U);
}

TEST(ContentMatcherTest, WhatSeveralValuesLeadToIsTriedOnce) {
  ContentMatcher matcher;
  matcher.add(SubscriptionId{7}, filter::filter_of("cesql('type = ''a'' OR subject = ''b''')"));
  const auto both = event::event_of(R"({"type":"a","subject":"b"})");
  for (std::uint64_t round = 1; round <= 3; ++round) {
    EXPECT_EQ(match(matcher, *both).size(), 1U);
    EXPECT_EQ(matcher.counters().candidates, 2 * round) << "through both";
    EXPECT_EQ(matcher.counters().matches, round);
  }
  EXPECT_EQ(match(matcher, *event::event_of(R"({"type":"x","subject":"b"})")).size(), 1U);
  EXPECT_TRUE(match(matcher, *event::event_of(R"({"type":"x","subject":"a"})")).empty());
  EXPECT_TRUE(match(matcher, *event::event_of(R"({"type":"x"})")).empty());
}

TEST(ContentMatcherTest, TheOracleTriesAll) {
  Pair pair;
  pair.add("data.x = 1 or data.x = 2");
  pair.add("not data.x = 5");
  EXPECT_EQ(pair.oracle.sizes().conjunctions, pair.content.sizes().conjunctions);
  EXPECT_EQ(pair.oracle.sizes().unindexed, 3U);
}

TEST(ContentMatcherTest, RemovalLeavesNothingBehind) {
  ContentMatcher matcher;
  filter::FilterGenerator generator(11, {.change = true, .distinct = true});
  std::uint64_t id = 0;
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t first = id + 1;
    while (id < first + 300) {
      if (const auto made = filter::Filter::create(generator.parsed())) {
        matcher.add(SubscriptionId{++id}, *made);
      }
    }
    EXPECT_GT(matcher.sizes().points, 0U);
    for (std::uint64_t gone = first; gone <= id; ++gone) {
      EXPECT_TRUE(matcher.remove(SubscriptionId{gone}));
    }
    EXPECT_EQ(matcher.sizes(), MatchSizes());
    EXPECT_EQ(matcher.size(), 0U);
    EXPECT_TRUE(match(matcher, *generator.event(), 2.0).empty());
  }
}

TEST(ContentMatcherTest, ReplacesABatchOfSubscriptions) {
  constexpr std::uint64_t kCount = 100;
  const auto filter_for = [](std::uint64_t value) {
    return filter::filter_of(fmt::format("data.a = {} and data.b > {}", value, value % 7));
  };
  Pair pair;
  for (std::uint64_t i = 0; i < kCount; ++i) pair.add(SubscriptionId{i}, filter_for(i));
  content::SpecBatch batch;
  for (std::uint64_t i = 0; i < kCount; i += 2) {
    pair.content.compile(SubscriptionId{i}, filter_for(i + 1), batch);
    pair.oracle.update(SubscriptionId{i}, filter_for(i + 1));
  }
  // Twice the same one: the last counts.
  pair.content.compile(SubscriptionId{0}, filter_for(5), batch);
  pair.oracle.update(SubscriptionId{0}, filter_for(5));
  pair.content.replace(batch);
  EXPECT_EQ(pair.content.size(), kCount);
  EXPECT_EQ(pair.content.sizes().conjunctions, kCount);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    pair.expect_agreement(*event::event_of(fmt::format(R"({{"data":{{"a":{},"b":5}}}})", i)));
  }
}

TEST(ContentMatcherTest, AFilterIsReportedOnceUnlessItHasChange) {
  ContentMatcher matcher;
  matcher.add(SubscriptionId{1}, filter::filter_of("type = 'a' or data.x = 1 or data.y > 0"));
  matcher.add(SubscriptionId{2},
              filter::filter_of("data.x = 1 and change(data.n) > 1 or data.y > 0 and "
                                "change(data.n) > 2"));
  const auto event = event::event_of(R"({"type":"a","data":{"x":1,"y":1}})");
  const std::vector<Match> expected = {
      {SubscriptionId{1}, 0}, {SubscriptionId{2}, 0}, {SubscriptionId{2}, 1}};
  EXPECT_EQ(match(matcher, *event), expected);
}

TEST(ContentMatcherTest, AppendsToTheMatches) {
  ContentMatcher matcher;
  matcher.add(SubscriptionId{1}, filter::filter_of("true"));
  filter::FixedScorer scorer;
  std::vector<Match> matches = {{SubscriptionId{9}, 0}, {SubscriptionId{1}, 0}};
  matcher.match(*event::event_of("{}"), scorer, matches);
  const std::vector<Match> expected = {
      {SubscriptionId{9}, 0}, {SubscriptionId{1}, 0}, {SubscriptionId{1}, 0}};
  EXPECT_EQ(matches, expected);
}

TEST(ContentMatcherTest, AListMayNameAValueTwiceAndInSeveralTypes) {
  ContentMatcher matcher;
  matcher.add(SubscriptionId{1}, filter::filter_of("data.x in (1, 1.0, '1', true, 2.5, 1)"));
  for (const char* value : {"1", "1.0", "1e0", "\"1\"", "true", "2.5"}) {
    EXPECT_EQ(matching(matcher, fmt::format(R"({{"data":{{"x":{}}}}})", value)), Ids{1}) << value;
  }
  for (const char* value : {"2", "\"1.0\"", "false", "null", "[1]", "\"true\""}) {
    EXPECT_EQ(matching(matcher, fmt::format(R"({{"data":{{"x":{}}}}})", value)), Ids{}) << value;
  }
  EXPECT_TRUE(matcher.remove(SubscriptionId{1}));
  EXPECT_EQ(matcher.sizes(), MatchSizes());
}

TEST(ContentMatcherTest, PrefixesOfOneAnother) {
  ContentMatcher matcher;
  std::uint64_t id = 0;
  for (const char* text : {"subject prefix 'a'", "subject prefix 'ab'", "subject prefix ''",
                           "subject prefix 'abcd'", "subject like 'ab_d%'", "subject like 'ab'"}) {
    matcher.add(SubscriptionId{++id}, filter::filter_of(text));
  }
  EXPECT_EQ(matching(matcher, R"({"subject":"abcd"})"), (Ids{1, 2, 3, 4, 5}));
  EXPECT_EQ(matching(matcher, R"({"subject":"ab"})"), (Ids{1, 2, 3, 6}));
  EXPECT_EQ(matching(matcher, R"({"subject":"b"})"), (Ids{3}));
  EXPECT_EQ(matching(matcher, "{}"), Ids{});
  EXPECT_TRUE(matcher.remove(SubscriptionId{2}));
  EXPECT_EQ(matching(matcher, R"({"subject":"ab"})"), (Ids{1, 3, 6}));
}

// Longer than what is looked up, and different only beyond that.
TEST(ContentMatcherTest, LongPrefixesAndSuffixes) {
  const std::string same(content::kAffixBytesMax, 's');
  ContentMatcher matcher;
  std::uint64_t id = 0;
  for (const auto& text :
       {fmt::format("subject prefix '{}x'", same), fmt::format("subject prefix '{}y'", same),
        fmt::format("subject suffix 'x{}'", same), fmt::format("subject suffix 'y{}'", same),
        fmt::format("subject like '{}x%'", same), fmt::format("subject like '%x{}'", same)}) {
    matcher.add(SubscriptionId{++id}, filter::filter_of(text));
  }
  const auto ids = [&](const std::string& subject) {
    return matching(matcher, fmt::format(R"({{"subject":"{}"}})", subject));
  };
  EXPECT_EQ(ids(same + "x"), (Ids{1, 5}));
  EXPECT_EQ(ids(same + "y" + same), (Ids{2, 4}));
  EXPECT_EQ(ids("x" + same), (Ids{3, 6}));
  EXPECT_EQ(ids(same), Ids{});
  EXPECT_EQ(matcher.sizes().points, 2U) << "one prefix and one suffix";
}

// All operators at all edges, each reached through an index and as the second term of a filter.
TEST(ContentMatcherTest, NumbersAtTheEdges) {
  const auto constants = std::to_array<std::string>(
      {"0", "1", "1.0", "1.5", "-1", "9007199254740992", "9007199254740993", "9007199254740992.0",
       "-9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
       "1e300", "-1e300", "5e-324", "'1'", "true", "timestamp '2026-01-01T00:00:00Z'"});
  Pair pair;
  for (const char* both : {"", "data.k = 1 and ", "data.k = 1 and not "}) {
    for (const std::string& constant : constants) {
      for (const char* op : {"=", "!=", "<", "<=", ">", ">="}) {
        pair.add(fmt::format("{}data.x {} {}", both, op, constant));
        pair.add(fmt::format("{}time {} {}", both, op, constant));
      }
    }
    for (std::size_t i = 0; i < 15; ++i) {
      for (std::size_t j = 0; j < 15; ++j) {
        pair.add(fmt::format("{}data.x between {} and {}", both, constants[i], constants[j]));
      }
    }
  }
  for (const char* value : {"0",
                            "-0.0",
                            "1",
                            "1.0",
                            "1.5",
                            "2",
                            "-1",
                            "9007199254740991",
                            "9007199254740992",
                            "9007199254740993",
                            "9007199254740994.0",
                            "-9007199254740993",
                            "-9007199254740992.0",
                            "9223372036854775807",
                            "9223372036854775806",
                            "9223372036854775808",
                            "-9223372036854775808",
                            "-9223372036854775809",
                            "18446744073709551616",
                            "1e300",
                            "1e999",
                            "-1e999",
                            "5e-324",
                            "1e-999",
                            "\"1\"",
                            "true",
                            "null",
                            "[]"}) {
    for (const char* time : {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000001Z",
                             "2025-12-31T23:59:59.999999999Z", "2026-01-01T01:00:00+01:00"}) {
      pair.expect_agreement(
          *event::event_of(fmt::format(R"({{"time":"{}","data":{{"k":1,"x":{}}}}})", time, value)));
    }
  }
}

// More paths side by side than are looked up one by one, and filters that come back under their
// ids.
TEST(ContentMatcherTest, AgreesOnManyPathsWhileFiltersComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    filter::FilterGenerator generator(seed, {.depth_max = 2, .change = true});
    Pair pair;
    for (int i = 0; i < 12; ++i) {
      pair.add(fmt::format("data.wide{0} = 1 or x{0} = 1 or data.deep.wide{0} > 1", i));
      pair.add(fmt::format("data.list[{0}] = {0} or data['it''s'].wide{0} prefix 'a'", i));
    }
    std::map<SubscriptionId, filter::FilterPtr> inside;
    std::vector<std::pair<SubscriptionId, filter::FilterPtr>> outside;
    for (std::uint64_t id = 100; outside.size() < 400;) {
      if (auto made = filter::Filter::create(generator.parsed())) {
        outside.emplace_back(SubscriptionId{id++}, std::move(*made));
      }
    }
    for (int round = 0; round < 1500; ++round) {
      const auto pick = [&](const auto& list) { return generator.prng().below(list.size()); };
      if (!outside.empty() && generator.prng().chance(0.55)) {
        std::swap(outside[pick(outside)], outside.back());
        pair.add(outside.back().first, outside.back().second);
        inside.insert(outside.back());
        outside.pop_back();
      } else if (!inside.empty()) {
        const auto gone = std::next(inside.begin(), static_cast<std::ptrdiff_t>(pick(inside)));
        pair.remove(gone->first);
        outside.emplace_back(*gone);
        inside.erase(gone);
      }
      pair.expect_agreement(*generator.event(), generator.prng().fraction() * 2);
    }
  }
}

TEST(ContentMatcherTest, HasTheChecksumOfWorkload1) {
  constexpr std::size_t kFilterCount = 10'000;
  ContentMatcher matcher;
  const auto conjunctions = content_conjunctions(ContentWorkload::kW1, kFilterCount);
  for (std::size_t i = 0; i < kFilterCount; ++i) {
    matcher.add(SubscriptionId{i}, filter::filter_of(to_text(conjunctions[i])));
  }
  EXPECT_EQ(matcher.sizes().unindexed, 0U);
  std::uint64_t sum = 0;
  std::uint64_t match_count = 0;
  std::uint64_t event_index = 0;
  for (const event::EventPtr& event : to_events(content_rows(ContentWorkload::kW1, 200))) {
    for (const Match& found : match(matcher, *event)) {
      sum += content_match_mix(event_index, found.subscription.value);
      ++match_count;
    }
    ++event_index;
  }
  EXPECT_EQ(match_count, 1445U) << "7.225 per event";
  EXPECT_EQ(sum, 0x0899554b44c76aaaU);
}

}  // namespace
}  // namespace weir::match
