// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "base/error_testing.h"
#include "base/prng.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"

namespace weir::engine {
namespace {

using base::Duration;
using base::Instant;
using event::event_of;

Instant at(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

// "1:a*,b 2:b 3:[c]": subscription and the ids of the events in each delivery, with an asterisk
// behind those that are repeated; a group of one event is put into brackets.
std::string shown(std::span<const Delivery> deliveries) {
  std::string out;
  for (const Delivery& delivery : deliveries) {
    out += fmt::format("{}{}:", out.empty() ? "" : " ", delivery.subscription.value);
    std::string ids;
    for (std::size_t i = 0; i < delivery.events.size(); ++i) {
      const bool is_repeated = std::ranges::binary_search(delivery.repeated, i);
      ids += (i == 0 ? "" : ",") + std::string(delivery.events[i]->id()) + (is_repeated ? "*" : "");
    }
    const bool is_group_of_one = delivery.is_group && delivery.events.size() == 1;
    out += is_group_of_one ? '[' + ids + ']' : ids;
    EXPECT_TRUE(delivery.is_group || delivery.events.size() == 1);
  }
  return out;
}

SubscriptionId subscribed(Engine& engine, std::string_view filter, SubscribeOptions options = {}) {
  const auto id = engine.subscribe(filter, options);
  EXPECT_TRUE(id) << id.error().to_string();
  return *id;
}

TEST(EngineTest, DeliversToEverySubscriptionThatMatchesByAscendingId) {
  Engine engine;
  subscribed(engine, "type = 'quote'");
  subscribed(engine, "type = 'news'");
  subscribed(engine, "data.price > 20");
  EXPECT_EQ(
      shown(engine.publish(event_of(R"({"id":"a","type":"quote","data":{"price":21}})"), at(1))),
      "1:a 3:a");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"b","type":"news"})"), at(2))), "2:b");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"c"})"), at(3))), "");
}

TEST(EngineTest, RefusesABadFilterWithItsPosition) {
  Engine engine;
  const auto id = engine.subscribe("type = ");
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().id, base::ErrorId::kFilterSyntax);
  EXPECT_EQ(id.error().position->column, 8U);
  EXPECT_EQ(engine.subscription_count(), 0U);
}

// Filters of every kind that events find in another way.
TEST(EngineTest, ManyAtOnceAreAsOneByOne) {
  const std::vector<std::string_view> filters{
      "data.v > 3",
      "type = 't' and data.v in (1, 2, 4)",
      "change(data.v, by subject) > 2",
      "change(data.v, by subject) > 1",
      "change(data.v, subject = 'x') > 1 and change(data.v, subject = 'y') > 1",
      "distinct(subject) within 10s",
      "text(data.text) about 'weir river'",
      "text(data.text) about 'weir' and not data.v = 2 or data.v = 7",
      "true",
  };
  Engine one_by_one;
  Engine at_once;
  std::vector<NewSubscription> wanted;
  for (const std::string_view filter : filters) {
    subscribed(one_by_one, filter);
    wanted.push_back({filter::filter_of(filter), {.tag = wanted.size()}});
  }
  const auto results = at_once.subscribe_all(std::move(wanted));
  ASSERT_EQ(results.size(), filters.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i]);
    EXPECT_EQ(results[i]->value, i + 1);
  }
  for (int i = 0; i < 200; ++i) {
    const auto event = event_of(
        fmt::format(R"({{"id":"{}","type":"{}","subject":"{}","data":{{"v":{},"text":"{}"}}}})", i,
                    i % 3 == 0 ? "u" : "t", i % 2 == 0 ? "x" : "y", i * i % 11,
                    i % 5 == 0 ? "a weir in the river" : "nothing"));
    EXPECT_EQ(shown(at_once.publish(event, at(i))), shown(one_by_one.publish(event, at(i))));
  }
  EXPECT_EQ(at_once.counters().deliveries, one_by_one.counters().deliveries);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(at_once.counters(*results[i])->delivered,
              one_by_one.counters(*results[i])->delivered);
    EXPECT_GT(at_once.counters(*results[i])->delivered, 0U) << filters[i];
    EXPECT_TRUE(at_once.unsubscribe(*results[i]));
  }
  EXPECT_EQ(at_once.subscription_count(), 0U);
}

