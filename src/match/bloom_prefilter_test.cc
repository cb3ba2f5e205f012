// SPDX-License-Identifier: Apache-2.0
#include "match/bloom_prefilter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <string>

#include "base/hash.h"
#include "base/prng.h"
#include "bloom/probe.h"
#include "event/event_testing.h"
#include "filter/evaluate.h"
#include "filter/filter_testing.h"

namespace weir::match {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Pairs = std::vector<std::uint64_t>;

std::vector<PrefilterId> candidates_of(BloomPrefilter& prefilter, const Pairs& publication) {
  std::vector<PrefilterId> ids;
  prefilter.candidates(publication, [&](PrefilterId id) { ids.push_back(id); });
  return ids;
}

// Hashes of pairs drawn with skew, so that some come often.
Pairs random_pairs(base::Prng& prng, std::size_t count) {
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const double draw = prng.fraction();
    pairs.push_back(bloom::mix(static_cast<std::uint64_t>(draw * draw * 60) + 1));
  }
  return pairs;
}

bool has_all(const Pairs& publication, const Pairs& wanted) {
  return std::ranges::all_of(wanted, [&](std::uint64_t pair) {
    return std::ranges::find(publication, pair) != publication.end();
  });
}

// B of the paper, by definition.
std::bitset<kPrefilterBitCountMax> bits_of(const Pairs& pairs, const PrefilterOptions& options) {
  std::bitset<kPrefilterBitCountMax> bits;
  for (const std::uint64_t pair : pairs) {
    for (std::uint32_t i = 0; i < options.probe_count; ++i) {
      bits.set(bloom::probe(pair, i, options.bit_count));
    }
  }
  return bits;
}

// Both rules, fed alike, and what they should know.
struct Twins {
  explicit Twins(std::uint32_t bit_count, std::uint32_t probe_count)
      : every({.bit_count = bit_count,
               .probe_count = probe_count,
               .registration = Registration::kEveryBit}),
        rarest({.bit_count = bit_count, .probe_count = probe_count}) {}

  void add(const Pairs& pairs) {
    const PrefilterId id = every.add(pairs);
    EXPECT_EQ(rarest.add(pairs), id);
    EXPECT_TRUE(subscriptions.emplace(id, pairs).second);
  }

  void remove_one(base::Prng& prng) {
    const auto chosen = std::next(subscriptions.begin(),
                                  static_cast<std::ptrdiff_t>(prng.below(subscriptions.size())));
    every.remove(chosen->first);
    rarest.remove(chosen->first);
    subscriptions.erase(chosen);
  }

  // Each candidate once, the same by both rules and by definition, and none missed.
  void check(const Pairs& publication) {
    auto by_every = candidates_of(every, publication);
    auto by_rarest = candidates_of(rarest, publication);
    std::ranges::sort(by_every);
    std::ranges::sort(by_rarest);
    std::vector<PrefilterId> expected;
    const auto present = bits_of(publication, every.options());
    for (const auto& [id, pairs] : subscriptions) {
      const bool included = (bits_of(pairs, every.options()) & ~present).none();
      if (included) expected.push_back(id);
      ASSERT_TRUE(included || !has_all(publication, pairs));
    }
    ASSERT_EQ(by_every, expected);
    ASSERT_EQ(by_rarest, expected);
  }

  BloomPrefilter every;
  BloomPrefilter rarest;
  std::map<PrefilterId, Pairs> subscriptions;
};

TEST(BloomPrefilterTest, VisitsWhatThePublicationMayMatch) {
  BloomPrefilter prefilter({.bit_count = 512, .probe_count = 2});
  const PrefilterId both = prefilter.add(Pairs{11, 22});
  const PrefilterId one = prefilter.add(Pairs{11});
  const PrefilterId other = prefilter.add(Pairs{33});
  EXPECT_THAT(candidates_of(prefilter, {11, 44}), ElementsAre(one));
  EXPECT_THAT(candidates_of(prefilter, {11, 22}), UnorderedElementsAre(both, one));
  EXPECT_THAT(candidates_of(prefilter, {33}), ElementsAre(other));
  EXPECT_THAT(candidates_of(prefilter, {}), IsEmpty());
}

