// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/prng.h"
#include "engine/engine.h"
#include "event/event_testing.h"

namespace weir::engine {
namespace {

using base::Duration;
using base::Instant;
using event::event_of;

Instant at(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

// "+" holds, "-" does not, "!" decided: one line a part, indented.
void show(const filter::Explanation& part, std::size_t depth, std::string& out) {
  out += fmt::format("{:{}}{}{} {}", "", depth * 2, part.holds ? '+' : '-', part.decided ? "!" : "",
                     part.text);
  if (!part.detail.empty()) out += " (" + part.detail + ")";
  out += '\n';
  for (const filter::Explanation& inner : part.parts) show(inner, depth + 1, out);
}

std::string shown(const filter::Explanation& explanation) {
  std::string out;
  show(explanation, 0, out);
  return out;
}

TEST(ExplainTest, MarksThePartsThatDecidedAndShowsTheirValues) {
  Engine engine;
  const auto id = engine.subscribe("type = 'quote' and (data.price > 20 or not exists data.ask)");
  const auto event = event_of(R"({"type":"quote","data":{"price":19,"ask":1}})");
  const auto explained = engine.explain(*id, event, at(0));
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->outcome, Outcome::kNoMatch);
  EXPECT_EQ(shown(explained->filter),
            "-! type = 'quote' and (data.price > 20 or not exists data.ask)\n"
            "  + type = 'quote' (type is 'quote')\n"
            "  -! data.price > 20 or not exists data.ask\n"
            "    -! data.price > 20 (data.price is 19)\n"
            "    -! not exists data.ask\n"
            "      +! exists data.ask (data.ask is 1)\n");
}

TEST(ExplainTest, NamesMissingValuesAndErrorsOfCesql) {
  Engine engine;
  const auto id = engine.subscribe("cesql('nothere = ''x''') or data.price < data.bid");
  const auto explained = engine.explain(*id, event_of(R"({"data":{"bid":2}})"), at(0));
  ASSERT_TRUE(explained);
  EXPECT_NE(shown(explained->filter).find("missingAttribute error"), std::string::npos);
  EXPECT_NE(shown(explained->filter).find("data.price is missing, data.bid is 2"),
            std::string::npos);
}

TEST(ExplainTest, TellsLastValueAndDistanceOfAChange) {
  Engine engine;
  const auto id = engine.subscribe("change(data.v, by subject) > 10%");
  engine.publish(event_of(R"({"subject":"x","data":{"v":20}})"), at(0));
  const auto explained = engine.explain(*id, event_of(R"({"subject":"x","data":{"v":21}})"), at(1));
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->outcome, Outcome::kWithinThreshold);
  EXPECT_EQ(explained->filter.detail,
            "data.v is 21, last delivered 20, moved by 1 (5%), asked for > 10%");
  const auto other = engine.explain(*id, event_of(R"({"subject":"y","data":{"v":21}})"), at(1));
  EXPECT_EQ(other->outcome, Outcome::kPassed);
  EXPECT_EQ(other->filter.detail, "data.v is 21, nothing was delivered yet");
  const auto none = engine.explain(*id, event_of(R"({"subject":"y","data":{"v":"x"}})"), at(1));
  EXPECT_EQ(none->outcome, Outcome::kNoValue);
}

TEST(ExplainTest, GivesEachTermsShareOfAScore) {
  Engine engine;
  const auto id = engine.subscribe("text(data.t) about 'storm flood' score >= 0.5");
  engine.publish(event_of(R"({"data":{"t":"calm"}})"), at(0));
  const auto explained = engine.explain(*id, event_of(R"({"data":{"t":"storm"}})"), at(1));
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->outcome, Outcome::kPassed);
  EXPECT_EQ(explained->filter.detail, "the score is 0.6931 = storm 0.6931");
}

TEST(ExplainTest, SaysWhetherTheKeysWereDelivered) {
  Engine engine;
  const auto id = engine.subscribe("distinct(subject) within 1m");
  engine.publish(event_of(R"({"subject":"x"})"), at(0));
  const auto explained = engine.explain(*id, event_of(R"({"subject":"x"})"), at(1));
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->outcome, Outcome::kDuplicate);
  EXPECT_EQ(explained->distinct,
            "distinct(subject) within 1m: these keys were delivered in the last 1m");
}

TEST(ExplainTest, AnUnknownSubscriptionIsNotFound) {
  Engine engine;
  const auto explained = engine.explain({7}, event_of("{}"), at(0));
  ASSERT_FALSE(explained);
  EXPECT_EQ(explained.error().code(), base::ErrorCode::kNotFound);
}

// What explain foretells is what publish then does, for every kind of filter.
TEST(ExplainTest, ForetellsWhatPublishDoes) {
  const std::vector<std::string> filters = {
      "type = 't1'",
      "change(data.v, by subject) > 1",
      "change(data.v) > 1 at most every 3s",
      "change(data.v) > 3 or silent for 4s",
      "distinct(data.v) within 5s",
      "type = 't1' and change(data.v) > 2 and distinct(subject) within 5s",
      "text(data.t) about 'storm' score >= 0.3",
      "not text(data.t) about 'storm' score >= 0.3",
      "change(data.v, type = 't0') > 1 and change(data.v, type = 't1') > 1",
      "change(data.v, type = 't0') > 1 or type = 't2' and change(data.v) > 2"};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    for (const std::string& filter : filters) {
      Engine engine;
      const SubscriptionId id = *engine.subscribe(filter);
      for (int i = 0; i < 120; ++i) {
        const auto event = event_of(
            fmt::format(R"({{"id":"{}","type":"t{}","subject":"s{}","data":{{"v":{},"t":"{}"}}}})",
                        i + 1, prng.below(3), prng.below(2),
                        prng.chance(0.1) ? "\"x\"" : std::to_string(prng.below(6)),
                        prng.chance(0.5) ? "storm at sea" : "calm"));
        engine.advance(at(i));
        const auto explained = engine.explain(id, event, at(i));
        ASSERT_TRUE(explained);
        const SubscriptionCounters before = *engine.counters(id);
        engine.publish(event, at(i));
        const SubscriptionCounters after = *engine.counters(id);
        const auto became = [&](std::uint64_t SubscriptionCounters::* member) {
          return after.*member == before.*member + 1;
        };
        const Outcome outcome = became(&SubscriptionCounters::passed)        ? Outcome::kPassed
                                : became(&SubscriptionCounters::below_score) ? Outcome::kBelowScore
                                : became(&SubscriptionCounters::no_value)    ? Outcome::kNoValue
                                : became(&SubscriptionCounters::within_threshold)
                                    ? Outcome::kWithinThreshold
                                : became(&SubscriptionCounters::held)      ? Outcome::kHeld
                                : became(&SubscriptionCounters::duplicate) ? Outcome::kDuplicate
                                                                           : Outcome::kNoMatch;
        ASSERT_EQ(to_string(explained->outcome), to_string(outcome))
            << filter << " at " << i << ": " << event->json() << '\n'
            << shown(explained->filter);
      }
    }
  }
}

}  // namespace
}  // namespace weir::engine
