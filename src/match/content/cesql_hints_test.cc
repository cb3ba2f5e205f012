// SPDX-License-Identifier: Apache-2.0
#include "match/content/cesql_hints.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/prng.h"
#include "event/event_testing.h"
#include "filter/cesql/cesql.h"
#include "filter/cesql/random_expression_testing.h"
#include "filter/filter_testing.h"
#include "filter/print.h"

namespace weir::match::content {
namespace {

namespace cesql = filter::cesql;

struct HintCase {
  const char* expression;
  std::vector<std::string> hints;
};

using HintCases = std::vector<HintCase>;

const HintCases& cases_of_one_attribute() {
  static const HintCases kCases = {
      {"type = 'a'", {"string(type) in ('a')"}},
      {"TYPE = 'a'", {"string(type) in ('a')"}},
      {"'a' = type", {"string(type) in ('a')"}},
      // The level becomes a text, not the text a level.
      {"level = '+1'", {"string(level) in ('+1')"}},
      {"flag = 'TRUE'", {"string(flag) in ('TRUE')"}},
      {"type LIKE 'a%'", {"string(type) like 'a%'"}},
      {"type LIKE '%a'", {"string(type) like '%a'"}},
      {"type LIKE 'a'", {"string(type) like 'a'"}},
      {"type LIKE ''", {"string(type) like ''"}},
      {"type IN ('a', 'b')", {"string(type) in ('a', 'b')"}},
      {"level IN ('1', '-7')", {"string(level) in ('1', '-7')"}},
      {"flag IN ('true', 'x')", {"string(flag) in ('true', 'x')"}},
      // Here the constant is cast to what the attribute is.
      {"level IN (7, -1)", {"string(level) in ('7', 'true', '-1', 'true')"}},
      {"level IN ('+1', 'a')", {"string(level) in ('+1', '1', 'a')"}},
      {"level IN ('01', '-0')", {"string(level) in ('01', '1', '-0', '0')"}},
      {"flag IN ('TRUE')", {"string(flag) in ('TRUE', 'true')"}},
      {"flag IN (FALSE, 'b')", {"string(flag) in ('false', '0', 'b')"}},
      {"type IN (1, '2')", {"string(type) in ('1', 'true', '2')"}},
      {"'+1' = level", {"string(level) in ('+1', '1')"}},
      {"7 = level", {"string(level) in ('7', 'true')"}},
      // And here the attribute to what the constant is.
      {"level = 7", {"string(level) like '%7'"}},
      {"level = -70", {"string(level) like '%70'"}},
      {"level = -2147483648", {"string(level) like '%2147483648'"}},
      {"level = 1", {"string(level) like '%1' or string(level) in ('true')", "exists level"}},
      {"level = 0", {"string(level) like '%0' or string(level) in ('false')", "exists level"}},
      {"flag = TRUE", {"exists flag"}},
      {"EXISTS subject", {"exists subject"}},
  };
  return kCases;
}

const HintCases& cases_of_logic() {
  static const HintCases kCases = {
      {"type = 'a' AND subject LIKE 'x%' AND LENGTH(id) > 3",
       {"string(type) in ('a')", "string(subject) like 'x%'"}},
      {"(type = 'a' AND EXISTS x) AND (y = 'b')",
       {"string(type) in ('a')", "exists x", "string(y) in ('b')"}},
      // One of several.
      {"type = 'a' OR type = 'b'", {"string(type) in ('a') or string(type) in ('b')"}},
      {"type = 'a' XOR type = 'b'", {"string(type) in ('a') or string(type) in ('b')"}},
      {"type = 'a' AND (id = 'b' OR source LIKE 'c%')",
       {"string(type) in ('a')", "string(id) in ('b') or string(source) like 'c%'"}},
      {"type = 'a' OR EXISTS x AND id = 'b'",  // from left to right
       {"string(type) in ('a') or exists x", "string(id) in ('b')"}},
      {"type LIKE 'a%' AND id = 'b' OR EXISTS x AND source = 'c'",
       {"string(id) in ('b') or exists x", "string(source) in ('c')"}},
      {"(type LIKE 'a%' AND id = 'b') OR (EXISTS x AND source = 'c')",
       {"string(id) in ('b') or string(source) in ('c')"}},
  };
  return kCases;
}

// What is read must be there, also if it is not known what it must be.
const HintCases& cases_of_reading() {
  static const HintCases kCases = {
      {"level > 1", {"exists level"}},
      {"level = lot", {"exists level", "exists lot"}},
      {"level IN (1, lot)", {"exists level"}},
      {"flag", {"exists flag"}},
      {"NOT flag", {"exists flag"}},
      {"subject != 'a'", {"exists subject"}},
      {"subject NOT LIKE 'a%'", {"exists subject"}},
      {"subject LIKE '%a%'", {"exists subject"}},
      {"level NOT IN (1, x)", {"exists level"}},
      {"level + 1 < -lot AND CONCAT(subject, type) = 'b'",
       {"exists level", "exists lot", "exists subject"}},
      {"level > 1 AND level < 7 AND EXISTS level", {"exists level"}},
      {"level > 1 AND level = '3'", {"string(level) in ('3')"}},
      {"level < 1 OR lot < 1", {"exists level or exists lot", "exists level"}},
      {"level < 1 XOR lot < 1", {"exists level or exists lot", "exists level", "exists lot"}},
      {"type = 'a' OR level < 1", {"string(type) in ('a') or exists level"}},
      {"level < 1 OR type = 'a'", {"exists level or string(type) in ('a')", "exists level"}},
      {"level < 1 OR TRUE", {"exists level"}},
      // Not of the forms, and of what every event has.
      {"type != 'a'", {}},
      {"type = source", {}},
      {"type IN ('a', subject)", {}},
      {"type NOT IN ('a')", {}},
      {"type NOT LIKE 'a%'", {}},
      {"type LIKE '%a%'", {}},
      {"NOT (type = 'a')", {}},
      {"type = 'a' = TRUE", {}},
      {"type = 'a' OR LENGTH(type) > 3", {}},
      {"type = 'a' OR EXISTS id", {}},
      {"EXISTS type", {}},
      {"LOWER(type) = 'a'", {}},
      {"TRUE", {}},
  };
  return kCases;
}

filter::Predicate to_predicate(const CesqlCondition& condition) {
  return std::visit([](const auto& what) { return filter::Predicate{what}; }, condition);
}

std::string to_text(const CesqlHint& hint) {
  std::string text;
  for (const CesqlCondition& condition : hint) {
    text += (text.empty() ? "" : " or ") + filter::to_text(to_predicate(condition));
  }
  return text;
}

void expect_hints(const HintCases& cases) {
  for (const HintCase& at : cases) {
    const auto expression = cesql::parse(at.expression);
    ASSERT_TRUE(expression.has_value()) << at.expression;
    std::vector<std::string> hints;
    for (const CesqlHint& hint : cesql_hints(**expression)) hints.push_back(to_text(hint));
    EXPECT_EQ(hints, at.hints) << at.expression;
  }
}

TEST(CesqlHintsTest, TellWhatAnAttributeMustBe) { expect_hints(cases_of_one_attribute()); }
TEST(CesqlHintsTest, FollowLogicFromLeftToRight) { expect_hints(cases_of_logic()); }
TEST(CesqlHintsTest, TellWhatMustBeThere) { expect_hints(cases_of_reading()); }

cesql::ExpressionPtr chain_of(std::size_t count, cesql::BinaryOperator op) {
  const auto term = [](std::size_t i) {
    return cesql::make_expression(cesql::ExistsNode{cesql::make_attribute(fmt::format("a{}", i))});
  };
  std::vector<cesql::ChainNode::Link> links;
  for (std::size_t i = 1; i < count; ++i) links.push_back({op, term(i)});
  return cesql::make_chain(term(0), std::move(links));
}

TEST(CesqlHintsTest, AreBounded) {
  const auto hints = [](std::size_t count, cesql::BinaryOperator op) {
    return cesql_hints(*chain_of(count, op));
  };
  EXPECT_EQ(hints(10, cesql::BinaryOperator::kAnd).size(), 10U);
  EXPECT_EQ(hints(10'000, cesql::BinaryOperator::kAnd).size(), kCesqlHintCountMax);
  const auto most = hints(kCesqlAlternativeCountMax, cesql::BinaryOperator::kOr);
  ASSERT_EQ(most.size(), 1U);
  EXPECT_EQ(most[0].size(), kCesqlAlternativeCountMax);
  EXPECT_TRUE(hints(kCesqlAlternativeCountMax + 1, cesql::BinaryOperator::kOr).empty());
}

// Texts that casts make one of, and those that look like it.
constexpr auto kTexts = std::to_array<std::string_view>(
    {"1",  "+1",   "01",         "-0", "0",   "-1", "true", "TRUE", "True", "false", "a",
     "ab", "test", "2147483648", "1 ", "tru", "+0", "00",   "-007", "7",    "-01"});
constexpr auto kNames = std::to_array<std::string_view>({"id", "type", "subject", "level", "flag"});

template <typename List>
auto pick(base::Prng& prng, const List& list) {
  return list[prng.below(std::size(list))];
}

cesql::ExpressionPtr random_text(base::Prng& prng) {
  return cesql::make_expression(cesql::LiteralNode{std::string(pick(prng, kTexts))});
}

cesql::ExpressionPtr random_literal(base::Prng& prng) {
  constexpr auto kNumbers =
      std::to_array<std::int32_t>({0, 1, -1, 7, std::numeric_limits<std::int32_t>::max(),
                                   std::numeric_limits<std::int32_t>::min()});
  if (prng.chance(0.6)) return random_text(prng);
  if (prng.chance(0.3)) return cesql::make_expression(cesql::LiteralNode{prng.chance(0.5)});
  return cesql::make_expression(cesql::LiteralNode{pick(prng, kNumbers)});
}

// One of the forms that give hints, with or without a negation; or anything.
cesql::ExpressionPtr random_term(base::Prng& prng) {
  constexpr auto kPatterns = std::to_array<std::string_view>({"%", "1", "_1", "t%", "%e", "a_"});
  cesql::ExpressionPtr attribute =
      cesql::make_expression(cesql::make_attribute(pick(prng, kNames)));
  switch (prng.below(5)) {
    case 0: {
      const auto op =
          prng.chance(0.8) ? cesql::BinaryOperator::kEqual : cesql::BinaryOperator::kNotEqual;
      const cesql::ExpressionPtr literal = random_literal(prng);
      return prng.chance(0.7) ? cesql::make_chain(attribute, {{op, literal}})
                              : cesql::make_chain(literal, {{op, attribute}});
    }
    case 1: {
      std::vector<cesql::ExpressionPtr> elements;
      for (std::size_t i = 1 + prng.below(4); i > 0; --i) elements.push_back(random_literal(prng));
      return cesql::make_expression(
          cesql::InNode{attribute, std::move(elements), prng.chance(0.2)});
    }
    case 2:
      return cesql::make_expression(cesql::LikeNode{
          attribute, filter::LikePattern::compile(pick(prng, kPatterns)), prng.chance(0.2)});
    case 3:
      return cesql::make_expression(cesql::ExistsNode{cesql::make_attribute(pick(prng, kNames))});
    default:
      return cesql::random_expression(prng);
  }
}

cesql::ExpressionPtr random_logic(base::Prng& prng, int depth) {
  constexpr auto kOperators = std::to_array<cesql::BinaryOperator>(
      {cesql::BinaryOperator::kAnd, cesql::BinaryOperator::kAnd, cesql::BinaryOperator::kOr,
       cesql::BinaryOperator::kXor});
  const auto side = [&] {
    return depth > 0 && prng.chance(0.3) ? random_logic(prng, depth - 1) : random_term(prng);
  };
  std::vector<cesql::ChainNode::Link> links;
  while (prng.chance(0.5)) links.push_back({pick(prng, kOperators), side()});
  if (links.empty()) return side();
  return cesql::make_chain(side(), std::move(links));
}

event::EventPtr random_event(base::Prng& prng) {
  constexpr auto kValues = std::to_array<std::string_view>(
      {"0", "1", "-0", "-1", "true", "false", "2147483647", "-2147483648"});
  std::string json =
      fmt::format(R"({{"id":"{}","type":"{}")", pick(prng, kTexts), pick(prng, kTexts));
  if (prng.chance(0.7)) json += fmt::format(R"(,"subject":"{}")", pick(prng, kTexts));
  for (const std::string_view name : {"level", "flag"}) {
    if (prng.chance(0.2)) continue;
    json += prng.chance(0.7) ? fmt::format(R"(,"{}":{})", name, pick(prng, kValues))
                             : fmt::format(R"(,"{}":"{}")", name, pick(prng, kTexts));
  }
  return event::event_of(json + "}");
}

// That is all that an index may rely on: what passes fulfils every hint.
TEST(CesqlHintsTest, HoldWheneverTheExpressionPasses) {
  std::size_t pass_count = 0;
  std::size_t refusal_count = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    std::vector<event::EventPtr> events = cesql::random_expression_events();
    for (int i = 0; i < 60; ++i) events.push_back(random_event(prng));
    filter::FixedScorer scorer;
    for (int round = 0; round < 4000; ++round) {
      const cesql::ExpressionPtr expression = random_logic(prng, 2);
      for (const CesqlHint& hint : cesql_hints(*expression)) {
        for (const event::EventPtr& event : events) {
          const bool holds = std::ranges::any_of(hint, [&](const CesqlCondition& condition) {
            return filter::evaluate(to_predicate(condition), *event, scorer);
          });
          const bool passes = cesql::passes(*expression, *event);
          ASSERT_TRUE(holds || !passes) << cesql::to_text(*expression) << " has the hint "
                                        << to_text(hint) << " on " << event->json();
          pass_count += passes ? 1 : 0;
          refusal_count += holds ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(pass_count, 1000U);
  EXPECT_GT(refusal_count, 1000U);
}

}  // namespace
}  // namespace weir::match::content
