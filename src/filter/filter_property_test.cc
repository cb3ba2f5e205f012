// SPDX-License-Identifier: Apache-2.0
// What holds of every filter, tried on random ones. A failure names the seed that found it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "event/json_document.h"
#include "filter/dialects.h"
#include "filter/evaluate.h"
#include "filter/filter_testing.h"
#include "filter/normal_form.h"
#include "filter/print.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

constexpr std::uint64_t kSeed = 0x5EED'0001;
constexpr GeneratorOptions kEverything = {.change = true, .distinct = true};

std::string trace(std::uint64_t seed, const std::string& text) {
  return fmt::format("seed {}: {}", seed, text);
}

// The conjunctions, each as its terms' texts, without the order of either.
std::multiset<std::set<std::string>> content(const NormalForm& form) {
  std::multiset<std::set<std::string>> out;
  for (const Conjunction& conjunction : form.conjunctions) {
    std::set<std::string> texts;
    for (const Term& term : conjunction.terms) {
      texts.insert((term.negated ? "not " : "") + to_text(*term.predicate));
    }
    for (const ExprPtr& change : conjunction.changes) texts.insert(to_text(*change));
    out.insert(std::move(texts));
  }
  return out;
}

TEST(FilterPropertyTest, CanonicalTextParsesToTheSameFilter) {
  for (std::uint64_t seed = kSeed; seed < kSeed + 10'000; ++seed) {
    const Parsed parsed = FilterGenerator(seed, kEverything).parsed();
    const std::string text = to_text(*parsed.expr, parsed.distinct);
    const auto again = parse_weir(text);
    ASSERT_TRUE(again.has_value()) << trace(seed, text) << "\n" << again.error().to_string();
    ASSERT_TRUE(equal(again->expr, parsed.expr)) << trace(seed, text);
    ASSERT_EQ(again->distinct, parsed.distinct) << trace(seed, text);
    ASSERT_EQ(to_text(*again->expr, again->distinct), text) << "seed " << seed;
  }
}

TEST(FilterPropertyTest, OtherBlanksParenthesesAndCaseAreTheSameFilter) {
  for (std::uint64_t seed = kSeed; seed < kSeed + 10'000; ++seed) {
    FilterGenerator generator(seed, kEverything);
    const ExprPtr expr = generator.expr();
    const std::string text = spell_loosely(*expr, generator.prng());
    const auto parsed = parse_weir(text);
    ASSERT_TRUE(parsed.has_value()) << trace(seed, text) << "\n" << parsed.error().to_string();
    ASSERT_TRUE(equal(parsed->expr, expr)) << trace(seed, text);
  }
}

// No change term under a not, one 'by' for all: nothing but size can stop the normal form.
TEST(FilterPropertyTest, EveryFilterHasANormalFormThatIsItsOwn) {
  std::size_t too_large_count = 0;
  for (std::uint64_t seed = kSeed; seed < kSeed + 5'000; ++seed) {
    const ExprPtr expr = FilterGenerator(seed, kEverything).expr();
    const auto form = normalize(expr);
    if (!form) {
      ASSERT_EQ(form.error().id, base::ErrorId::kFilterNormalFormTooLarge)
          << trace(seed, to_text(*expr)) << "\n"
          << form.error().to_string();
      ++too_large_count;
      continue;
    }
    const auto again = normalize(to_expr(*form));
    ASSERT_TRUE(again.has_value()) << trace(seed, to_text(*expr));
    ASSERT_EQ(content(*again), content(*form)) << trace(seed, to_text(*expr));
  }
  EXPECT_LT(too_large_count, 50U);
}

