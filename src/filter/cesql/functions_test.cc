// SPDX-License-Identifier: Apache-2.0
// What functions do is in cesql_cases.txt; here is how they are found.
#include "filter/cesql/functions.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace weir::filter::cesql {
namespace {

TEST(FunctionsTest, AreFoundByNameAndNumberOfArguments) {
  EXPECT_NE(find_function("LENGTH", 1), nullptr);
  EXPECT_EQ(find_function("LENGTH", 0), nullptr);
  EXPECT_EQ(find_function("LENGTH", 2), nullptr);
  EXPECT_EQ(find_function("length", 1), nullptr);
  EXPECT_EQ(find_function("NOPE", 1), nullptr);
}

TEST(FunctionsTest, AreOverloadedByNumberOfArguments) {
  const Function* open = find_function("SUBSTRING", 2);
  const Function* closed = find_function("SUBSTRING", 3);
  ASSERT_NE(open, nullptr);
  ASSERT_NE(closed, nullptr);
  EXPECT_NE(open, closed);
  EXPECT_EQ(find_function("SUBSTRING", 1), nullptr);
  EXPECT_EQ(find_function("SUBSTRING", 4), nullptr);
}

TEST(FunctionsTest, TakeAnyNumberOfArgumentsIfVariadic) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    const Function* concat = find_function("CONCAT", count);
    ASSERT_NE(concat, nullptr) << count;
    EXPECT_EQ(concat->parameter(count), CesqlType::kString);
  }
  EXPECT_EQ(find_function("CONCAT_WS", 0), nullptr);
  EXPECT_NE(find_function("CONCAT_WS", 1), nullptr);
  EXPECT_NE(find_function("CONCAT_WS", 1000), nullptr);
}

TEST(FunctionsTest, AreThoseOfTheSpecification) {
  std::set<std::string_view> names;
  for (const Function& function : all_functions()) names.insert(function.name);
  EXPECT_EQ(names, (std::set<std::string_view>{"LENGTH", "CONCAT", "CONCAT_WS", "LOWER", "UPPER",
                                               "TRIM", "LEFT", "RIGHT", "SUBSTRING", "ABS", "INT",
                                               "BOOL", "STRING"}));
}

}  // namespace
}  // namespace weir::filter::cesql
