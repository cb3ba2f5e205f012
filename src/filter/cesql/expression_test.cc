// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/expression.h"

#include <gtest/gtest.h>

#include <string_view>

#include "filter/cesql/parser.h"

namespace weir::filter::cesql {
namespace {

const Expression& of(std::string_view text) {
  static std::vector<ExpressionPtr> kept;
  const auto parsed = parse(text);
  EXPECT_TRUE(parsed.has_value()) << text << ": " << parsed.error().to_string();
  kept.push_back(parsed ? *parsed : make_expression(LiteralNode{false}));
  return *kept.back();
}

TEST(ExpressionTest, EqualsByStructure) {
  EXPECT_EQ(of("a=1 AND b LIKE 'x%'"), of("A = 1 and B like \"x%\""));
  EXPECT_EQ(of("a <> 1"), of("(a) != (1)"));
  EXPECT_EQ(of("(a + b) - c"), of("a + b - c"));
  EXPECT_EQ(of("((a OR b) AND c) XOR d"), of("a OR b AND c XOR d"));
  EXPECT_EQ(of("  LENGTH(a)"), of("length(a)"));
}

TEST(ExpressionTest, DiffersByEveryPart) {
  const auto texts = {"a",         "b",           "EXISTS a",     "'a'",          "1",
                      "-1",        "-(1)",        "'1'",          "TRUE",         "FALSE",
                      "NOT a",     "-a",          "a + b",        "a - b",        "b + a",
                      "a + b + c", "a + (b + c)", "a LIKE 'x'",   "a LIKE 'y'",   "a NOT LIKE 'x'",
                      "a IN (1)",  "a IN (2)",    "a NOT IN (1)", "a IN (1, 1)",  "ABS(a)",
                      "LENGTH(a)", "ABS(b)",      "ABS(a, a)",    "a OR b AND c", "a OR (b AND c)"};
  for (const std::string_view left : texts) {
    for (const std::string_view right : texts) {
      EXPECT_EQ(of(left) == of(right), left == right) << left << " and " << right;
    }
  }
}

TEST(ExpressionTest, MeasuresItsHeight) {
  EXPECT_EQ(of("a").height(), 1U);
  EXPECT_EQ(of("((a))").height(), 1U);
  EXPECT_EQ(of("a + b + c + d").height(), 2U);
  EXPECT_EQ(of("a + (b + (c + d))").height(), 4U);
  EXPECT_EQ(of("NOT NOT a").height(), 3U);
  EXPECT_EQ(of("ABS(-a)").height(), 3U);
  EXPECT_EQ(of("a IN (1, -b)").height(), 4U);
  EXPECT_EQ(of("--a IN (1)").height(), 4U);
  EXPECT_EQ(of("a AND b AND c").height(), 2U);
  EXPECT_EQ(of("a AND b OR c AND d").height(), 4U);
}

TEST(ExpressionTest, KnowsItsTypeWithoutAnEvent) {
  EXPECT_EQ(of("a").static_type(), std::nullopt);
  EXPECT_EQ(of("(a)").static_type(), std::nullopt);
  for (const std::string_view text :
       {"TRUE", "NOT a", "EXISTS a", "a = b", "a < b", "a AND b", "a LIKE 'x'", "a IN (b)",
        "BOOL(a)", "NOPE(a)", "LENGTH(a, b)"}) {
    EXPECT_EQ(of(text).static_type(), CesqlType::kBoolean) << text;
  }
  for (const std::string_view text : {"1", "-a", "a + b", "a % b", "LENGTH(a)", "INT(a)"}) {
    EXPECT_EQ(of(text).static_type(), CesqlType::kInteger) << text;
  }
  for (const std::string_view text : {"'x'", "CONCAT(a)", "LEFT(a, 1)", "STRING(a)"}) {
    EXPECT_EQ(of(text).static_type(), CesqlType::kString) << text;
  }
}

TEST(ExpressionTest, NamesTheAttributesItLooksAt) {
  const Expression& expression =
      of("Type = 'x' AND LENGTH(subject) + hop < 5 OR EXISTS ext AND id IN (type, -depth) "
         "OR (NOT flag) OR source LIKE '%'");
  EXPECT_EQ(
      attributes_used(expression),
      (std::vector<std::string>{"depth", "ext", "flag", "hop", "id", "source", "subject", "type"}));
  EXPECT_TRUE(attributes_used(of("1 = 2")).empty());
}

}  // namespace
}  // namespace weir::filter::cesql