TEST(EngineTest, OfManyAtOnceEachHasItsOwnResult) {
  Engine engine({.subscription_count_max = 3});
  const filter::FilterPtr filter = filter::filter_of("data.v = 1");
  const filter::FilterPtr distinct = filter::filter_of("distinct(subject) within 10s");
  std::vector<NewSubscription> wanted{
      {filter}, {distinct, {.state = "damaged"}}, {filter}, {filter}, {filter}};
  const auto results = engine.subscribe_all(std::move(wanted));
  ASSERT_EQ(results.size(), 5U);
  EXPECT_TRUE(results[0]);
  ASSERT_FALSE(results[1]);
  EXPECT_EQ(results[1].error().id, base::ErrorId::kStoreCorrupt);
  EXPECT_TRUE(results[2]);
  EXPECT_TRUE(results[3]);
  ASSERT_FALSE(results[4]);
  EXPECT_EQ(results[4].error().id, base::ErrorId::kEngineTooManySubscriptions);
  EXPECT_EQ(engine.subscription_count(), 3U);
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"a","data":{"v":1}})"), at(0))), "1:a 2:a 3:a");
  EXPECT_TRUE(engine.subscribe_all({}).empty());
}

TEST(EngineTest, UnsubscribedMeansNothingMoreAndIdsAreNeverReused) {
  Engine engine;
  const SubscriptionId first = subscribed(engine, "true");
  ASSERT_TRUE(engine.unsubscribe(first));
  const auto again = engine.unsubscribe(first);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), base::ErrorCode::kNotFound);
  EXPECT_EQ(shown(engine.publish(event_of("{}"), at(1))), "");
  EXPECT_EQ(subscribed(engine, "true").value, 2U);
}

TEST(EngineTest, HasALimitOfSubscriptions) {
  Engine engine({.subscription_count_max = 1});
  const SubscriptionId first = subscribed(engine, "true");
  const auto second = engine.subscribe("true");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), base::ErrorCode::kLimit);
  ASSERT_TRUE(engine.unsubscribe(first));
  EXPECT_TRUE(engine.subscribe("true"));
}

TEST(EngineTest, DropsDuplicatesOfSourceAndIdAtIngest) {
  Engine engine({.dedup_window = Duration::seconds(10)});
  const SubscriptionId id = subscribed(engine, "true");
  const auto a = event_of(R"({"id":"a","source":"/x"})");
  const auto a_elsewhere = event_of(R"({"id":"a","source":"/y"})");
  EXPECT_EQ(shown(engine.publish(a, at(0))), "1:a");
  EXPECT_EQ(shown(engine.publish(a, at(5))), "");
  EXPECT_EQ(shown(engine.publish(a_elsewhere, at(5))), "1:a");
  EXPECT_EQ(shown(engine.publish(a, at(10))), "1:a");
  EXPECT_EQ(engine.counters().ingest_duplicates, 1U);
  EXPECT_EQ(engine.counters(id)->published, 3U);
}

TEST(EngineTest, DistinctAppliesToWhatAllTheRestLetsThrough) {
  Engine engine;
  const SubscriptionId id =
      subscribed(engine, "type = 'click' and distinct(data.ad, data.ip) within 1m");
  const auto click = [](std::string_view event_id, std::string_view type, int ad) {
    return event_of(fmt::format(R"({{"id":"{}","type":"{}","data":{{"ad":{},"ip":"i"}}}})",
                                event_id, type, ad));
  };
  EXPECT_EQ(shown(engine.publish(click("a", "view", 1), at(0))), "");
  EXPECT_EQ(shown(engine.publish(click("b", "click", 1), at(1))), "1:b");
  EXPECT_EQ(shown(engine.publish(click("c", "click", 1), at(60))), "");
  EXPECT_EQ(shown(engine.publish(click("d", "click", 2), at(60))), "1:d");
  EXPECT_EQ(shown(engine.publish(click("e", "click", 1), at(61))), "1:e");
  const SubscriptionCounters counters = *engine.counters(id);
  EXPECT_EQ(counters.passed, 3U);
  EXPECT_EQ(counters.duplicate, 1U);
  EXPECT_EQ(counters.no_match, 1U);
}

