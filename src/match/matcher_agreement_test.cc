// SPDX-License-Identifier: Apache-2.0
// Every matcher against the definition, spelled out here once more from the normal form: all small
// filters on all small events, then random ones while subscriptions come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/brute_force.h"
#include "match/content_matcher.h"

namespace weir::match {
namespace {

using filter::FilterPtr;

struct MatcherKind {
  const char* name;
  std::unique_ptr<Matcher> (*make)();
};

// A new matcher joins by one line.
constexpr std::array kMatchers = {
    MatcherKind{"BruteForce",
                []() -> std::unique_ptr<Matcher> { return std::make_unique<BruteForce>(); }},
    MatcherKind{"Content",
                []() -> std::unique_ptr<Matcher> { return std::make_unique<ContentMatcher>(); }},
};

class MatcherAgreementTest : public testing::TestWithParam<MatcherKind> {};

bool term_holds(const filter::Term& term, const event::Event& event, filter::Scorer& scorer) {
  return filter::evaluate(*term.predicate->predicate(), event, scorer) != term.negated;
}

std::vector<Match> by_definition(const std::map<SubscriptionId, FilterPtr>& filters,
                                 const event::Event& event, filter::Scorer& scorer) {
  std::vector<Match> matches;
  for (const auto& [id, filter] : filters) {
    const auto& conjunctions = filter->normal_form().conjunctions;
    for (std::uint32_t i = 0; i < conjunctions.size(); ++i) {
      const bool holds = std::ranges::all_of(conjunctions[i].terms, [&](const filter::Term& term) {
        return term_holds(term, event, scorer);
      });
      if (!holds) continue;
      matches.push_back({id, filter->has_change() ? i : 0});
      if (!filter->has_change()) break;
    }
  }
  return matches;
}

std::vector<std::string> small_filters() {
  const std::vector<std::string> predicates = {
      "type = 'a'",     "type != 'a'",         "data.x > 1",      "data.x <= 1",
      "data.x = '1'",   "data.x in (1, 'b')",  "exists data.x",   "data.x between 0 and 1",
      "type like 'a%'", "data.x prefix 'b'",   "type suffix 'b'", "data.x != data.y",
      "true",           "string(data.x) = '1'"};
  std::vector<std::string> filters;
  for (const std::string& first : predicates) {
    filters.push_back(first);
    filters.push_back("not " + first);
    for (const std::string& second : predicates) {
      for (const char* op : {" and ", " or ", " and not ", " or not "}) {
        filters.push_back(first + op + second);
        filters.push_back("not (" + first + op + second + ")");
      }
    }
  }
  return filters;
}

std::vector<event::EventPtr> small_events() {
  std::vector<event::EventPtr> events;
  for (const char* type : {"a", "b", "ab"}) {
    for (const char* x :
         {"", "\"x\":1", "\"x\":2", "\"x\":\"1\"", "\"x\":\"b\"", "\"x\":1.0", "\"x\":null",
          "\"x\":true", "\"x\":[1]", "\"x\":1,\"y\":1", "\"x\":2,\"y\":1"}) {
      events.push_back(
          event::event_of(std::string(R"({"type":")") + type + R"(","data":{)" + x + "}}"));
    }
  }
  return events;
}

TEST_P(MatcherAgreementTest, OnAllSmallFiltersAndEvents) {
  const auto matcher = GetParam().make();
  std::map<SubscriptionId, FilterPtr> filters;
  for (const std::string& text : small_filters()) {
    const SubscriptionId id{filters.size() + 1};
    filters.emplace(id, filter::filter_of(text));
    matcher->add(id, filters[id]);
  }
  filter::FixedScorer scorer;
  for (const event::EventPtr& event : small_events()) {
    std::vector<Match> matches;
    matcher->match(*event, scorer, matches);
    ASSERT_EQ(matches, by_definition(filters, *event, scorer)) << event->json();
  }
}

TEST_P(MatcherAgreementTest, OnRandomFiltersThatComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    filter::FilterGenerator generator(seed, {.change = true, .distinct = true});
    const auto matcher = GetParam().make();
    std::map<SubscriptionId, FilterPtr> filters;
    std::uint64_t last_id = 0;
    for (int round = 0; round < 300; ++round) {
      const auto made = filter::Filter::create(generator.parsed());
      if (made) {
        const SubscriptionId id{++last_id};
        filters.emplace(id, *made);
        matcher->add(id, *made);
      }
      if (!filters.empty() && generator.prng().chance(0.4)) {
        auto gone = filters.begin();
        std::advance(gone, generator.prng().below(filters.size()));
        ASSERT_TRUE(matcher->remove(gone->first));
        ASSERT_FALSE(matcher->remove(gone->first));
        filters.erase(gone);
      }
      ASSERT_EQ(matcher->size(), filters.size());
      filter::FixedScorer scorer(generator.prng().fraction() * 2);
      const event::EventPtr event = generator.event();
      std::vector<Match> matches;
      matcher->match(*event, scorer, matches);
      ASSERT_EQ(matches, by_definition(filters, *event, scorer)) << event->json();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Matchers, MatcherAgreementTest, testing::ValuesIn(kMatchers),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace weir::match
