// SPDX-License-Identifier: Apache-2.0
#include "filter/ast.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "filter/filter_testing.h"

namespace weir::filter {
namespace {

ExprPtr attribute_equals(std::string_view name, std::int64_t value) {
  return make(Compare{Operand{event::Path::attribute(name)}, CompareOp::kEqual, Literal{value}});
}

TEST(AstTest, NoTermsAreTheNeutralConstant) {
  EXPECT_TRUE(equal(make_and({}), make(Constant{true})));
  EXPECT_TRUE(equal(make_or({}), make(Constant{false})));
}

TEST(AstTest, OneTermIsItself) {
  const ExprPtr term = attribute_equals("a", 1);
  EXPECT_EQ(make_and({term}), term);
  EXPECT_EQ(make_or({term}), term);
}

TEST(AstTest, AndAndOrNeverNestInThemselves) {
  const ExprPtr a = attribute_equals("a", 1);
  const ExprPtr b = attribute_equals("b", 1);
  const ExprPtr c = attribute_equals("c", 1);
  EXPECT_TRUE(equal(make_and({make_and({a, b}), c}), make_and({a, b, c})));
  EXPECT_TRUE(equal(make_and({a, make_and({b, c})}), make_and({a, b, c})));
  EXPECT_TRUE(equal(make_or({make_or({a, b}), c}), make_or({a, b, c})));
  EXPECT_FALSE(equal(make_and({make_or({a, b}), c}), make_and({a, b, c})));
}

TEST(AstTest, TreesAreEqualByStructure) {
  const ExprPtr a = attribute_equals("a", 1);
  const ExprPtr b = attribute_equals("b", 1);
  EXPECT_TRUE(equal(attribute_equals("a", 1), a));
  EXPECT_FALSE(equal(attribute_equals("a", 2), a));
  EXPECT_FALSE(equal(make_and({a, b}), make_and({b, a})));
  EXPECT_FALSE(equal(make_and({a, b}), make_or({a, b})));
  EXPECT_FALSE(equal(make_not(a), a));
  EXPECT_TRUE(equal(make_not(a), make_not(attribute_equals("a", 1))));
  EXPECT_TRUE(equal(nullptr, nullptr));
  EXPECT_FALSE(equal(a, nullptr));
  EXPECT_FALSE(equal(nullptr, a));
}

TEST(AstTest, LiteralsAreEqualByTypeAndValue) {
  EXPECT_EQ(Literal{std::int64_t{1}}, Literal{std::int64_t{1}});
  EXPECT_NE(Literal{std::int64_t{1}}, Literal{1.0});
  EXPECT_NE(Literal{std::string("true")}, Literal{true});
}

// Each pair differs in one thing only.
TEST(AstTest, PredicatesDifferInEveryPart) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"a = 1", "a != 1"},
      {"a = 1", "a = 1.0"},
      {"a = 1", "string(a) = 1"},
      {"string(a) = 1", "timestamp(a) = 1"},
      {"a = b", "a = c"},
      {"a in (1, 2)", "a in (2, 1)"},
      {"a between 1 and 2", "a between 1 and 3"},
      {"a like 'x%'", "a like 'x_'"},
      {"a prefix 'x'", "a suffix 'x'"},
      {"exists a", "exists b"},
      {"data.a = 1", "data['b'] = 1"},
      {"data[0] = 1", "data['0'] = 1"},
      {"text(data.a) about 'x' score >= 1", "text(data.b) about 'x' score >= 1"},
      {"text(data.a) about 'x' score >= 1", "text(data.a) about 'y' score >= 1"},
      {"text(data.a) about 'x' score >= 1", "text(data.a) about 'x' score >= 2"},
      {"cesql('a = 1')", "cesql('a = 2')"},
      {"change(data.a) > 1", "change(data.b) > 1"},
      {"change(data.a) > 1", "change(data.a, by id) > 1"},
      {"change(data.a, by id) > 1", "change(data.a, by source) > 1"},
      {"change(data.a) > 1", "change(data.a, id = 'x') > 1"},
      {"change(data.a, id = 'y') > 1", "change(data.a, id = 'x') > 1"},
      {"change(data.a) > 1", "change(data.a) > 2"},
      {"change(data.a) > 1", "change(data.a) >= 1"},
      {"change(data.a) > 1", "change(data.a) > 1%"},
      {"change(data.a) > 1", "change(data.a) > 1 or silent for 1s"},
      {"change(data.a) > 1", "change(data.a) > 1 at most every 1s"},
  };
  for (const auto& [left, right] : pairs) {
    EXPECT_FALSE(equal(filter_of(left)->expr(), filter_of(right)->expr()))
        << left << " | " << right;
    EXPECT_TRUE(equal(filter_of(left)->expr(), filter_of(left)->expr())) << left;
  }
  EXPECT_NE(filter_of("distinct(id) within 1h")->distinct(),
            filter_of("distinct(id) within 1h refresh")->distinct());
  EXPECT_NE(filter_of("distinct(id) within 1h")->distinct(),
            filter_of("distinct(id) within 2h")->distinct());
  EXPECT_NE(filter_of("distinct(id) within 1h")->distinct(),
            filter_of("distinct(id) within 1h exact")->distinct());
  EXPECT_NE(filter_of("distinct(id) within 1h")->distinct(),
            filter_of("distinct(id) within 1h false positives <= 1e-6")->distinct());
  EXPECT_NE(filter_of("distinct(id) within 1h false positives <= 1e-3")->distinct(),
            filter_of("distinct(id) within 1h false positives <= 1e-6")->distinct());
  EXPECT_NE(filter_of("distinct(id) within 1h")->distinct(),
            filter_of("distinct(id) within 1h verify")->distinct());
  EXPECT_EQ(filter_of("distinct(id) within 1h false positives <= 1e-3")->distinct(),
            filter_of("distinct(id) within 1h false positives <= 0.1%")->distinct());
}

}  // namespace
}  // namespace weir::filter