TEST(EngineTest, DeliversACompositeAsOneGroup) {
  Engine engine;
  subscribed(engine, "change(data.v, subject = 'x') > 1 and change(data.v, subject = 'y') > 1");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"a","subject":"x","data":{"v":1}})"), at(0))),
            "");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"b","subject":"y","data":{"v":1}})"), at(1))),
            "1:a,b");
}

TEST(EngineTest, AChangeThatTheNormalFormDropsIsHarmless) {
  Engine engine;
  subscribed(engine, "false and change(data.v) > 1");
  subscribed(engine, "type = 't' and change(data.v) > 1 and not type = 't'");
  subscribed(engine, "true or change(data.v) > 1");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"a","type":"t","data":{"v":1}})"), at(0))),
            "3:a");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"b","type":"t","data":{"v":1}})"), at(1))),
            "3:b");
}

TEST(EngineTest, DeliversWhatWasHeldBackWhenItIsDue) {
  Engine engine;
  subscribed(engine, "change(data.v, by subject) > 1 at most every 10s");
  const auto reading = [](std::string_view id, std::string_view subject, int value) {
    return event_of(
        fmt::format(R"({{"id":"{}","subject":"{}","data":{{"v":{}}}}})", id, subject, value));
  };
  EXPECT_EQ(shown(engine.publish(reading("a", "x", 1), at(0))), "1:a");
  EXPECT_EQ(shown(engine.publish(reading("b", "y", 1), at(3))), "1:b");
  EXPECT_EQ(shown(engine.publish(reading("c", "y", 5), at(4))), "");
  EXPECT_EQ(shown(engine.publish(reading("d", "x", 5), at(5))), "");
  EXPECT_EQ(engine.next_wake(), at(10));
  EXPECT_EQ(shown(engine.advance(at(9))), "");
  EXPECT_EQ(shown(engine.advance(at(20))), "1:d 1:c");
  EXPECT_EQ(engine.next_wake(), std::nullopt);
  EXPECT_EQ(shown(engine.publish(reading("e", "x", 9), at(21))), "1:e") << "11 s after d";
}

event::EventPtr numbered(std::string_view id, std::string_view subject, std::uint64_t sequence) {
  auto event = event_of(fmt::format(R"({{"id":"{}","subject":"{}"}})", id, subject));
  event::assign_sequence(event, sequence);
  return event;
}

TEST(EngineTest, LateDeliveriesComeInTheOrderInWhichTheyBecameDue) {
  Engine engine;
  subscribed(engine, "change(data.v) crosses 5 at most every 10s");
  subscribed(engine, "change(data.v) > 1 and > 1% at most every 10s");
  subscribed(engine, "change(data.v) > 1 at most every 10s");
  subscribed(engine, "change(data.v) > 1 and > 1% at most every 9s");
  subscribed(engine, "change(data.v, by subject) > 1 and > 1% at most every 8s");
  subscribed(engine, "change(data.v) crosses 5 at most every 10s");
  subscribed(engine, "change(data.v) > 1 and > 2% at most every 10s");
  for (const auto& [id, subject, value, second] :
       {std::tuple("a", "y", 10, 0), std::tuple("b", "x", 10, 0), std::tuple("c", "y", 0, 5),
        std::tuple("d", "x", 0, 5)}) {
    engine.publish(event_of(fmt::format(R"({{"id":"{}","subject":"{}","data":{{"v":{}}}}})", id,
                                        subject, value)),
                   at(second));
  }
  EXPECT_EQ(engine.next_wake(), at(8));
  EXPECT_EQ(shown(engine.advance(at(20))), "5:c,d 4:d 3:d 2:d 7:d 1:d 6:d");
}

TEST(EngineTest, ForgetsTheKeysOfAnEvent) {
  for (const char* const mode : {"", " exact", " false positives <= 1%", " verify"}) {
    SCOPED_TRACE(mode);
    Engine engine;
    const SubscriptionId id =
        subscribed(engine, fmt::format("distinct(subject) within 10s{}", mode));
    EXPECT_EQ(shown(engine.publish(numbered("a", "x", 1), at(0))), "1:a");
    EXPECT_EQ(shown(engine.publish(numbered("b", "x", 2), at(1))), "");
    const std::uint64_t revision = engine.state_revision(id);
    EXPECT_FALSE(*engine.forget(id, *numbered("?", "y", 3), at(1)));
    EXPECT_TRUE(*engine.forget(id, *numbered("?", "x", 3), at(1)));
    EXPECT_GT(engine.state_revision(id), revision);
    EXPECT_EQ(shown(engine.publish(numbered("c", "x", 4), at(2))), "1:c");
    EXPECT_EQ(shown(engine.publish(numbered("d", "x", 5), at(3))), "");
    EXPECT_EQ((*engine.distinct_stats(id))->hits, 2U);
  }
}

