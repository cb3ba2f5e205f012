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

TEST(ExplainTest, TellsWhichElementDecided) {
  Engine engine;
  const auto id = engine.subscribe(
      "data.items[*].sku = 'x' and not data.items[*].n[*] > 5 and data.a[*] = data.b[*]");
  const auto explain = [&](std::string_view json) {
    return shown(engine.explain(*id, event_of(json), at(0))->filter);
  };
  EXPECT_EQ(explain(R"({"data":{"items":[{"sku":"a"},{"sku":"x","n":[1,2]},{"sku":"x","n":[3]}],
                        "a":[1,2,3],"b":[9,3,2]}})"),
            "+! data.items[*].sku = 'x' and not data.items[*].n[*] > 5 and data.a[*] = data.b[*]\n"
            "  +! data.items[*].sku = 'x' (data.items[1].sku is 'x')\n"
            "  +! not data.items[*].n[*] > 5\n"
            "    -! data.items[*].n[*] > 5 (data.items[*].n[*] is 1, 2, 3)\n"
            "  +! data.a[*] = data.b[*] (data.a[1] is 2, data.b[2] is 2)\n");
  EXPECT_EQ(explain(R"({"data":{"items":[{"n":[0,0,0,0,0,0,0,0,0,6]}],"a":[1],"b":[]}})"),
            "-! data.items[*].sku = 'x' and not data.items[*].n[*] > 5 and data.a[*] = data.b[*]\n"
            "  -! data.items[*].sku = 'x' (data.items[*].sku is missing)\n"
            "  -! not data.items[*].n[*] > 5\n"
            "    +! data.items[*].n[*] > 5 (data.items[0].n[9] is 6)\n"
            "  -! data.a[*] = data.b[*] (data.a[*] is 1, data.b[*] is missing)\n");
}

TEST(ExplainTest, ShowsTheFirstOfManyValues) {
  Engine engine;
  const auto id = engine.subscribe("data[*] > 5");
  EXPECT_EQ(
      shown(engine.explain(*id, event_of(R"({"data":[1,1,1,1,1,1,1,2,3,4]})"), at(0))->filter),
      "-! data[*] > 5 (data[*] is 1, 1, 1, 1, 1, 1, 1, 2 and 2 more)\n");
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

// What is said of `later` after `earlier` was delivered.
std::string said_of(std::string_view filter, std::string_view earlier, std::string_view later) {
  Engine engine;
  const auto id = engine.subscribe(filter);
  engine.publish(event_of(fmt::format(R"({{"data":{{"v":{}}}}})", earlier)), at(0));
  const auto event = event_of(fmt::format(R"({{"data":{{"v":{}}}}})", later));
  return engine.explain(*id, event, at(1))->filter.detail;
}

TEST(ExplainTest, TellsWhatEveryMovementSees) {
  EXPECT_EQ(said_of("change(data.v) rises by > 2 or >= 50%", "20", "19"),
            "data.v is 19, last delivered 20, risen by -1 (-5%), asked for > 2 or >= 50%");
  EXPECT_EQ(said_of("change(data.v) falls by > 2", "20", "19"),
            "data.v is 19, last delivered 20, fallen by 1, asked for > 2");
  EXPECT_EQ(said_of("change(data.v) crosses 20 upwards hysteresis 1", "15", "20.5"),
            "data.v is 20.5, last seen below 20: below begins under 19, above over 21");
  EXPECT_EQ(said_of("change(data.v) crosses 20", "25", "null"),
            "data.v is 25, last seen above 20: below begins under 20, above over 20")
      << "the newest value";
  EXPECT_EQ(said_of("any change(data.v)", "\"on\"", "true"), "data.v is true, last delivered 'on'");
  EXPECT_EQ(said_of("any change(data.v)", "null", "[]"),
            "data.v is no text, number, boolean or time");
  EXPECT_EQ(said_of("change(data.v) > 1 or silent for 1s", "1", "1"),
            "data.v is 1, last delivered 1, moved by 0, asked for > 1, silent for long enough");
  EXPECT_EQ(said_of("change(data.v) > 1 at most every 5s", "1", "9"),
            "data.v is 9, last delivered 1, moved by 8, asked for > 1, too early for another "
            "delivery");
  EXPECT_EQ(said_of("change(text(data.v)) > 0.3", "\"storm\"", "\"calm sea\""),
            "the text has 2 terms, its distance from the last delivered one is 1.0000, asked for "
            "> 0.3");
  EXPECT_EQ(said_of("change(text(data.v)) > 0.3", "1", "2"), "no field has text in its language");
}

TEST(ExplainTest, GivesEachTermsShareOfAScore) {
  Engine engine;
  const auto id = engine.subscribe("text(data.t) about 'storm flood' score >= 0.5");
  engine.publish(event_of(R"({"data":{"t":"calm"}})"), at(0));
  const auto explained = engine.explain(*id, event_of(R"({"data":{"t":"storm"}})"), at(1));
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->outcome, Outcome::kPassed);
  EXPECT_EQ(explained->filter.detail, "the score is 0.6931 = storm 0.6931 (epoch 2)");
}