// Each value that a path with [*] leads to is a pair of the publication.
TEST(BloomPrefilterTest, MissesNoEventWithTheValueInSomeElement) {
  const filter::Operand path{event::parse_path("data.items[*].sku").value()};
  const auto pair_of = [](const event::Value& value) {
    return base::hash_bytes(event::to_display(value), 1);
  };
  BloomPrefilter prefilter({.bit_count = 64, .probe_count = 2});
  std::map<PrefilterId, filter::FilterPtr> filters;
  for (std::int64_t sku = 0; sku < 40; ++sku) {
    const PrefilterId id = prefilter.add(Pairs{pair_of(event::Value::of(sku))});
    filters[id] = filter::filter_of("data.items[*].sku = " + std::to_string(sku));
  }
  base::Prng prng(7);
  filter::FixedScorer scorer;
  for (int round = 0; round < 200; ++round) {
    std::string items;
    for (std::uint64_t count = prng.below(4); count > 0; --count) {
      items += (items.empty() ? "" : ",") + fmt::format(R"({{"sku":{}}})", prng.below(60));
    }
    const auto event = event::event_of(R"({"data":{"items":[)" + items + "]}}");
    Pairs publication;
    for (const event::Value& value : filter::resolve_all(path, *event)) {
      publication.push_back(pair_of(value));
    }
    const auto candidates = candidates_of(prefilter, publication);
    for (const auto& [id, filter] : filters) {
      if (!filter::evaluate(*filter->expr(), *event, scorer)) continue;
      ASSERT_THAT(candidates, testing::Contains(id)) << event->json();
    }
  }
}

TEST(BloomPrefilterTest, SubscriptionsWithoutEqualityAreAlwaysCandidates) {
  BloomPrefilter prefilter({});
  const PrefilterId id = prefilter.add({});
  EXPECT_EQ(prefilter.default_count(), 1U);
  EXPECT_THAT(candidates_of(prefilter, {}), ElementsAre(id));
  EXPECT_THAT(candidates_of(prefilter, {1, 2, 3}), ElementsAre(id));
  prefilter.remove(id);
  EXPECT_EQ(prefilter.default_count(), 0U);
  EXPECT_THAT(candidates_of(prefilter, {1, 2, 3}), IsEmpty());
}

TEST(BloomPrefilterTest, BothRulesFindWhatTheDefinitionSaysAndMissNothing) {
  for (const std::uint32_t bit_count : {64U, 128U, 256U, 512U, 1024U, 4096U}) {
    const std::uint64_t seed = bit_count;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    base::Prng prng(seed);
    Twins twins(bit_count, 1 + static_cast<std::uint32_t>(prng.below(4)));
    for (int step = 0; step < 1500; ++step) {
      const double action = prng.fraction();
      if (action < 0.5) {
        twins.add(random_pairs(prng, prng.below(6)));
      } else if (action < 0.7 && !twins.subscriptions.empty()) {
        twins.remove_one(prng);
      } else if (action < 0.8) {
        twins.rarest.reregister(prng.below(200));
      } else {
        ASSERT_NO_FATAL_FAILURE(twins.check(random_pairs(prng, 1 + prng.below(20))));
      }
    }
    EXPECT_EQ(twins.rarest.size(), twins.subscriptions.size());
    EXPECT_EQ(twins.every.size(), twins.subscriptions.size());
    while (!twins.subscriptions.empty()) twins.remove_one(prng);
    ASSERT_NO_FATAL_FAILURE(twins.check(random_pairs(prng, 20)));
    EXPECT_EQ(twins.every.size(), 0U);
  }
}

TEST(BloomPrefilterTest, CountsListsEntriesTestsAndCandidates) {
  const Pairs publication{1, 2, 3};
  for (const Registration rule : {Registration::kEveryBit, Registration::kRarestBit}) {
    BloomPrefilter prefilter({.bit_count = 512, .probe_count = 1, .registration = rule});
    const auto bits = bits_of(publication, prefilter.options());
    ASSERT_EQ(bits.count(), 3U);
    prefilter.add(Pairs{1, 2});
    prefilter.add(Pairs{1, 99});
    prefilter.add({});
    EXPECT_EQ(candidates_of(prefilter, publication).size(), 2U);
    const PrefilterCounters& counters = prefilter.counters();
    EXPECT_EQ(counters.publications, 1U);
    EXPECT_EQ(counters.lists, 4U);
    EXPECT_EQ(counters.candidates, 2U);
    EXPECT_EQ(counters.entries, counters.inclusion_tests + 1);
    // Lists of 1 and of 2: three entries, or as many as there are subscriptions at most.
    EXPECT_LE(counters.inclusion_tests, rule == Registration::kEveryBit ? 3U : 2U);
    EXPECT_GE(counters.inclusion_tests, rule == Registration::kEveryBit ? 3U : 1U);
  }
}

Pairs distinct_pairs(std::uint64_t first, std::size_t count) {
  Pairs pairs;
  for (std::uint64_t i = 0; i < count; ++i) pairs.push_back(bloom::mix(first + i));
  return pairs;
}

// Entries visited while every publication has all the common pairs and one of the rare ones.
std::uint64_t entries_of_round(BloomPrefilter& prefilter, const Pairs& common, const Pairs& rare) {
  const std::uint64_t before = prefilter.counters().entries;
  for (const std::uint64_t pair : rare) {
    Pairs publication = common;
    publication.push_back(pair);
    candidates_of(prefilter, publication);
  }
  return prefilter.counters().entries - before;
}