event::EventPtr measured(std::string_view id, std::string_view subject, int value) {
  return event_of(
      fmt::format(R"({{"id":"{}","subject":"{}","data":{{"v":{}}}}})", id, subject, value));
}

TEST(EngineTest, ForgetsTheLastValueOfAnEventsKey) {
  Engine engine;
  const SubscriptionId id = subscribed(engine, "change(data.v, by subject) > 5 at most every 10s");
  EXPECT_EQ(shown(engine.publish(measured("a", "x", 1), at(0))), "1:a");
  EXPECT_EQ(shown(engine.publish(measured("b", "x", 9), at(1))), "");
  EXPECT_EQ(engine.next_wake(), at(10));
  const std::uint64_t revision = engine.state_revision(id);
  EXPECT_FALSE(*engine.forget(id, *numbered("?", "y", 3), at(1)));
  EXPECT_TRUE(*engine.forget(id, *numbered("?", "x", 3), at(1)));
  EXPECT_FALSE(*engine.forget(id, *numbered("?", "x", 3), at(1)));
  EXPECT_GT(engine.state_revision(id), revision);
  EXPECT_EQ(engine.next_wake(), std::nullopt) << "what was held back is dropped";
  EXPECT_EQ(shown(engine.publish(measured("c", "x", 9), at(2))), "1:c");
  EXPECT_EQ(shown(engine.publish(measured("d", "x", 9), at(20))), "");
}

TEST(EngineTest, ForgetsTheLastValueAndTheKeysOfADistinctClause) {
  Engine engine;
  const SubscriptionId id =
      subscribed(engine, "change(data.v) > 5 and distinct(subject) within 10s exact");
  EXPECT_EQ(shown(engine.publish(measured("a", "x", 1), at(0))), "1:a");
  EXPECT_TRUE(*engine.forget(id, *numbered("?", "y", 2), at(1))) << "without keys there is one";
  EXPECT_EQ(shown(engine.publish(measured("b", "x", 1), at(2))), "");
  EXPECT_EQ(engine.counters(id)->duplicate, 1U) << "a first value again, but x was delivered";
  EXPECT_TRUE(*engine.forget(id, *numbered("?", "x", 3), at(3)));
  EXPECT_EQ(shown(engine.publish(measured("c", "x", 1), at(4))), "1:c");
}

TEST(EngineTest, AKeyOfAChangeThatIsIdleIsForgotten) {
  Engine engine({.change_idle = Duration::seconds(10)});
  subscribed(engine, "change(data.v, by subject) > 5");
  EXPECT_EQ(shown(engine.publish(measured("a", "x", 1), at(0))), "1:a");
  EXPECT_EQ(shown(engine.publish(measured("b", "x", 1), at(9))), "");
  EXPECT_EQ(shown(engine.publish(measured("c", "x", 1), at(18))), "") << "9 s after the last one";
  EXPECT_EQ(shown(engine.publish(measured("d", "x", 1), at(28))), "1:d");
}

TEST(EngineTest, ForgetsOnlyWhereSomethingIsRemembered) {
  Engine engine;
  const SubscriptionId id = subscribed(engine, "type = 'a'");
  EXPECT_EQ(base::describe(engine.forget(id, *numbered("a", "x", 1), at(0))),
            "engine.keys - the filter has neither change nor distinct: there is nothing to forget");
  EXPECT_EQ(engine.forget({99}, *numbered("a", "x", 1), at(0)).error().id,
            base::ErrorId::kEngineNoSuchSubscription);
  EXPECT_EQ(*engine.distinct_stats(id), std::nullopt);
}

