// SPDX-License-Identifier: Apache-2.0
// What texts mean, and what is said of those that mean nothing, is in cesql_cases.txt; here are the
// limits.
#include "filter/cesql/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "event/event_testing.h"
#include "filter/cesql/canonical_text.h"
#include "filter/cesql/evaluator.h"

namespace weir::filter::cesql {
namespace {

using base::ErrorId;

std::string repeat(std::string_view piece, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += piece;
  return out;
}

void expect_error(const std::string& text, ErrorId id, std::string_view message,
                  const CesqlLimits& limits = {}) {
  const auto parsed = parse(text, limits);
  ASSERT_FALSE(parsed.has_value()) << text;
  EXPECT_EQ(parsed.error().id, id);
  EXPECT_EQ(parsed.error().to_string(), message);
}

TEST(ParserTest, RefusesATextThatIsTooLong) {
  EXPECT_TRUE(parse("1 = 11", {.text_bytes_max = 6}).has_value());
  expect_error("1 = 111", ErrorId::kFilterTooLong,
               "line 1, column 7: the expression has 7 bytes, the limit is 6",
               {.text_bytes_max = 6});
}

TEST(ParserTest, RefusesAListThatIsTooLong) {
  EXPECT_TRUE(parse("1 IN (1, 2, 3)", {.list_count_max = 3}).has_value());
  expect_error("1 IN (1, 2, 3, 4)", ErrorId::kFilterListTooLong,
               "line 1, column 16: the list has more than 3 elements", {.list_count_max = 3});
  expect_error("CONCAT(1, 2, 3, 4)", ErrorId::kFilterListTooLong,
               "line 1, column 17: the list has more than 3 elements", {.list_count_max = 3});
}

TEST(ParserTest, RefusesAPatternThatIsTooLong) {
  EXPECT_TRUE(parse("a LIKE 'xyz'", {.pattern_bytes_max = 3}).has_value());
  EXPECT_TRUE(parse("a LIKE 'xy\\''", {.pattern_bytes_max = 3}).has_value());
  expect_error("a LIKE 'xyz%'", ErrorId::kFilterPatternTooLong,
               "line 1, column 8: the pattern has 4 bytes, the limit is 3",
               {.pattern_bytes_max = 3});
}

TEST(ParserTest, BoundsTheDepthOfEverythingThatNests) {
  const CesqlLimits limits{.text_bytes_max = 1'000'000, .depth_max = 8};
  const auto nested = [](std::string_view before, std::string_view after, std::size_t count) {
    return repeat(before, count) + "a" + repeat(after, count);
  };
  EXPECT_TRUE(parse(nested("(", ")", 8), limits).has_value());
  EXPECT_TRUE(parse(nested("NOT ", "", 7), limits).has_value());
  EXPECT_TRUE(parse(nested("ABS(", ")", 7), limits).has_value());
  EXPECT_TRUE(parse(nested("", " LIKE 'x'", 7), limits).has_value());
  EXPECT_TRUE(parse(nested("", " AND b OR c", 3), limits).has_value());
  const std::string message = "the expression is nested more than 8 deep";
  for (const std::size_t count : {9U, 10U, 10'000U}) {
    for (const std::string& text :
         {nested("(", ")", count), nested("NOT ", "", count), nested("-", "", count),
          nested("ABS(", ")", count), nested("1 + (", ")", count), nested("1 IN (", ")", count),
          nested("", " LIKE 'x'", count), nested("", " IN (1)", count),
          nested("", " AND b OR c", count)}) {
      const auto parsed = parse(text, limits);
      ASSERT_FALSE(parsed.has_value()) << text.substr(0, 40);
      EXPECT_EQ(parsed.error().id, ErrorId::kFilterTooDeep);
      EXPECT_EQ(parsed.error().message, message);
      EXPECT_TRUE(parsed.error().position.has_value());
    }
  }
}

// Flat in the tree however long in the text.
TEST(ParserTest, TakesChainsOfThousandsOfOperators) {
  const CesqlLimits limits{.text_bytes_max = 10'000'000};
  const event::EventPtr event = event::event_of("{}");
  const auto value_of = [&](const std::string& text) {
    const auto parsed = parse(text, limits);
    EXPECT_TRUE(parsed.has_value()) << parsed.error().to_string();
    const auto again = parse(to_text(**parsed), limits);
    EXPECT_TRUE(again.has_value() && **again == **parsed);
    return evaluate(**parsed, *event).value;
  };
  EXPECT_EQ(value_of("0" + repeat(" + 1", 100'000)), CesqlValue(100'000));
  EXPECT_EQ(value_of("1" + repeat(" * 1 / 1", 50'000)), CesqlValue(1));
  EXPECT_EQ(value_of("1 = 1" + repeat(" = TRUE", 50'000)), CesqlValue(true));
  EXPECT_EQ(value_of("TRUE" + repeat(" AND id = '1'", 50'000)), CesqlValue(true));
  EXPECT_EQ(value_of("TRUE" + repeat(" XOR TRUE", 50'000)), CesqlValue(true));
}

std::vector<Warning> warnings(std::string_view text) {
  const auto parsed = parse_with_warnings(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? parsed->warnings : std::vector<Warning>();
}

TEST(ParserTest, WarnsOfMixturesAndOfDataAndNot) {
  EXPECT_EQ(warnings("a AND b OR c").size(), 1U);
  EXPECT_TRUE(warnings("a AND (b OR c)").empty());
  EXPECT_EQ(warnings("NOT a = b AND (c OR d XOR e) AND data = 'x'").size(), 3U);
}

TEST(ParserTest, LeavesALongReadingOutOfAWarning) {
  const auto found = warnings("a" + repeat(" AND b", 100) + " OR c");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "AND, OR and XOR bind alike and are read from left to right");
  EXPECT_EQ(found[0].position.column, 603U);
}

}  // namespace
}  // namespace weir::filter::cesql
