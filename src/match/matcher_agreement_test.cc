// SPDX-License-Identifier: Apache-2.0
// Every matcher against the definition, spelled out here once more from the normal form: all small
// filters on all small events, then random ones while subscriptions come, go and change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloom/isa.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/brute_force.h"
#include "match/content_matcher.h"

namespace weir::match {
namespace {

using filter::FilterPtr;
using Filters = std::map<SubscriptionId, FilterPtr>;

struct MatcherKind {
  std::string name;
  std::function<std::unique_ptr<Matcher>()> make;
};

// How a failure names its matcher.
void PrintTo(const MatcherKind& kind, std::ostream* out) { *out << kind.name; }

// A new matcher joins by one line.
std::vector<MatcherKind> matcher_kinds() {
  std::vector<MatcherKind> kinds = {{"BruteForce", [] { return std::make_unique<BruteForce>(); }}};
  for (const bloom::Isa isa : bloom::available_isas()) {
    std::string name = fmt::format("Content{}", bloom::name_of(isa));
    std::erase(name, '-');
    kinds.push_back({std::move(name), [isa] { return std::make_unique<ContentMatcher>(isa); }});
  }
  return kinds;
}

class MatcherAgreementTest : public testing::TestWithParam<MatcherKind> {};

bool term_holds(const filter::Term& term, const event::Event& event, filter::Scorer& scorer) {
  return filter::evaluate(*term.predicate->predicate(), event, scorer) != term.negated;
}

std::vector<Match> by_definition(const Filters& filters, const event::Event& event,
                                 filter::Scorer& scorer) {
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

// What a matcher is told, one step after the other, and what it must say of the event that follows.
// Made once and taken by every matcher.
struct Step {
  std::vector<Addition> bulk = {};
  std::vector<Addition> added = {};
  std::vector<SubscriptionId> removed = {};
  std::vector<Addition> updated = {};
  event::EventPtr event = {};
  std::optional<double> score = {};
  std::vector<Match> expected = {};
  std::size_t size = 0;
};
using Script = std::vector<Step>;

void play(const Script& script, Matcher& matcher) {
  for (const Step& step : script) {
    matcher.add_all(step.bulk);
    for (const Addition& addition : step.added) matcher.add(addition.id, addition.filter);
    for (const Addition& update : step.updated) {
      ASSERT_TRUE(matcher.update(update.id, update.filter));
    }
    for (const SubscriptionId id : step.removed) {
      ASSERT_TRUE(matcher.remove(id));
      ASSERT_FALSE(matcher.remove(id));
      ASSERT_FALSE(matcher.update(id, filter::filter_of("true")));
    }
    ASSERT_EQ(matcher.size(), step.size);
    filter::FixedScorer scorer(step.score);
    std::vector<Match> matches;
    matcher.match(*step.event, scorer, matches);
    ASSERT_EQ(matches, step.expected) << step.event->json();
  }
}

void finish(Step& step, const Filters& filters) {
  filter::FixedScorer scorer(step.score);
  step.expected = by_definition(filters, *step.event, scorer);
  step.size = filters.size();
}

// Each predicate alone and with each other, by and, or and not.
std::vector<std::string> combined(const std::vector<std::string>& predicates) {
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

std::vector<std::string> small_filters() {
  const std::vector<std::string> predicates = {
      "type = 'a'",
      "type != 'a'",
      "data.x > 1",
      "data.x <= 1",
      "data.x = '1'",
      "data.x in (1, 'b')",
      "data.x not in (1, 'b')",
      "data.x not in (0, 1, 2, 'b', true)",
      "exists data.x",
      "data.x between 0 and 1",
      "data.x < 0.3",
      "data.x >= 0.1",
      "data.x between 0.1 and 0.3",
      "type like 'a%'",
      "type like '%b'",
      "type like 'a_'",
      "data.x prefix 'b'",
      "type suffix 'b'",
      "data.x != data.y",
      "time > timestamp '2026-01-01T00:00:00Z'",
      "time <= timestamp '2026-01-01T00:00:00.5Z'",
      "timestamp(data.x) = timestamp '2026-01-01T00:00:00Z'",
      "cesql('type = ''a'' AND EXISTS time')",
      "cesql('type IN (''b'', ''ab'')')",
      "cesql('type = ''a'' OR EXISTS time')",
      "text(data.x) about 'storm' score >= 1",
      "true",
      "string(data.x) = '1'"};
  return combined(predicates);
}

// The same with [*].
std::vector<std::string> small_many_filters() {
  return combined({"type = 'a'",
                   "data.v[*] = 1",
                   "data.v[*] = 'b'",
                   "data.v[*] != 1",
                   "data.v[*] > 1",
                   "data.v[*] <= 1",
                   "data.v[*] between 0.1 and 0.3",
                   "data.v[*] between 1 and 2",
                   "data.v[*] in (1, 'b')",
                   "data.v[*] in (2)",
                   "data.v[*] in (0, 1, 2, 'b', true)",
                   "data.v[*] like 'b%'",
                   "data.v[*] like '%b'",
                   "data.v[*] like 'b'",
                   "data.v[*] prefix 'b'",
                   "data.v[*] suffix 'b'",
                   "exists data.v[*]",
                   "data.v[0] = 1",
                   "data.v[*] < data.v[0]",
                   "data.v[*] = data.w[*]",
                   "data.w[*][*].n >= 2",
                   "exists data.w[*][*].n",
                   "string(data.v[*]) = '1'",
                   "timestamp(data.v[*]) > timestamp '2026-01-01T00:00:00Z'"});
}

std::vector<event::EventPtr> small_many_events() {
  const std::vector<std::string> values = {"1",   "2",   R"("b")", R"("ab")",
                                           "0.3", "0.5", "null",   R"("2026-06-01T00:00:00Z")"};
  std::vector<std::string> arrays = {"[]"};
  for (const std::string& one : values) {
    arrays.push_back("[" + one + "]");
    for (const std::string& two : values) {
      arrays.push_back("[" + one + "," + two + "]");
      arrays.push_back("[" + one + "," + two + "," + values[arrays.size() % values.size()] + "]");
    }
  }
  std::vector<event::EventPtr> events = {event::event_of(R"({"type":"a","data":{"v":1}})")};
  const std::vector<std::string> others = {"[]", R"([[{"n":1},{"n":2}],[]])", "[1,2]",
                                           R"({"n":2})"};
  for (const std::string& array : arrays) {
    events.push_back(event::event_of(fmt::format(R"({{"type":"{}","data":{{"v":{},"w":{}}}}})",
                                                 events.size() % 2 == 0 ? "a" : "b", array,
                                                 others[events.size() % others.size()])));
  }
  return events;
}

std::vector<event::EventPtr> small_events() {
  std::vector<event::EventPtr> events;
  for (const char* type : {"a", "b", "ab"}) {
    for (const char* x :
         {"", R"("x":1)", R"("x":2)", R"("x":"1")", R"("x":"b")", R"("x":1.0)", R"("x":null)",
          R"("x":true)", R"("x":[1])", R"("x":1,"y":1)", R"("x":2,"y":1)", R"("x":0.1)",
          R"("x":0.09999999999999999)", R"("x":0.3)", R"("x":0.30000000000000004)",
          R"("x":"2026-01-01T01:00:00+01:00")"}) {
      for (const char* time :
           {"", R"("time":"2026-01-01T00:00:00Z",)", R"("time":"2026-01-01T00:00:00.25Z",)",
            R"("time":"2026-01-01T00:00:00.75Z",)"}) {
        events.push_back(
            event::event_of(fmt::format(R"({{{}"type":"{}","data":{{{}}}}})", time, type, x)));
      }
    }
  }
  return events;
}

Script script_of(const std::vector<std::string>& texts,
                 const std::vector<event::EventPtr>& events) {
  Script script;
  Filters filters;
  for (const event::EventPtr& event : events) {
    Step& step = script.emplace_back();
    if (filters.empty()) {
      for (const std::string& text : texts) {
        const SubscriptionId id{filters.size() + 1};
        filters.emplace(id, filter::filter_of(text));
        step.added.push_back({id, filters[id]});
      }
    }
    step.event = event;
    if (script.size() % 3 != 0) step.score = static_cast<double>(script.size() % 3);
    finish(step, filters);
  }
  return script;
}

const Script& small_script() {
  static const Script kScript = script_of(small_filters(), small_events());
  return kScript;
}

const Script& small_many_script() {
  static const Script kScript = script_of(small_many_filters(), small_many_events());
  return kScript;
}

// Random filters and changes to them.
class ScriptMaker {
 public:
  explicit ScriptMaker(std::uint64_t seed)
      : generator_(seed, {.depth_max = 2, .change = true, .distinct = true}) {}

  // Each step: some come at once, some come alone, some go, some get another filter.
  struct Counts {
    std::size_t bulk = 0;
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t updated = 0;
  };
  void add_step(const Counts& counts) {
    Step& step = script_.emplace_back();
    for (std::size_t i = 0; i < counts.bulk; ++i) step.bulk.push_back(addition());
    for (std::size_t i = 0; i < counts.added; ++i) step.added.push_back(addition());
    for (std::size_t i = 0; i < counts.updated && !filters_.empty(); ++i) {
      const auto at = any();
      at->second = filter();
      step.updated.push_back({at->first, at->second});
    }
    for (std::size_t i = 0; i < counts.removed && !filters_.empty(); ++i) {
      const auto at = any();
      step.removed.push_back(at->first);
      filters_.erase(at);
    }
    step.event = generator_.event();
    if (generator_.prng().chance(0.8)) step.score = generator_.prng().fraction() * 3;
    finish(step, filters_);
  }

  base::Prng& prng() { return generator_.prng(); }
  Script take() { return std::move(script_); }

 private:
  FilterPtr filter() {
    for (;;) {
      if (auto made = filter::Filter::create(generator_.parsed())) return *std::move(made);
    }
  }
  Addition addition() {
    // Ids come back, and some need more than 32 bits.
    SubscriptionId id{prng().below(1'000'000) << (prng().below(2) * 30)};
    while (filters_.contains(id)) ++id.value;
    const auto at = filters_.emplace(id, filter()).first;
    return {at->first, at->second};
  }
  Filters::iterator any() {
    return std::next(filters_.begin(), static_cast<std::ptrdiff_t>(prng().below(filters_.size())));
  }

  filter::FilterGenerator generator_;
  Filters filters_;
  Script script_;
};

// From nothing to a few hundred, with every change followed by an event.
const Script& growing_script(std::uint64_t seed) {
  static std::map<std::uint64_t, Script> scripts;
  Script& script = scripts[seed];
  if (!script.empty()) return script;
  ScriptMaker maker(seed);
  for (int round = 0; round < 300; ++round) {
    maker.add_step({.bulk = maker.prng().chance(0.05) ? maker.prng().below(20) : 0,
                    .added = 1,
                    .removed = maker.prng().chance(0.4) ? 1U : 0U,
                    .updated = maker.prng().chance(0.3) ? 1U : 0U});
  }
  return script = maker.take();
}

// About 2 000 filters and 550 events: a million pairs.
constexpr std::size_t kLargeScriptPairs = 1'000'000;
const Script& large_script(std::uint64_t seed) {
  static std::map<std::uint64_t, Script> scripts;
  Script& script = scripts[seed];
  if (!script.empty()) return script;
  ScriptMaker maker(seed);
  maker.add_step({.bulk = 1500});
  maker.add_step({.added = 500});
  for (int round = 0; round < 550; ++round) {
    maker.add_step({.bulk = round % 50 == 49 ? 100U : 0U,
                    .added = 2,
                    .removed = round % 50 == 0 ? 100U : 2U,
                    .updated = 2});
  }
  return script = maker.take();
}

TEST_P(MatcherAgreementTest, OnAllSmallFiltersAndEvents) {
  const auto matcher = GetParam().make();
  play(small_script(), *matcher);
}

TEST_P(MatcherAgreementTest, OnAllSmallFiltersAndEventsWithArrays) {
  const auto matcher = GetParam().make();
  play(small_many_script(), *matcher);
}

TEST_P(MatcherAgreementTest, OnRandomFiltersThatComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const auto matcher = GetParam().make();
    ASSERT_NO_FATAL_FAILURE(play(growing_script(seed), *matcher));
  }
}

constexpr std::uint64_t kLargeSeedMin = 21;
constexpr std::uint64_t kLargeSeedMax = 22;

TEST_P(MatcherAgreementTest, OnAMillionPairs) {
  for (std::uint64_t seed = kLargeSeedMin; seed <= kLargeSeedMax; ++seed) {
    SCOPED_TRACE(seed);
    const auto matcher = GetParam().make();
    ASSERT_NO_FATAL_FAILURE(play(large_script(seed), *matcher));
  }
}

std::size_t pair_count(const Script& script) {
  std::size_t pairs = 0;
  for (const Step& step : script) pairs += step.size;
  return pairs;
}

TEST(MatcherScriptTest, MostEventsHaveSomeMatchesAndNotAll) {
  for (const Script* script :
       {&small_script(), &small_many_script(), &growing_script(1), &large_script(21)}) {
    const std::size_t pairs = pair_count(*script);
    std::size_t matches = 0;
    for (const Step& step : *script) matches += step.expected.size();
    EXPECT_GT(matches, pairs / 10);
    EXPECT_LT(matches, pairs * 9 / 10);
  }
}

TEST(MatcherScriptTest, TheLargeOnesAreAsLargeAsTheySay) {
  for (std::uint64_t seed = kLargeSeedMin; seed <= kLargeSeedMax; ++seed) {
    EXPECT_GE(pair_count(large_script(seed)), kLargeScriptPairs);
  }
}

INSTANTIATE_TEST_SUITE_P(Matchers, MatcherAgreementTest, testing::ValuesIn(matcher_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace weir::match
