// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/canonical_text.h"

#include <gtest/gtest.h>

#include <string>

#include "base/prng.h"
#include "filter/cesql/evaluator.h"
#include "filter/cesql/parser.h"
#include "filter/cesql/random_expression_testing.h"

namespace weir::filter::cesql {
namespace {

std::string canonical(std::string_view text) {
  const auto parsed = parse(text);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().to_string();
  return parsed ? to_text(**parsed) : "";
}

TEST(CanonicalTextTest, HasOneSpelling) {
  EXPECT_EQ(canonical("  Type<>\"a'b\"and not exists SUBJECT"),
            "type != 'a\\'b' AND NOT EXISTS subject");
  EXPECT_EQ(canonical("((length((subject))))>+03"), "LENGTH(subject) > 3");
}

TEST(CanonicalTextTest, KeepsTheParenthesesThatMatter) {
  for (const std::string text :
       {"(a + b) * c", "a - (b - c)", "a = (b = c)", "(a AND b) = c", "NOT (a AND b)", "-(a + b)",
        "(a = b) LIKE 'x'", "(a + b) IN (c AND d, e)", "a OR (b AND c)", "(a OR b) AND c",
        "((a OR b) AND c) XOR d", "(a AND b AND c) OR d OR e"}) {
    EXPECT_EQ(canonical(text), text);
  }
}

TEST(CanonicalTextTest, ReparsesAndEvaluatesAlikeOnRandomExpressions) {
  const std::vector<event::EventPtr> events = random_expression_events();
  const CesqlLimits limits{.text_bytes_max = 1'000'000};
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    base::Prng prng(seed);
    const ExpressionPtr expression = random_expression(prng);
    const std::string text = to_text(*expression);
    const auto again = parse(text, limits);
    ASSERT_TRUE(again.has_value()) << text << '\n' << again.error().to_string();
    ASSERT_EQ(**again, *expression) << text;
    ASSERT_EQ(to_text(**again), text);
    for (const event::EventPtr& event : events) {
      const Evaluation first = evaluate(*expression, *event);
      const Evaluation second = evaluate(**again, *event);
      ASSERT_EQ(first.value, second.value) << text;
      ASSERT_EQ(first.errors.size(), second.errors.size()) << text;
    }
  }
}

// What nests as deep as the limit allows is written no deeper.
TEST(CanonicalTextTest, ParsesWithinTheDepthOfItsExpression) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    base::Prng prng(seed);
    const ExpressionPtr expression = random_expression(prng);
    const CesqlLimits limits{.text_bytes_max = 1'000'000, .depth_max = expression->height()};
    const auto again = parse(to_text(*expression), limits);
    ASSERT_TRUE(again.has_value()) << to_text(*expression) << '\n' << again.error().to_string();
  }
}

}  // namespace
}  // namespace weir::filter::cesql
