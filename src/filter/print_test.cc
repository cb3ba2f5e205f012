// SPDX-License-Identifier: Apache-2.0
#include "filter/print.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "base/prng.h"
#include "filter/filter_testing.h"
#include "filter/limits.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

// The literal that the parser makes of a literal's text.
Literal read_back(const Literal& literal) {
  const auto parsed = parse_weir("a = " + to_text(literal));
  EXPECT_TRUE(parsed.has_value()) << to_text(literal);
  return std::get<Literal>(std::get<Compare>(*parsed->expr->predicate()).right);
}

TEST(PrintTest, WritesLiteralsSoThatTheirTypeIsSeen) {
  EXPECT_EQ(to_text(Literal{true}), "true");
  EXPECT_EQ(to_text(Literal{std::int64_t{-5}}), "-5");
  EXPECT_EQ(to_text(Literal{5.0}), "5.0");
  EXPECT_EQ(to_text(Literal{-0.0}), "-0.0");
  EXPECT_EQ(to_text(Literal{1e15}), "1000000000000000.0");
  EXPECT_EQ(to_text(Literal{1e16}), "1e+16");
  EXPECT_EQ(to_text(Literal{1e-7}), "1e-07");
  EXPECT_EQ(to_text(Literal{std::string("it's")}), "'it''s'");
  EXPECT_EQ(to_text(Literal{event::Timestamp{0, 500'000'000}}),
            "timestamp '1970-01-01T00:00:00.5Z'");
}

TEST(PrintTest, QuotesAttributesThatAreReservedWordsOrStartWithADigit) {
  EXPECT_EQ(to_text(event::Path::attribute("in")), "\"in\"");
  EXPECT_EQ(to_text(event::Path::attribute("7up")), "\"7up\"");
  EXPECT_EQ(to_text(event::Path::attribute("text")), "text");
  EXPECT_EQ(to_text(event::Path::data({std::string("in")})), "data.in");
  EXPECT_EQ(to_text(event::Path::data({std::string("a b"), 7U})), "data['a b'][7]");
}

TEST(PrintTest, WritesConversionsAsCalls) {
  using enum Operand::Conversion;
  EXPECT_EQ(to_text(Operand{event::Path::attribute("in"), kString}), "string(\"in\")");
  EXPECT_EQ(to_text(Operand{event::Path::data({std::string("t")}), kTimestamp}),
            "timestamp(data.t)");
}

TEST(PrintTest, PutsParenthesesOnlyWhereTheyAreNeeded) {
  const auto printed = [](const char* text) { return to_text(*filter_of(text)->expr()); };
  EXPECT_EQ(printed("((a = 1) and (b = 2)) or (c = 3)"), "a = 1 and b = 2 or c = 3");
  EXPECT_EQ(printed("a = 1 and (b = 2 or c = 3)"), "a = 1 and (b = 2 or c = 3)");
  EXPECT_EQ(printed("not ((a = 1))"), "not a = 1");
  EXPECT_EQ(printed("not (a = 1 and b = 2)"), "not (a = 1 and b = 2)");
  EXPECT_EQ(printed("not (a = 1 or b = 2)"), "not (a = 1 or b = 2)");
  EXPECT_EQ(printed("not (not (a = 1))"), "not not a = 1");
}

TEST(PrintTest, WritesDistinctLast) {
  const Distinct distinct{
      {Operand{event::Path::attribute("id")}}, base::Duration::seconds(90), true};
  EXPECT_EQ(to_text(distinct), "distinct(id) within 1m30s refresh");
  const ExprPtr either = filter_of("a = 1 or b = 2")->expr();
  EXPECT_EQ(to_text(*either, distinct), "(a = 1 or b = 2) and distinct(id) within 1m30s refresh");
  EXPECT_EQ(to_text(*make(Constant{true}), distinct), "distinct(id) within 1m30s refresh");
  EXPECT_EQ(to_text(*make(Constant{false}), distinct),
            "false and distinct(id) within 1m30s refresh");
  EXPECT_EQ(to_text(*either, std::nullopt), "a = 1 or b = 2");
}

TEST(PrintTest, WritesHowDistinctRemembersInTheOrderOfTheGrammar) {
  Distinct distinct{.keys = {Operand{event::Path::attribute("id")}},
                    .within = base::Duration::seconds(1),
                    .exact = true};
  EXPECT_EQ(to_text(distinct), "distinct(id) within 1s exact");
  distinct.refresh = true;
  EXPECT_EQ(to_text(distinct), "distinct(id) within 1s refresh exact");
  distinct.exact = false;
  distinct.verify = true;
  EXPECT_EQ(to_text(distinct), "distinct(id) within 1s refresh verify");
  distinct.verify = false;
  distinct.false_positives_max = 0.001;
  EXPECT_EQ(to_text(distinct), "distinct(id) within 1s refresh false positives <= 0.001");
}

TEST(PrintTest, SharesOfFalsePositivesReadBackToTheLastBit) {
  constexpr std::uint64_t kSeed = 8;
  base::Prng prng(kSeed);
  Distinct distinct{.keys = {Operand{event::Path::attribute("id")}},
                    .within = base::Duration::seconds(1)};
  for (int i = 0; i < 5'000; ++i) {
    const double share = std::pow(10.0, -9.0 * prng.fraction()) / 2;
    distinct.false_positives_max = std::max(share, kFalsePositivesMin);
    const auto parsed = parse_weir(to_text(distinct));
    ASSERT_TRUE(parsed.has_value()) << "seed " << kSeed << ": " << to_text(distinct);
    ASSERT_EQ(parsed->distinct, distinct) << "seed " << kSeed << ": " << to_text(distinct);
  }
}

TEST(PrintTest, NumbersReadBackToTheLastBit) {
  constexpr std::uint64_t kSeed = 7;
  base::Prng prng(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = prng.next();
    const Literal integer{static_cast<std::int64_t>(bits)};
    ASSERT_EQ(read_back(integer), integer) << "seed " << kSeed;
    double number = 0;
    static_assert(sizeof number == sizeof bits);
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) continue;
    ASSERT_EQ(read_back(Literal{number}), Literal{number}) << "seed " << kSeed;
  }
  for (const double number :
       {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
        std::numeric_limits<double>::denorm_min(), 0.1, 1e22, 123456789.0}) {
    EXPECT_EQ(read_back(Literal{number}), Literal{number}) << number;
    EXPECT_EQ(read_back(Literal{-number}), Literal{-number}) << number;
  }
}

TEST(PrintTest, StringsReadBackWhateverIsInThem) {
  for (const std::string text :
       {"", "'", "''", "a'b'c", "\n\t\r", "größe 名 😀", "\\", "\"", "%_"}) {
    EXPECT_EQ(read_back(Literal{text}), Literal{text});
  }
  const std::string with_zero("a\0b", 3);
  EXPECT_EQ(read_back(Literal{with_zero}), Literal{with_zero});
}

}  // namespace
}  // namespace weir::filter