TEST(BloomPrefilterTest, FollowsADriftingStreamByReregistering) {
  BloomPrefilter prefilter({.bit_count = 4096, .probe_count = 1, .publications_per_halving = 100});
  const Pairs one = distinct_pairs(1000, 50);
  const Pairs two = distinct_pairs(2000, 50);
  entries_of_round(prefilter, one, two);
  for (std::size_t i = 0; i < one.size(); ++i) prefilter.add(Pairs{one[i], two[i]});
  // By the rarer bit, each of 50 publications meets one entry, and one whose bits are both common;
  // by the other bit, all 50.
  EXPECT_LE(entries_of_round(prefilter, one, two), 200U);
  EXPECT_EQ(prefilter.reregister(1000), 0U);
  EXPECT_GE(entries_of_round(prefilter, two, one), 2'400U);
  for (int round = 0; round < 10; ++round) entries_of_round(prefilter, two, one);
  std::size_t moved_count = 0;
  for (int i = 0; i < 5; ++i) moved_count += prefilter.reregister(10);
  EXPECT_GE(moved_count, 48U);
  EXPECT_LE(entries_of_round(prefilter, two, one), 200U);
}

TEST(BloomPrefilterTest, BeforeAnyPublicationListsBecomeAlike) {
  BloomPrefilter prefilter({.bit_count = 64, .probe_count = 4});
  base::Prng prng(5);
  for (int i = 0; i < 6400; ++i) prefilter.add(Pairs{prng.next(), prng.next()});
  const std::uint64_t pair = prng.next();
  candidates_of(prefilter, {pair});
  const std::size_t bit_count = bits_of({pair}, prefilter.options()).count();
  EXPECT_NEAR(static_cast<double>(prefilter.counters().entries),
              100.0 * static_cast<double>(bit_count), 40.0 * static_cast<double>(bit_count));
}

TEST(BloomPrefilterTest, EveryBitStaysWhereItIs) {
  BloomPrefilter prefilter({.registration = Registration::kEveryBit});
  prefilter.add(Pairs{1, 2});
  candidates_of(prefilter, {1});
  EXPECT_EQ(prefilter.reregister(10), 0U);
}

TEST(BloomPrefilterTest, GivesIdsAgainOnceTheyAreFree) {
  BloomPrefilter prefilter({});
  EXPECT_EQ(prefilter.add(Pairs{1}), 0U);
  EXPECT_EQ(prefilter.add(Pairs{2}), 1U);
  prefilter.remove(0);
  EXPECT_EQ(prefilter.size(), 1U);
  EXPECT_EQ(prefilter.add(Pairs{3}), 0U);
  EXPECT_EQ(prefilter.add(Pairs{4}), 2U);
}

TEST(BloomPrefilterTest, TakesAFilterAndTwelveBytesPerSubscription) {
  BloomPrefilter rarest({.bit_count = 256, .probe_count = 2});
  BloomPrefilter every(
      {.bit_count = 256, .probe_count = 2, .registration = Registration::kEveryBit});
  base::Prng prng(6);
  constexpr std::size_t kCount = 100'000;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Pairs pairs{prng.next(), prng.next()};
    rarest.add(pairs);
    every.add(pairs);
  }
  const auto bytes = [](const BloomPrefilter& prefilter) {
    return static_cast<double>(prefilter.memory_bytes()) / kCount;
  };
  EXPECT_GE(bytes(rarest), 44.0);
  EXPECT_LE(bytes(rarest), 2.1 * 44.0);  // vectors grow by doubling
  EXPECT_GT(bytes(every), 2.5 * bytes(rarest));
}

TEST(BloomPrefilterTest, RefusesWhatIsOutOfBounds) {
  EXPECT_DEATH(BloomPrefilter({.bit_count = 32}), "bit_count");
  EXPECT_DEATH(BloomPrefilter({.bit_count = 192}), "bit_count");
  EXPECT_DEATH(BloomPrefilter({.bit_count = 8192}), "bit_count");
  EXPECT_DEATH(BloomPrefilter({.probe_count = 0}), "probe_count");
  EXPECT_DEATH(BloomPrefilter({.probe_count = 17}), "probe_count");
  EXPECT_DEATH(BloomPrefilter({.publications_per_halving = 0}), "publications_per_halving");
  EXPECT_DEATH(BloomPrefilter({.publications_per_halving = 1U << 31U}), "publications_per_halving");
  BloomPrefilter prefilter({});
  EXPECT_DEATH(prefilter.remove(0), "places_");
  const PrefilterId id = prefilter.add({});
  prefilter.remove(id);
  EXPECT_DEATH(prefilter.remove(id), "places_");
}

}  // namespace
}  // namespace weir::match