// Of a text after one that has none of the words, and the outcome if it is not delivered.
std::string said_of_text(std::string_view about, std::string_view members) {
  Engine engine;
  const auto id = engine.subscribe(fmt::format("text(data.t) about {}", about));
  EXPECT_TRUE(id) << id.error().message;
  engine.publish(event_of(R"({"data":{"t":"calm"}})"), at(0));
  const auto explained = engine.explain(*id, event_of(fmt::format("{{{}}}", members)), at(1));
  EXPECT_EQ(explained->outcome, explained->filter.holds ? Outcome::kPassed : Outcome::kBelowScore);
  return fmt::format("{} {}", explained->filter.holds ? "yes:" : "no:", explained->filter.detail);
}

TEST(ExplainTest, NamesTheConditionThatATextDoesNotMeet) {
  const std::string_view storm = R"("data":{"t":"storm"})";
  EXPECT_EQ(said_of_text("'storm' score >= 0.8", storm),
            "no: the score is 0.6931 = storm 0.6931, below 0.8 (epoch 2)");
  EXPECT_EQ(said_of_text("all 'storm flood'", storm),
            "no: the score is 0.6931 = storm 0.6931, 'flood' is not in it (epoch 2)");
  EXPECT_EQ(said_of_text("all 'storm \"flash flood\"'", storm),
            "no: the score is 0.6931 = storm 0.6931, the phrase \"flash flood\" is not in it "
            "(epoch 2)");
  EXPECT_EQ(said_of_text("any 'flood rain'", storm),
            "no: the score is 0.0000, none of the words and phrases is in it (epoch 2)");
  EXPECT_EQ(said_of_text("'flood -storms'", storm),
            "no: the score is 0.0000, it has the excluded 'storm' (epoch 2)");
  EXPECT_EQ(said_of_text("'flood -\"storm\"'", storm),
            "no: the score is 0.0000, it has the excluded phrase \"storm\" (epoch 2)");
  EXPECT_EQ(said_of_text("any 'storm'", storm),
            "yes: the score is 0.6931 = storm 0.6931 (epoch 2)");
  EXPECT_EQ(said_of_text("any 'storm'", R"("lang":"german","data":{"t":"storm"})"),
            "no: no field has text in its language");
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
      "text(data.t) about all 'storm \"at sea\" -calm' or type = 't2' and "
      "text(data.t) in 'none' about any 'calm'",
      "change(data.v, type = 't0') > 1 and change(data.v, type = 't1') > 1",
      "change(data.v, type = 't0') > 1 or type = 't2' and change(data.v) > 2",
      "change(data.v, by subject) rises by > 1 and > 20% with previous",
      "change(data.v) crosses 2 upwards hysteresis 1 at most every 3s",
      "any change(data.v) and change(data.v, type = 't1') falls by >= 1",
      "any change(type, by subject) or silent for 9s at most every 2s",
      "change(text(data.t), by subject) > 0.3 at most every 3s",
      "change(text(data.t, type)) > 0.6 or change(data.v) > 4"};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    for (const std::string& filter : filters) {
      EngineOptions options;
      if (seed % 2 == 0) options = {.change_key_count_max = 1, .change_idle = Duration::seconds(4)};
      Engine engine(options);
      const auto initial = seed % 3 == 0 ? match::Initial::kNone : match::Initial::kDeliver;
      const SubscriptionId id = *engine.subscribe(filter, {.initial = initial});
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