TEST(EngineTest, ADistinctClauseChoosesItsWindow) {
  const auto max_of = [](const EngineOptions& options, std::string_view clause) {
    Engine engine(options);
    const SubscriptionId id = subscribed(engine, fmt::format("distinct(id) within 1h{}", clause));
    return (*engine.distinct_stats(id))->memory_bytes_max;
  };
  const auto rare = max_of({}, "");
  EXPECT_EQ(rare, max_of({}, " false positives <= 0.000001"));
  EXPECT_LT(max_of({}, " false positives <= 1%"), rare);
  EXPECT_EQ(max_of({}, " exact"), std::nullopt);
  EXPECT_EQ(max_of({.distinct_false_positives = 0}, ""), std::nullopt);
  EXPECT_LT(max_of({.distinct_key_count_max = 1000}, ""), rare);
  EXPECT_EQ(max_of({}, " verify"), std::nullopt) << "without a log it is exact";
  EXPECT_NE(max_of({.find_event = [](std::uint64_t) { return event::EventPtr(); }}, " verify"),
            std::nullopt);
}

TEST(EngineTest, AVerifiedWindowAsksTheLog) {
  std::map<std::uint64_t, event::EventPtr> log;
  Engine engine({.find_event = [&](std::uint64_t sequence) {
    const auto found = log.find(sequence);
    return found == log.end() ? nullptr : found->second;
  }});
  const SubscriptionId id = subscribed(engine, "distinct(subject) within 10s verify");
  const auto publish = [&](std::string_view event_id, std::string_view subject, int second) {
    const auto event = numbered(event_id, subject, log.size() + 1);
    log[event->sequence()] = event;
    return shown(engine.publish(event, at(second)));
  };
  EXPECT_EQ(publish("a", "x", 0), "1:a");
  EXPECT_EQ(publish("b", "x", 1), "");
  EXPECT_EQ(publish("c", "y", 2), "1:c");
  log[1] = numbered("?", "of the same hash", 1);
  EXPECT_EQ(publish("d", "x", 3), "1:d") << "the log does not confirm it";
  EXPECT_EQ((*engine.distinct_stats(id))->refuted_hits, 1U);
  EXPECT_EQ(publish("e", "x", 4), "");
}

TEST(EngineTest, DuplicatesAtIngestCanBeFoundByAFilter) {
  Engine engine({.dedup_window = Duration::seconds(10), .dedup_false_positives = 1e-6});
  subscribed(engine, "true");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"a"})"), at(0))), "1:a");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"a"})"), at(9))), "");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"a"})"), at(12))), "1:a");
  EXPECT_EQ(engine.counters().ingest_duplicates, 1U);
}

TEST(EngineTest, AnInstantThatGoesBackCountsAsTheLatest) {
  Engine engine;
  subscribed(engine, "distinct(type) within 10s");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"a"})"), at(100))), "1:a");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"b"})"), at(5))), "");
  EXPECT_EQ(shown(engine.publish(event_of(R"({"id":"c"})"), at(110))), "1:c");
  EXPECT_EQ(engine.counters().clock_backward, 1U);
}

TEST(EngineTest, TellsBelowScoreFromNoMatch) {
  Engine engine;
  const SubscriptionId id =
      subscribed(engine, "type = 'doc' and text(data.t) about 'storm' score >= 0.5");
  const auto doc = [](std::string_view event_id, std::string_view type, std::string_view text) {
    return event_of(
        fmt::format(R"({{"id":"{}","type":"{}","data":{{"t":"{}"}}}})", event_id, type, text));
  };
  engine.publish(doc("a", "doc", "calm"), at(0));
  EXPECT_EQ(shown(engine.publish(doc("b", "doc", "storm"), at(1))), "1:b") << "ln 2 = 0.69";
  engine.publish(doc("c", "doc", "storm"), at(2));
  engine.publish(doc("d", "other", "storm"), at(3));
  const SubscriptionCounters counters = *engine.counters(id);
  EXPECT_EQ(counters.passed, 1U);
  EXPECT_EQ(counters.below_score, 2U);
  EXPECT_EQ(counters.no_match, 1U);
}

