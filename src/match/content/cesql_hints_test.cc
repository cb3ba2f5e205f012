// SPDX-License-Identifier: Apache-2.0
#include "match/content/cesql_hints.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
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

const std::vector<HintCase>& hint_cases() {
  static const std::vector<HintCase> kCases = {
      {"type = 'a'", {"string(type) = 'a'"}},
      {"TYPE = 'a'", {"string(type) = 'a'"}},
      {"level = '+1'", {"string(level) = '+1'"}},  // the level becomes a text, not the text a level
      {"flag = 'TRUE'", {"string(flag) = 'TRUE'"}},
      {"type LIKE 'a%'", {"string(type) like 'a%'"}},
      {"type IN ('a', 'b')", {"string(type) in ('a', 'b')"}},
      {"level IN ('1', '-7')", {"string(level) in ('1', '-7')"}},
      {"flag IN ('true', 'x')", {"string(flag) in ('true', 'x')"}},
      {"EXISTS subject", {"exists subject"}},
      {"type = 'a' AND subject LIKE 'x%' AND LENGTH(id) > 3",
       {"string(type) = 'a'", "string(subject) like 'x%'"}},
      {"(type = 'a' AND EXISTS x) AND (y = 'b')",
       {"string(type) = 'a'", "exists x", "string(y) = 'b'"}},
      {"type = 'a' AND (x = 'b' OR y = 'c')", {"string(type) = 'a'"}},
      // A text that a number or a boolean equals without being written like it.
      {"level IN ('+1', 'a')", {}},
      {"level IN ('01')", {}},
      {"level IN ('-0')", {}},
      {"flag IN ('TRUE')", {}},
      {"flag IN ('b', 'False')", {}},
      // Not of the forms, or not a condition that must hold.
      {"type != 'a'", {}},
      {"'a' = type", {}},
      {"type = subject", {}},
      {"level = 1", {}},
      {"flag = TRUE", {}},
      {"level IN (1, '2')", {}},
      {"type NOT IN ('a')", {}},
      {"type NOT LIKE 'a%'", {}},
      {"NOT (type = 'a')", {}},
      {"type = 'a' = TRUE", {}},
      {"type = 'a' OR type = 'b'", {}},
      {"type = 'a' XOR type = 'b'", {}},
      {"type = 'a' OR EXISTS x AND y = 'b'", {}},
      {"LOWER(type) = 'a'", {}},
      {"flag", {}},
      {"TRUE", {}},
  };
  return kCases;
}

TEST(CesqlHintsTest, AreTheOperandsOfAndThatMustHold) {
  for (const HintCase& at : hint_cases()) {
    const auto expression = cesql::parse(at.expression);
    ASSERT_TRUE(expression.has_value()) << at.expression;
    std::vector<std::string> hints;
    for (const filter::Predicate& hint : cesql_hints(**expression)) {
      hints.push_back(filter::to_text(hint));
    }
    EXPECT_EQ(hints, at.hints) << at.expression;
  }
}

// Texts that casts make one of, and those that look like it.
constexpr auto kTexts =
    std::to_array<std::string_view>({"1", "+1", "01", "-0", "0", "-1", "true", "TRUE", "True",
                                     "false", "a", "ab", "test", "2147483648", "1 ", "tru"});
constexpr auto kNames = std::to_array<std::string_view>({"id", "type", "subject", "level", "flag"});

template <typename List>
auto pick(base::Prng& prng, const List& list) {
  return list[prng.below(std::size(list))];
}

cesql::ExpressionPtr random_text(base::Prng& prng) {
  return cesql::make_expression(cesql::LiteralNode{std::string(pick(prng, kTexts))});
}

cesql::ExpressionPtr random_literal(base::Prng& prng) {
  if (prng.chance(0.8)) return random_text(prng);
  if (prng.chance(0.5)) return cesql::make_expression(cesql::LiteralNode{prng.chance(0.5)});
  return cesql::make_expression(cesql::LiteralNode{static_cast<std::int32_t>(prng.below(2))});
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
      return cesql::make_chain(attribute, {{op, random_literal(prng)}});
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

cesql::ExpressionPtr random_conjunction(base::Prng& prng) {
  std::vector<cesql::ChainNode::Link> links;
  while (prng.chance(0.5)) {
    const auto op = prng.chance(0.9) ? cesql::BinaryOperator::kAnd : cesql::BinaryOperator::kOr;
    links.push_back({op, random_term(prng)});
  }
  if (links.empty()) return random_term(prng);
  return cesql::make_chain(random_term(prng), std::move(links));
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
      const cesql::ExpressionPtr expression = random_conjunction(prng);
      for (const filter::Predicate& hint : cesql_hints(*expression)) {
        for (const event::EventPtr& event : events) {
          const bool holds = filter::evaluate(hint, *event, scorer);
          const bool passes = cesql::passes(*expression, *event);
          ASSERT_TRUE(holds || !passes) << cesql::to_text(*expression) << " has the hint "
                                        << filter::to_text(hint) << " on " << event->json();
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
