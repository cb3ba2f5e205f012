// SPDX-License-Identifier: Apache-2.0
// Values and kinds of errors are in cesql_cases.txt; here are messages, and what holds always.
#include "filter/cesql/evaluator.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/prng.h"
#include "event/event_testing.h"
#include "filter/cesql/canonical_text.h"
#include "filter/cesql/parser.h"
#include "filter/cesql/random_expression_testing.h"

namespace weir::filter::cesql {
namespace {

std::string message_of(std::string_view text) {
  const auto parsed = parse(text);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().to_string();
  const Evaluation evaluation = evaluate(**parsed, *event::event_of(R"({"subject":"deep"})"));
  EXPECT_EQ(evaluation.errors.size(), 1U) << text;
  return evaluation.errors.empty() ? "" : evaluation.errors.front().message;
}

TEST(EvaluatorTest, SaysWhatWentWrong) {
  EXPECT_EQ(message_of("ghost = 1"), "the event has no attribute ghost");
  EXPECT_EQ(message_of("subject > 3"), "'deep' is no Integer");
  EXPECT_EQ(message_of("NOT subject"), "'deep' is no Boolean");
  EXPECT_EQ(message_of("7 / (1 - 1)"), "division of 7 by zero");
  EXPECT_EQ(message_of("2147483647 * 2"), "the result 4294967294 does not fit 32 bits");
  EXPECT_EQ(message_of("LENGHT('x')"), "there is no function LENGHT that takes 1 argument");
  EXPECT_EQ(message_of("LEFT('x', -1)"), "LEFT: the number of characters is negative");
  EXPECT_EQ(message_of("SUBSTRING('x', 2)"), "SUBSTRING: the position is outside the string");
  EXPECT_EQ(message_of("SUBSTRING('x', 1, -1)"), "SUBSTRING: the length is negative");
  EXPECT_EQ(message_of("ABS(-2147483648)"),
            "ABS: the absolute value of -2147483648 does not fit 32 bits");
}

TEST(EvaluatorTest, NamesEveryKindOfError) {
  using enum EvaluationErrorKind;
  EXPECT_EQ(to_string(kParse), "parse");
  EXPECT_EQ(to_string(kMath), "math");
  EXPECT_EQ(to_string(kCast), "cast");
  EXPECT_EQ(to_string(kMissingFunction), "missingFunction");
  EXPECT_EQ(to_string(kFunctionEvaluation), "functionEvaluation");
  EXPECT_EQ(to_string(kMissingAttribute), "missingAttribute");
  EXPECT_EQ(to_string(kGeneric), "generic");
}

TEST(EvaluatorTest, BoundsTheStringsThatFunctionsMake) {
  const event::EventPtr event =
      event::event_of(R"({"long":")" + std::string(std::size_t{1} << 20U, 'x') + R"("})");
  const auto kind_of = [&](const std::string& text) {
    const auto parsed = parse(text);
    EXPECT_TRUE(parsed.has_value()) << parsed.error().to_string();
    const Evaluation evaluation = evaluate(**parsed, *event);
    return evaluation.errors.empty() ? "" : to_string(evaluation.errors.front().kind);
  };
  const auto call = [](std::string_view before, std::string_view argument, std::size_t count) {
    std::string text(before);
    for (std::size_t i = 1; i < count; ++i) text.append(argument).append(", ");
    return text.append(argument).append(") = ''");
  };
  EXPECT_EQ(kind_of(call("CONCAT(", "long", 8)), "");
  EXPECT_EQ(kind_of(call("CONCAT(", "long", 9)), "functionEvaluation");
  EXPECT_EQ(kind_of(call("CONCAT_WS(long, ", "'x'", 9)), "functionEvaluation");
  EXPECT_EQ(kind_of(call("CONCAT(", "LOWER(long)", 9)), "functionEvaluation");
}

TEST(EvaluatorTest, KeepsToTheStaticTypeOnRandomExpressions) {
  const std::vector<event::EventPtr> events = random_expression_events();
  std::size_t failed_count = 0;
  std::size_t passed_count = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    base::Prng prng(seed);
    const ExpressionPtr expression = random_expression(prng);
    for (const event::EventPtr& event : events) {
      const Evaluation evaluation = evaluate(*expression, *event);
      const bool failed = !evaluation.errors.empty();
      ASSERT_LE(evaluation.errors.size(), 1U);
      if (const auto type = expression->static_type()) {
        ASSERT_EQ(type_of(evaluation.value), *type) << to_text(*expression);
      } else if (failed) {
        ASSERT_EQ(evaluation.value, CesqlValue(false)) << to_text(*expression);
      }
      const bool passed = !failed && evaluation.value == CesqlValue(true);
      ASSERT_EQ(passes(*expression, *event), passed) << to_text(*expression);
      failed_count += failed ? 1U : 0U;
      passed_count += passed ? 1U : 0U;
    }
  }
  // The generator is worth something only if both happen often.
  EXPECT_GT(failed_count, 1000U);
  EXPECT_GT(passed_count, 500U);
}

}  // namespace
}  // namespace weir::filter::cesql