TEST(EngineTest, CountsEveryEventOnceForEverySubscription) {
  const std::vector<std::string> filters = {
      "true",
      "false",
      "type = 't1'",
      "change(data.v, by subject) > 1",
      "change(data.v) > 1 at most every 5s",
      "distinct(data.v) within 7s",
      "type = 't1' and change(data.v) > 2 and distinct(subject) within 9s",
      "text(data.t) about 'storm' score >= 0.3",
      "change(data.v, type = 't0') > 1 and change(data.v, type = 't1') > 1 or silent for 4s"};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Engine engine({.dedup_window = Duration::seconds(3)});
    std::uint64_t delivered = 0;
    for (const std::string& filter : filters) subscribed(engine, filter);
    std::int64_t now = 0;
    for (int i = 0; i < 400; ++i) {
      now += static_cast<std::int64_t>(prng.below(3));
      const auto event = event_of(
          fmt::format(R"({{"id":"{}","type":"t{}","subject":"s{}","data":{{"v":{},"t":"{}"}}}})",
                      prng.below(200), prng.below(3), prng.below(2),
                      prng.chance(0.1) ? "\"x\"" : std::to_string(prng.below(6)),
                      prng.chance(0.5) ? "storm at sea" : "calm"));
      for (const Delivery& delivery : engine.publish(event, at(now))) {
        delivered += delivery.events.size() - delivery.repeated.size();
      }
    }
    const EngineCounters all = engine.counters();
    SubscriptionCounters sum;
    for (std::uint64_t id = 1; id <= filters.size(); ++id) {
      const SubscriptionCounters one = *engine.counters({id});
      EXPECT_EQ(one.published, all.received - all.ingest_duplicates) << filters[id - 1];
      EXPECT_EQ(one.published, one.passed + one.no_match + one.below_score + one.no_value +
                                   one.within_threshold + one.held + one.duplicate);
      EXPECT_LT(one.no_match, std::uint64_t{1} << 40U) << "no outcome was counted twice";
      sum.delivered += one.delivered;
    }
    EXPECT_EQ(sum.delivered, delivered);
    EXPECT_EQ(all.outcomes.delivered, delivered);
  }
}

TEST(EngineTest, TheSameCallsGiveTheSameDeliveries) {
  const auto run = [] {
    Engine engine;
    subscribed(engine, "change(data.v, by subject) > 1 at most every 5s");
    subscribed(engine, "data.v > 3 or type = 't1'");
    base::Prng prng(7);
    std::string log;
    for (int i = 0; i < 200; ++i) {
      const auto event =
          event_of(fmt::format(R"({{"id":"{}","type":"t{}","subject":"s{}","data":{{"v":{}}}}})",
                               i + 1, prng.below(3), prng.below(9), prng.below(6)));
      log += shown(engine.publish(event, at(i))) + "\n";
    }
    return log;
  };
  EXPECT_EQ(run(), run());
}

TEST(EngineTest, TellsHowFiltersAreFound) {
  Engine engine;
  const auto one = engine.subscribe("data.x = 1 or not data.x = 2");
  ASSERT_TRUE(one.has_value());
  ASSERT_TRUE(engine.subscribe("text(data.body) about all 'storm'"));
  ASSERT_TRUE(engine.subscribe("change(data.x) > 5 and not data.y = 1"));
  EXPECT_EQ(engine.match_sizes().conjunctions, 4U);
  EXPECT_EQ(engine.match_sizes().by_point, 1U);
  EXPECT_EQ(engine.match_sizes().unindexed, 2U);
  EXPECT_EQ(engine.match_sizes().always, 1U) << "what stands beside the text";
  ASSERT_TRUE(engine.unsubscribe(*one).has_value());
  EXPECT_EQ(engine.match_sizes().conjunctions, 2U);
}

TEST(EngineTest, TellsTheMemoryAndTheWorkOfItsIndex) {
  Engine engine;
  const std::size_t empty = engine.memory().matcher_bytes;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(engine.subscribe(fmt::format("data.x = {} and data.y > 5", i)));
  }
  const EngineMemory memory = engine.memory();
  EXPECT_EQ(memory.subscription_count, 1000U);
  EXPECT_GT(memory.matcher_bytes, empty);
  EXPECT_LT(memory.matcher_bytes - empty, 2'000'000U);

  engine.publish(event::event_of(R"({"data":{"x":7,"y":9}})"), base::Instant{1});
  const match::MatchCounters& counters = engine.match_counters();
  EXPECT_EQ(counters.events, 1U);
  EXPECT_EQ(counters.matches, 1U);
  EXPECT_GE(counters.verified, 1U);
  EXPECT_EQ(counters.candidates, counters.signature_rejects + counters.verified);
  EXPECT_LT(counters.candidates, 100U);
}

}  // namespace
}  // namespace weir::engine
