// SPDX-License-Identifier: Apache-2.0
#include "match/content/many_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/content/event_values.h"
#include "match/content_matcher.h"

namespace weir::match::content {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

filter::Operand at(std::string_view path) { return {event::parse_path(path).value()}; }

std::vector<std::string> shown(std::span<const event::Value> values) {
  std::vector<std::string> texts;
  for (const event::Value& value : values) texts.push_back(event::to_display(value));
  return texts;
}

TEST(ManyValuesTest, AnEventHasSeveralValuesInOneSlot) {
  Vocabulary vocabulary;
  const SlotId many = vocabulary.acquire_slot(at("data.a[*].n"));
  const SlotId one = vocabulary.acquire_slot(at("data.a[0].n"));
  const SlotId other = vocabulary.acquire_slot(at("data.b[*]"));
  const auto seven = *point_of(many, event::Value::of(std::int64_t{7}));
  const PointId point = vocabulary.acquire_point(seven);
  const ColumnId numbers = column_of(many, ColumnKind::kNumber);
  vocabulary.acquire_column(numbers);
  EventValues values(vocabulary);

  const auto event = event::event_of(R"({"data":{"a":[{"n":7},{"n":"x"},{},{"n":7},{"n":2}]}})");
  values.begin(*event);
  EXPECT_THAT(shown(values.all(many)), ElementsAre("7", "'x'", "7", "2"));
  EXPECT_THAT(shown(values.all(one)), ElementsAre("7"));
  EXPECT_THAT(values.all(other), IsEmpty());
  EXPECT_THAT(values.points(), ElementsAre(point)) << "each point once";
  EXPECT_TRUE(values.has_many_point(point));
  ASSERT_THAT(values.many_columns(), SizeIs(1));
  EXPECT_EQ(values.many_columns()[0].id, numbers);
  EXPECT_THAT(values.many_columns()[0].codes,
              ElementsAre(number_code(event::Value::of(std::int64_t{2})),
                          number_code(event::Value::of(std::int64_t{7}))));
  EXPECT_EQ(values.code(column_of(many, ColumnKind::kPoint)), kOtherCode);
  EXPECT_EQ(values.code(numbers), kManyCode);

  const auto empty = event::event_of(R"({"data":{"a":[]}})");
  values.begin(*empty);
  EXPECT_THAT(values.all(many), IsEmpty());
  EXPECT_THAT(values.points(), IsEmpty());
  EXPECT_THAT(values.many_columns(), IsEmpty());
  EXPECT_EQ(values.code(column_of(many, ColumnKind::kPoint)), kMissingCode);
  EXPECT_EQ(values.code(numbers), kMissingCode);
}

// Enough ranges for grids, narrow ones, and events with several values each.
TEST(ManyValuesTest, RangesAreFoundByTheirElementsAndEachOnlyOnce) {
  ContentMatcher matcher;
  constexpr int kFilterCount = 2000;
  for (int count = 0; count < kFilterCount; ++count) {
    const int i = 1237 * count % kFilterCount;  // in no order, as grids are made from the first
    matcher.add(SubscriptionId{static_cast<std::uint64_t>(i)},
                filter::filter_of("data.v[*] between " + std::to_string(10 * i) + " and " +
                                  std::to_string(10 * i + 5)));
  }
  filter::FixedScorer scorer;
  const auto matches_of = [&](const std::string& list) {
    std::vector<Match> matches;
    matcher.match(*event::event_of(R"({"data":{"v":)" + list + "}}"), scorer, matches);
    std::vector<std::uint64_t> ids;
    for (const Match& match : matches) ids.push_back(match.subscription.value);
    return ids;
  };
  for (int i = 0; i < 200; ++i) matches_of("[" + std::to_string(97 * i % 20'000) + "]");
  EXPECT_THAT(matches_of("[12, 13, 12, 9007, 5000]"), ElementsAre(1, 500));
  EXPECT_THAT(matches_of("[12, 9003.5, 5001]"), ElementsAre(1, 500, 900));
  EXPECT_THAT(matches_of("[]"), IsEmpty());
  const std::uint64_t before = matcher.counters().candidates;
  for (int i = 0; i < 100; ++i) matches_of("[12, 9003, 5001]");
  EXPECT_LT((matcher.counters().candidates - before) / 100, kFilterCount / 4)
      << "narrow ranges keep most filters from being looked at";
}

// A range of one place, which looks like a test of equality.
TEST(ManyValuesTest, ARangeOfOneValueIsFound) {
  ContentMatcher matcher;
  matcher.add(SubscriptionId{1}, filter::filter_of("data.v[*] between 7 and 7.0"));
  filter::FixedScorer scorer;
  std::vector<Match> matches;
  matcher.match(*event::event_of(R"({"data":{"v":[1,7,8]}})"), scorer, matches);
  EXPECT_THAT(matches, SizeIs(1));
}

// A slot that is free again may be given to a path of the other kind.
TEST(ManyValuesTest, ASlotMayBeOfSeveralValuesAfterItWasOfOne) {
  ContentMatcher matcher;
  filter::FixedScorer scorer;
  for (int round = 0; round < 4; ++round) {
    const std::string path = round % 2 == 0 ? "data.v" : "data.v[*]";
    for (std::uint64_t i = 0; i < 400; ++i) {
      matcher.add(SubscriptionId{i}, filter::filter_of(path + " > " + std::to_string(i) + " and " +
                                                       path + " <= 1000"));
    }
    const std::string value = round % 2 == 0 ? "9.5" : "[9.5, 9.25, 2000]";
    for (int i = 0; i < 300; ++i) {
      std::vector<Match> matches;
      matcher.match(*event::event_of(R"({"data":{"v":)" + value + "}}"), scorer, matches);
      ASSERT_THAT(matches, SizeIs(round % 2 == 0 ? 10 : 400)) << path << ", event " << i;
    }
    for (std::uint64_t i = 0; i < 400; ++i) ASSERT_TRUE(matcher.remove(SubscriptionId{i}));
  }
}

}  // namespace
}  // namespace weir::match::content