TEST(FilterPropertyTest, TreeAndNormalFormAgreeOnEveryEvent) {
  constexpr std::size_t kEventCount = 200;
  constexpr std::uint64_t kFilterCount = 2'000;
  std::vector<event::EventPtr> events;
  FilterGenerator event_generator(kSeed);
  for (std::size_t i = 0; i < kEventCount; ++i) events.push_back(event_generator.event());

  std::size_t pair_count = 0;
  std::size_t passed_count = 0;
  for (std::uint64_t seed = kSeed; seed < kSeed + kFilterCount; ++seed) {
    FilterGenerator generator(seed);
    const ExprPtr expr = generator.expr();
    const auto form = normalize(expr);
    if (!form) continue;
    const ExprPtr normal = to_expr(*form);
    FixedScorer scorer(generator.prng().chance(0.3) ? std::optional<double>() : 1.5);
    for (const event::EventPtr& event : events) {
      const bool passes = evaluate(*expr, *event, scorer);
      ASSERT_EQ(evaluate(*normal, *event, scorer), passes) << trace(seed, to_text(*expr)) << "\n"
                                                           << event->json();
      ++pair_count;
      passed_count += passes ? 1 : 0;
    }
  }
  EXPECT_GE(pair_count, 200'000U);
  // The world is small enough that both answers are common.
  EXPECT_GT(passed_count, pair_count / 5);
  EXPECT_LT(passed_count, pair_count * 4 / 5);
}

// not (not a) is a, and neither and nor or looks at the order of its terms.
TEST(FilterPropertyTest, TheLawsOfLogicHold) {
  FixedScorer scorer(1.5);
  for (std::uint64_t seed = kSeed; seed < kSeed + 20'000; ++seed) {
    FilterGenerator generator(seed);
    const ExprPtr a = generator.predicate();
    const ExprPtr b = generator.predicate();
    const event::EventPtr event = generator.event();
    const auto holds = [&](const ExprPtr& expr) { return evaluate(*expr, *event, scorer); };
    const std::string texts = to_text(*a) + " | " + to_text(*b);
    ASSERT_EQ(holds(make_not(make_not(a))), holds(a)) << trace(seed, texts);
    ASSERT_EQ(holds(make_and({a, b})), holds(make_and({b, a}))) << trace(seed, texts);
    ASSERT_EQ(holds(make_or({a, b})), holds(a) || holds(b)) << trace(seed, texts);
    ASSERT_EQ(holds(make_not(make_and({a, b}))), holds(make_or({make_not(a), make_not(b)})))
        << trace(seed, texts);
  }
}

TEST(FilterPropertyTest, FiltersOfEveryDialectReadBackFromTheWeirLanguage) {
  for (std::uint64_t seed = kSeed; seed < kSeed + 5'000; ++seed) {
    const std::string json = FilterGenerator(seed).dialects();
    const auto parsed = parse_dialects(json);
    ASSERT_TRUE(parsed.has_value()) << trace(seed, json) << "\n" << parsed.error().to_string();
    const std::string text = to_text(*parsed->expr, parsed->distinct);
    const auto by_language = parse_weir(text);
    ASSERT_TRUE(by_language.has_value()) << trace(seed, json) << "\n" << text;
    ASSERT_TRUE(equal(by_language->expr, parsed->expr)) << trace(seed, json) << "\n" << text;

    std::string wrapped = R"([{"weir":)";
    event::append_json_string(text, wrapped);
    const auto by_dialect = parse_dialects(wrapped + "}]");
    ASSERT_TRUE(by_dialect.has_value()) << trace(seed, wrapped);
    ASSERT_TRUE(equal(by_dialect->expr, parsed->expr)) << trace(seed, wrapped);
  }
}

TEST(FilterPropertyTest, TheSameSeedMakesTheSameFiltersAndEvents) {
  for (std::uint64_t seed = kSeed; seed < kSeed + 100; ++seed) {
    FilterGenerator first(seed, kEverything);
    FilterGenerator second(seed, kEverything);
    EXPECT_EQ(to_text(*first.expr()), to_text(*second.expr()));
    EXPECT_EQ(first.event()->json(), second.event()->json());
    EXPECT_EQ(first.dialects(), second.dialects());
  }
}

}  // namespace
}  // namespace weir::filter
