// SPDX-License-Identifier: Apache-2.0
// Filters and events for tests: random ones over a small world, in which they often meet.
//
// The world has a dozen paths (core attributes, extensions with awkward names, places in data) and
// a few values of each type, so that random filters are true of a fair share of random events. The
// same seed gives the same filters and events everywhere.
//
//   FilterGenerator generator(seed);
//   const ExprPtr expr = generator.expr();
//   EXPECT_EQ(evaluate(*expr, *generator.event(), scorer), ...);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "event/event.h"
#include "filter/ast.h"
#include "filter/evaluate.h"
#include "filter/filter.h"

namespace weir::filter {

// Gives every text predicate one score, or none, as if no field had text. Words are not looked at;
// where about has no score, 1 is asked for, and nothing of all and any.
class FixedScorer final : public Scorer {
 public:
  explicit FixedScorer(std::optional<double> score = std::nullopt) : score_(score) {}
  TextVerdict judge(const About& about, const event::Event&) override;

 private:
  std::optional<double> score_;
};

// A filter of the weir language. Aborts, after printing why, if the text is none.
FilterPtr filter_of(std::string_view text);

struct GeneratorOptions {
  std::size_t depth_max = 3;  // of not, and, or in each other
  bool text = true;
  bool cesql = true;
  bool change = false;
  bool distinct = false;
};

class FilterGenerator {
 public:
  // A check that fails from now on prints the seed.
  explicit FilterGenerator(std::uint64_t seed, GeneratorOptions options = {})
      : prng_(seed), options_(options) {
    base::set_check_seed(seed);
  }

  // A predicate without state: one of every kind but change.
  ExprPtr predicate();
  // Any nesting of predicates, in which change stands only where it may.
  ExprPtr expr();
  // An expression and, if the options say so, distinct.
  Parsed parsed();

  // An event with some of the world's attributes, and data of any kind or none.
  event::EventPtr event();
  // The `filters` of a subscription: a JSON array of filter objects of every dialect, all valid.
  std::string dialects();

  base::Prng& prng() { return prng_; }

 private:
  template <typename List>
  const auto& pick(const List& list) {
    return list[prng_.below(list.size())];
  }

  ExprPtr expr(std::size_t depth, bool negated);
  ExprPtr leaf(bool negated);
  TextSource text_source();
  About about();
  Movement movement();
  ExprPtr change();
  Distinct distinct();
  Literal literal();
  Operand operand();
  Operand::Conversion conversion();
  event::Path path();
  event::Path any_path();
  std::vector<Operand> keys();
  std::string dialect(std::size_t depth);
  std::string attribute_dialect();
  std::string data_text();
  std::string list_text();
  std::string rows_text();

  base::Prng prng_;
  GeneratorOptions options_;
  std::optional<std::vector<Operand>> change_keys_;  // one for all changes of an expression
};

// The expression in other words: parentheses that are not needed, other blanks, other case of
// keywords. It parses to the same tree.
std::string spell_loosely(const Expr& expr, base::Prng& prng);

}  // namespace weir::filter
