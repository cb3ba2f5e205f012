// SPDX-License-Identifier: Apache-2.0
// What one event may cost because of one owner's filters is limited, and nobody else notices.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "engine/engine.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"

namespace weir::engine {
namespace {

using base::Duration;
using base::Instant;

constexpr std::uint64_t kSteps = 2'000'000;
EngineOptions limited(std::uint64_t steps = kSteps) { return {.work_steps_max = steps}; }

Instant at(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

// Begins with storm, and has so many different words.
std::string words(int count) {
  std::string text = "storm w0";
  for (int i = 1; i < count; ++i) text += fmt::format(" w{}", i);
  return text;
}

std::string terms(int count) {
  std::string text = "storm";
  for (int i = 0; i < count; ++i) text += fmt::format(" t{}", i);
  return text;
}

event::EventPtr large_event(int number = 1) {
  std::string data = fmt::format(R"({{"t":"{0}","u":"{0}","w":{1},"a":[)", words(2000), number);
  std::string element = "{";
  for (int i = 0; i < 100; ++i) element += fmt::format(R"("m{}":1,)", i);
  element.back() = '}';
  for (int i = 0; i < 400; ++i) data += element + ',';
  data.back() = ']';
  for (int i = 0; i < 100; ++i) data += fmt::format(R"(,"v{}":{})", i, number);
  return event::event_of(fmt::format(R"({{"id":"{}","subject":"s","big":"{}","data":{}}}}})",
                                     number, words(2000), data));
}

struct Case {
  std::string_view name;
  std::string_view filter;  // of which one is paid for and many are not; {} is a number
  int count = 100;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::string filter_text(const Case& one, int number) {
  std::string text(one.filter);
  const auto replace = [&](std::string_view what, const std::string& with) {
    for (auto place = text.find(what); place != std::string::npos; place = text.find(what)) {
      text.replace(place, what.size(), with);
    }
  };
  replace("{}", fmt::format("{}", number));
  replace("{terms}", terms(300));
  return text;
}

class WorkTest : public testing::TestWithParam<Case> {
 protected:
  SubscriptionId subscribe(Engine& engine, const std::string& filter, std::string owner) {
    const auto id = engine.subscribe(filter, {.owner = std::move(owner)});
    EXPECT_TRUE(id.has_value()) << filter;
    return *id;
  }
  static std::set<SubscriptionId> told(std::span<const Delivery> deliveries) {
    std::set<SubscriptionId> ids;
    for (const Delivery& delivery : deliveries) ids.insert(delivery.subscription);
    return ids;
  }
};

TEST_P(WorkTest, AnEventThatIsTooCostlyForOneOwnerMatchesOnlyItsCheapFilters) {
  Engine engine(limited());
  std::vector<SubscriptionId> greedy;
  for (int i = 0; i < GetParam().count; ++i) {
    greedy.push_back(subscribe(engine, filter_text(GetParam(), i), "greedy"));
  }
  const SubscriptionId cheap = subscribe(engine, "subject = 's'", "greedy");
  const SubscriptionId modest = subscribe(engine, filter_text(GetParam(), 0), "modest");
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(told(engine.publish(large_event(7 * i), at(i))),
              (std::set<SubscriptionId>{cheap, modest}));
    for (const SubscriptionId id : greedy) {
      const SubscriptionCounters counters = *engine.counters(id);
      ASSERT_EQ(counters.over_budget, static_cast<std::uint64_t>(i));
      ASSERT_EQ(counters.no_match, static_cast<std::uint64_t>(i));
    }
  }
  EXPECT_EQ(engine.work_counters().cut_count, 2U);
  EXPECT_EQ(engine.counters(cheap)->over_budget, 0U);
  EXPECT_EQ(engine.counters(modest)->over_budget, 0U);
  EXPECT_EQ(engine.over_budget(greedy.front()), 2U);
  // Those that are gone do not cost any more.
  for (std::size_t i = 1; i < greedy.size(); ++i) ASSERT_TRUE(engine.unsubscribe(greedy[i]));
  EXPECT_EQ(told(engine.publish(large_event(100), at(9000))),
            (std::set<SubscriptionId>{greedy.front(), cheap, modest}));
}

TEST_P(WorkTest, NobodyLimitsFiltersWithoutAnOwner) {
  Engine engine(limited());
  for (int i = 0; i < GetParam().count; ++i) subscribe(engine, filter_text(GetParam(), i), "");
  EXPECT_EQ(engine.publish(large_event(), at(1)).size(), GetParam().count);
  EXPECT_EQ(engine.work_counters().cut_count, 0U);
}

// What is too costly does not depend on the order of the filters, on where an index has them, or on
// a restart.
TEST_P(WorkTest, WhatIsTooCostlyFollowsFromTheEventAndTheFilters) {
  base::Prng prng(11);
  std::vector<std::pair<std::string, std::string>> wanted;  // filters and owners
  for (int i = 0; i < GetParam().count; ++i) {
    wanted.emplace_back(filter_text(GetParam(), i), prng.chance(0.8) ? "owner0" : "owner1");
    wanted.emplace_back(fmt::format("data.t like 'storm%w{}%' and subject = 's'", i),
                        fmt::format("owner{}", prng.below(12)));
  }
  const auto outcome = [&](bool is_warm) {
    Engine engine(limited(kSteps / 2));
    std::map<SubscriptionId, std::size_t> numbers;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::size_t number = is_warm ? wanted.size() - 1 - i : i;
      numbers[subscribe(engine, wanted[number].first, wanted[number].second)] = number;
    }
    for (int i = 0; is_warm && i < 2000; ++i) {
      engine.publish(event::event_of(R"({"subject":"s","data":{"t":"storm x"}})"), at(0));
    }
    std::set<std::size_t> told;
    for (const Delivery& delivery : engine.publish(large_event(), at(1))) {
      told.insert(numbers.at(delivery.subscription));
    }
    return told;
  };
  const std::set<std::size_t> cold = outcome(false);
  EXPECT_LT(cold.size(), wanted.size());
  EXPECT_FALSE(cold.empty());
  EXPECT_EQ(outcome(true), cold);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, WorkTest,
    testing::Values(
        Case{"Text", "text(data.t, data.f{}) about any 'storm'"},
        Case{"SeveralTexts",
             "text(data.t, data.f{}) about any 'storm' or text(data.t, data.g{}) about any 'x'",
             60},
        Case{"Phrases", "text(data.t) in 'none' about all 'storm \"storm w0\"'"},
        Case{"ManyTerms", "text(data.t) in 'none' about any '{terms} n{}'"},
        Case{"Like", "data.t like '%storm%w{}%'"},
        Case{"NotLike", "not (data.t like '%nothing{}%')"},
        Case{"LikeWithCharacters", "data.t like '%_torm%w_9%' and data.w != {}.5"},
        Case{"Cesql", "cesql('UPPER(big) LIKE ''%STORM%'' AND subject != ''x{}''')"},
        Case{"Arrays", "data.a[*].m{} = 1"}, Case{"NotArrays", "not (data.a[*].m{} = 5)"},
        Case{"ArrayRanges", "data.a[*].m{} < 2"}, Case{"ArrayExists", "exists data.a[*].m{}"},
        Case{"Compare", "data.t = data.u and data.w != {}.5", 200},
        Case{"DistinctKeys", "distinct(data.t, data.f{}, data.w) within 1h"},
        Case{"ChangeKeys", "change(data.v{}, by data.t) > 1"},
        Case{"CompositeKeys",
             "change(data.v{}, by data.t) > 1 and change(data.w, by data.t) > 1 and subject = 's'"},
        Case{"ChangeConditions",
             "change(data.v{}, by subject, data.t like '%storm%') > 1 with previous"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(WorkTest, TextsThatAreComparedAreCharged) {
  Engine engine(limited());
  std::vector<SubscriptionId> greedy;
  for (int i = 10; i < 20; ++i) {
    greedy.push_back(
        subscribe(engine, fmt::format("change(text(data.t), by subject) > 0.{}", i), "greedy"));
  }
  const SubscriptionId modest =
      subscribe(engine, "change(text(data.t), by subject) > 0.5", "modest");
  EXPECT_EQ(told(engine.publish(large_event(), at(1))), (std::set<SubscriptionId>{modest}));
  EXPECT_EQ(engine.counters(greedy.front())->over_budget, 1U);
}

// [*] and [0] lead to the same elements: few bytes, many ways.
TEST_F(WorkTest, EveryWayToAnElementCosts) {
  Engine engine(limited());
  constexpr int kDepth = 7;
  for (int i = 0; i < 1 << kDepth; ++i) {
    std::string path = "data";
    for (int j = 0; j < kDepth; ++j) path += ((i >> j) & 1) != 0 ? "[*]" : "[0]";
    subscribe(engine, path + "[*] = 5", "greedy");
  }
  const SubscriptionId modest = subscribe(engine, "data[*][*][0][*][0][0][*][*] = 5", "modest");
  std::string data(kDepth + 1, '[');
  for (int i = 0; i < 1000; ++i) data += fmt::format("{},", i);
  data.back() = ']';
  data += std::string(kDepth, ']');
  EXPECT_EQ(told(engine.publish(event::event_of(fmt::format(R"({{"data":{}}})", data)), at(1))),
            (std::set<SubscriptionId>{modest}));
}

// An index finds these filters by one of the two beginnings, nobody knows by which.
TEST_F(WorkTest, AnEventThatLacksOneOfTheBeginningsCostsNothing) {
  Engine engine(limited());
  for (int i = 0; i < 200; ++i) {
    subscribe(engine, fmt::format("data.t like 'storm%w{0}%' and data.u like 'flood%w{0}%'", i),
              "one");
  }
  const SubscriptionId other = subscribe(engine, "data.t like '%o%'", "one");
  const auto event = [](const std::string& t, const std::string& u) {
    return event::event_of(fmt::format(R"({{"data":{{"t":"{}","u":"{}"}}}})", t, u));
  };
  const std::string storm = words(2000);
  const std::string flood = "flood " + storm;
  for (const auto& lacking : {event(storm, "calm"), event("fog", flood), event(storm, storm)}) {
    EXPECT_EQ(told(engine.publish(lacking, at(1))), (std::set<SubscriptionId>{other}));
    EXPECT_EQ(engine.work_counters().cut_count, 0U);
  }
  EXPECT_EQ(told(engine.publish(event(storm, flood), at(2))), (std::set<SubscriptionId>{}));
  EXPECT_EQ(engine.work_counters().cut_count, 1U);
}

TEST_F(WorkTest, NoTextIsLookedForOnceTheBudgetIsSpent) {
  Engine engine(limited());
  const SubscriptionId id = subscribe(engine, "text(data.t) in 'none' about any 'storm'", "one");
  EXPECT_EQ(told(engine.publish(large_event(1), at(1))), (std::set<SubscriptionId>{id}));
  const std::uint64_t scanned = engine.text_counters().scanned;
  EXPECT_GT(scanned, 0U);
  for (int i = 0; i < 200; ++i) {
    subscribe(engine, fmt::format("data.t like '%storm%w{}%'", i), "one");
  }
  EXPECT_TRUE(engine.publish(large_event(2), at(2)).empty());
  EXPECT_EQ(engine.text_counters().scanned, scanned);
}

TEST_F(WorkTest, SmallEventsAreNeverTooCostly) {
  Engine engine(limited());
  for (int i = 0; i < 500; ++i) {
    subscribe(engine, fmt::format("text(data.t) about any 'storm' and data.w != {}", i), "one");
    subscribe(engine, fmt::format("data.t like '%s_orm%' and data.a[*] = 1 and data.w != {}", i),
              "one");
    subscribe(engine, fmt::format("distinct(data.t, data.f{}) within 1h", i), "one");
  }
  const auto event = event::event_of(R"({"data":{"t":"a storm and a flood","a":[1,2,3],"w":0.5}})");
  EXPECT_EQ(engine.publish(event, at(1)).size(), 1500U);
  EXPECT_EQ(engine.work_counters().cut_count, 0U);
}

// Only the score kept it back, or nobody knows: these are two counts.
TEST_F(WorkTest, WhatIsNotJudgedIsNotBelowItsScore) {
  Engine engine(limited());
  std::vector<SubscriptionId> ids;
  for (int i = 0; i < 50; ++i) {
    ids.push_back(
        subscribe(engine, fmt::format("text(data.t, data.f{}) about any 'zebra'", i), "a"));
  }
  engine.publish(event::event_of(R"({"data":{"t":"storm"}})"), at(1));
  engine.publish(large_event(), at(2));
  EXPECT_EQ(engine.counters(ids.front())->below_score, 1U);
  EXPECT_EQ(engine.counters(ids.front())->no_match, 1U);
  EXPECT_EQ(engine.counters(ids.front())->over_budget, 1U);
}

// An event that is too costly moves no state: the next one is judged as if it had not been.
TEST_F(WorkTest, AnEventThatIsTooCostlyMovesNoState) {
  Engine engine(limited());
  const SubscriptionId id =
      subscribe(engine, "change(data.w, by subject) > 5 and data.t like '%storm%'", "a");
  for (int i = 0; i < 200; ++i) {
    subscribe(engine, fmt::format("data.t like '%storm%w{}%'", i), "a");
  }
  const auto small = [](int value) {
    return event::event_of(
        fmt::format(R"({{"subject":"s","data":{{"t":"storm","w":{}}}}})", value));
  };
  EXPECT_TRUE(told(engine.publish(small(0), at(1))).contains(id));
  EXPECT_FALSE(told(engine.publish(large_event(9), at(2))).contains(id));
  EXPECT_TRUE(told(engine.publish(small(10), at(3))).contains(id));
}

TEST_F(WorkTest, AnEventThatWouldTakeTooLongIsNotExplained) {
  Engine engine(limited());
  std::string text = "data.t like '%x0%'";
  for (int i = 1; i < 100; ++i) text += fmt::format(" or data.t like '%x{}%'", i);
  const SubscriptionId id = subscribe(engine, text, "a");
  const auto long_one = engine.explain(id, large_event(), at(1));
  EXPECT_NE(long_one->note.find("too long"), std::string::npos);
  EXPECT_EQ(engine.explain(id, event::event_of(R"({"data":{"t":"x7"}})"), at(1))->outcome,
            Outcome::kPassed);
}

}  // namespace
}  // namespace weir::engine
