// SPDX-License-Identifier: Apache-2.0
// What dialect_cases.txt does not reach: sizes, places and how the parts fit.
#include "filter/dialects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "filter/print.h"

namespace weir::filter {
namespace {

using base::ErrorId;

std::string repeated(int count, std::string_view open, std::string_view inner,
                     std::string_view close) {
  std::string text;
  for (int i = 0; i < count; ++i) text += open;
  text += inner;
  for (int i = 0; i < count; ++i) text += close;
  return text;
}

TEST(DialectsTest, NestsAsDeepAsTheLimitAndNoDeeper) {
  const std::string exact = R"({"exact":{"type":"a"}})";
  for (const std::string_view list : {"all", "any"}) {
    const std::string open = fmt::format(R"({{"{}":[)", list);
    EXPECT_TRUE(parse_dialects("[" + repeated(63, open, exact, "]}") + "]").has_value());
    const auto deep = parse_dialects("[" + repeated(64, open, exact, "]}") + "]");
    ASSERT_FALSE(deep.has_value());
    EXPECT_EQ(deep.error().id, ErrorId::kFilterTooDeep);
  }
  EXPECT_TRUE(parse_dialects("[" + repeated(63, R"({"not":)", exact, "}") + "]").has_value());
  const auto deep = parse_dialects("[" + repeated(64, R"({"not":)", exact, "}") + "]");
  ASSERT_FALSE(deep.has_value());
  EXPECT_EQ(deep.error().id, ErrorId::kFilterTooDeep);
}

TEST(DialectsTest, RefusesNestingBeforeItsOwnStackSuffers) {
  const auto deep = parse_dialects(repeated(30'000, "[", "", "]"));
  ASSERT_FALSE(deep.has_value());
  EXPECT_EQ(deep.error().id, ErrorId::kJsonTooDeep);
}

TEST(DialectsTest, SeveralFiltersMayBeLongerThanOne) {
  const std::string one = fmt::format(R"({{"weir":"subject = '{}'"}})", std::string(1000, 'x'));
  std::string filters = one;
  for (int i = 0; i < 20; ++i) filters += "," + one;
  ASSERT_GT(filters.size(), FilterLimits().text_bytes_max);
  EXPECT_TRUE(parse_dialects("[" + filters + "]").has_value());
  for (int i = 0; i < 200; ++i) filters += "," + one;
  EXPECT_EQ(parse_dialects("[" + filters + "]").error().id, ErrorId::kJsonTooLong);
}

TEST(DialectsTest, CountsPlacesFromTheStartOfTheText) {
  const auto wrong = parse_dialects("\n\n  [ {\"weir\":\n \"type =\"} ]");
  ASSERT_FALSE(wrong.has_value());
  ASSERT_TRUE(wrong.error().position.has_value());
  EXPECT_EQ(wrong.error().position->line, 4U);
  EXPECT_EQ(wrong.error().position->column, 2U);
}

TEST(DialectsTest, GivesTheLimitsToTheLanguagesInside) {
  const FilterLimits limits{.list_count_max = 2, .pattern_bytes_max = 3};
  const auto id = [&](std::string_view json) { return parse_dialects(json, limits).error().id; };
  EXPECT_EQ(id(R"json([{"weir":"a in (1, 2, 3)"}])json"), ErrorId::kFilterListTooLong);
  EXPECT_EQ(id(R"json([{"sql":"a IN (1, 2, 3)"}])json"), ErrorId::kFilterListTooLong);
  EXPECT_EQ(id(R"([{"weir":"a like 'abcd'"}])"), ErrorId::kFilterPatternTooLong);
  EXPECT_EQ(id(R"([{"sql":"a LIKE 'abcd'"}])"), ErrorId::kFilterPatternTooLong);
  EXPECT_EQ(parse_cesql("a IN (1, 2, 3)", limits).error().id, ErrorId::kFilterListTooLong);
}

TEST(DialectsTest, CollectsTheWarningsOfTheLanguagesInside) {
  const auto parsed = parse_dialects(
      R"([{"weir":"tpye = 'a'"},{"sql":"TRUE OR FALSE AND TRUE"},{"weir":"time = 5"}])");
  ASSERT_TRUE(parsed.has_value());
  ASSERT_EQ(parsed->warnings.size(), 3U);
  EXPECT_EQ(parsed->warnings[0].position.column, 10U);
  EXPECT_EQ(parsed->warnings[2].position.column, 65U);
  EXPECT_EQ(parse_cesql("TRUE OR FALSE AND TRUE")->warnings.size(), 1U);
}

TEST(DialectsTest, CesqlIsOnePredicate) {
  const auto parsed = parse_cesql("type = 'a' AND (EXISTS subject OR NOT EXISTS time)");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_NE(parsed->expr->predicate(), nullptr);
  EXPECT_FALSE(parsed->distinct.has_value());
}

}  // namespace
}  // namespace weir::filter
