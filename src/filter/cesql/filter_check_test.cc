// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/filter_check.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "filter/cesql/parser.h"

namespace weir::filter::cesql {
namespace {

using base::ErrorId;

base::Result<void> check(std::string_view text) {
  const auto parsed = parse(text);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().to_string();
  if (!parsed) return parsed.error();
  return check_filter(**parsed);
}

void expect_error(std::string_view text, ErrorId id, std::string_view message) {
  const auto checked = check(text);
  ASSERT_FALSE(checked.has_value()) << text;
  EXPECT_EQ(checked.error().id, id);
  EXPECT_EQ(checked.error().to_string(), message);
}

TEST(FilterCheckTest, TakesWhatMayGiveABoolean) {
  for (const std::string_view text :
       {"TRUE", "urgent", "NOT urgent", "LENGTH(subject) > 3", "BOOL(flag)", "EXISTS subject",
        "CONCAT() = ''", "SUBSTRING(id, 1, 2) LIKE 'a%' AND SUBSTRING(id, 2) IN ('b')"}) {
    const auto checked = check(text);
    EXPECT_TRUE(checked.has_value()) << text;
  }
}

TEST(FilterCheckTest, RefusesAnUnknownFunctionWithASuggestion) {
  expect_error("id = '1' AND LENGHT(id) = 1", ErrorId::kFilterCesqlFunction,
               "line 1, column 14: CESQL has no function LENGHT: did you mean 'LENGTH'?");
  expect_error("my_function(id)", ErrorId::kFilterCesqlFunction,
               "line 1, column 1: CESQL has no function MY_FUNCTION");
  expect_error("TRUE OR\n  id IN ('a', Concatws('b'))", ErrorId::kFilterCesqlFunction,
               "line 2, column 15: CESQL has no function CONCATWS: did you mean 'CONCAT_WS'?");
}

TEST(FilterCheckTest, RefusesTheWrongNumberOfArguments) {
  expect_error("LENGTH() = 0", ErrorId::kFilterCesqlArity,
               "line 1, column 1: LENGTH takes 1 argument, not 0");
  expect_error("LEFT(id) = 'a'", ErrorId::kFilterCesqlArity,
               "line 1, column 1: LEFT takes 2 arguments, not 1");
  expect_error("'a' = SUBSTRING(id)", ErrorId::kFilterCesqlArity,
               "line 1, column 7: SUBSTRING takes 2 or 3 arguments, not 1");
  expect_error("CONCAT_WS() = ''", ErrorId::kFilterCesqlArity,
               "line 1, column 1: CONCAT_WS takes at least 1 argument, not 0");
  expect_error("NOT BOOL(-ABS(1, 2))", ErrorId::kFilterCesqlArity,
               "line 1, column 11: ABS takes 1 argument, not 2");
}

TEST(FilterCheckTest, RefusesWhatNeverGivesABoolean) {
  expect_error("1 + 1", ErrorId::kFilterType,
               "line 1, column 1: a filter must give a Boolean, this expression gives an Integer");
  expect_error("LOWER(type)", ErrorId::kFilterType,
               "line 1, column 1: a filter must give a Boolean, this expression gives a String");
}

}  // namespace
}  // namespace weir::filter::cesql
