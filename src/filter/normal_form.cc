// SPDX-License-Identifier: Apache-2.0
#include "filter/normal_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "filter/print.h"

namespace weir::filter {
namespace {

using base::ErrorId;

// A conjunction while the form is being built: predicates are numbered in the order in which they
// are met, a term is twice that number plus one if it is negated. Both lists are sorted, without
// repetition, so that comparing conjunctions costs a walk over a few integers.
struct Coded {
  std::vector<std::uint32_t> terms;
  std::vector<std::uint32_t> changes;

  bool operator==(const Coded&) const = default;
};
using CodedForm = std::vector<Coded>;

std::vector<std::uint32_t> united(const std::vector<std::uint32_t>& left,
                                  const std::vector<std::uint32_t>& right) {
  std::vector<std::uint32_t> out;
  out.reserve(left.size() + right.size());
  std::ranges::set_union(left, right, std::back_inserter(out));
  return out;
}

bool contradicts_itself(const std::vector<std::uint32_t>& terms) {
  const auto opposite = [](std::uint32_t a, std::uint32_t b) { return (a ^ b) == 1; };
  return std::ranges::adjacent_find(terms, opposite) != terms.end();
}

// Both stateless, and every term of the weaker one is in the stronger: the stronger adds nothing.
bool implies(const Coded& stronger, const Coded& weaker) {
  return stronger.changes.empty() && weaker.changes.empty() &&
         std::ranges::includes(stronger.terms, weaker.terms);
}

class Normalizer {
 public:
  explicit Normalizer(const FilterLimits& limits) : limits_(limits) {}

  base::Result<CodedForm> run(const ExprPtr& expr, bool negated) {
    if (const auto* predicate = expr->predicate()) return literal(expr, *predicate, negated);
    if (const auto* negation = std::get_if<Not>(&expr->node)) return run(negation->term, !negated);
    if (const auto* conjunction = std::get_if<And>(&expr->node)) {
      return negated ? sum(conjunction->terms, true) : product(conjunction->terms, false);
    }
    const auto& disjunction = std::get<Or>(expr->node);
    return negated ? product(disjunction.terms, true) : sum(disjunction.terms, false);
  }

  NormalForm decode(const CodedForm& coded) const {
    NormalForm form;
    for (const Coded& one : coded) {
      Conjunction& conjunction = form.conjunctions.emplace_back();
      for (const std::uint32_t code : one.terms) {
        conjunction.terms.push_back({predicates_[code / 2], code % 2 == 1});
      }
      for (const std::uint32_t index : one.changes) {
        conjunction.changes.push_back(predicates_[index]);
      }
    }
    return form;
  }

 private:
  base::Result<CodedForm> literal(const ExprPtr& expr, const Predicate& predicate, bool negated) {
    if (const auto* constant = std::get_if<Constant>(&predicate)) {
      return constant->value != negated ? CodedForm{{}} : CodedForm{};
    }
    const std::uint32_t index = number(expr);
    if (!std::holds_alternative<Change>(predicate)) {
      return CodedForm{{{2 * index + (negated ? 1U : 0U)}, {}}};
    }
    if (!negated) return CodedForm{{{}, {index}}};
    return base::Error{ErrorId::kFilterChangePlace,
                       fmt::format("change cannot stand under not, since its state moves only "
                                   "when it is delivered: {}",
                                   to_text(predicate)),
                       std::nullopt};
  }

  // Equal predicates have equal canonical texts, and so one number.
  std::uint32_t number(const ExprPtr& expr) {
    const auto next = static_cast<std::uint32_t>(predicates_.size());
    const auto [entry, added] = numbers_.emplace(to_text(*expr), next);
    if (added) predicates_.push_back(expr);
    return entry->second;
  }

  base::Result<CodedForm> sum(const std::vector<ExprPtr>& terms, bool negated) {
    CodedForm out;
    for (const ExprPtr& term : terms) {
      auto part = run(term, negated);
      if (!part) return part;
      for (Coded& one : *part) add(out, std::move(one));
      if (auto ok = within_limits(out); !ok) return ok.error();
    }
    return out;
  }

  base::Result<CodedForm> product(const std::vector<ExprPtr>& terms, bool negated) {
    CodedForm out{{}};
    for (const ExprPtr& term : terms) {
      auto factor = run(term, negated);
      if (!factor) return factor;
      CodedForm next;
      for (const Coded& left : out) {
        for (const Coded& right : *factor) {
          if (auto ok = same_keys(left, right); !ok) return ok.error();
          Coded both{united(left.terms, right.terms), united(left.changes, right.changes)};
          if (!contradicts_itself(both.terms)) add(next, std::move(both));
        }
        if (auto ok = within_limits(next); !ok) return ok.error();
      }
      out = std::move(next);
    }
    return out;
  }

  base::Result<void> same_keys(const Coded& left, const Coded& right) const {
    if (left.changes.empty() || right.changes.empty()) return {};
    const ExprPtr& first = predicates_[left.changes[0]];
    const ExprPtr& second = predicates_[right.changes[0]];
    const auto keys = [](const ExprPtr& expr) { return std::get<Change>(*expr->predicate()).keys; };
    if (keys(first) == keys(second)) return {};
    return base::Error{ErrorId::kFilterChangeKeys,
                       fmt::format("change terms combined by and need the same 'by': {} and {}",
                                   to_text(*first), to_text(*second)),
                       std::nullopt};
  }

  void add(CodedForm& out, Coded coded) {
    comparison_count_ += out.size();
    for (const Coded& other : out) {
      if (other == coded || implies(coded, other)) return;
    }
    std::erase_if(out, [&](const Coded& other) { return implies(other, coded); });
    out.push_back(std::move(coded));
  }

  base::Result<void> within_limits(const CodedForm& form) const {
    if (comparison_count_ > kComparisonCountMax) {
      return base::Error{ErrorId::kFilterNormalFormTooLarge,
                         fmt::format("the disjunctive normal form takes more than {} comparisons "
                                     "of conjunctions to make",
                                     kComparisonCountMax),
                         std::nullopt};
    }
    std::size_t term_count = 0;
    for (const Coded& one : form) term_count += one.terms.size() + one.changes.size();
    if (form.size() <= limits_.conjunction_count_max && term_count <= limits_.term_count_max) {
      return {};
    }
    return base::Error{
        ErrorId::kFilterNormalFormTooLarge,
        fmt::format("the disjunctive normal form has more than {} conjunctions or {} terms",
                    limits_.conjunction_count_max, limits_.term_count_max),
        std::nullopt};
  }

  // Products whose terms absorb each other stay small and yet cost the square of their size at
  // every step. The largest form that the default limits allow takes a sixteenth of this.
  static constexpr std::size_t kComparisonCountMax = std::size_t{1} << 24U;

  const FilterLimits& limits_;
  std::size_t comparison_count_ = 0;
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<ExprPtr> predicates_;
};

}  // namespace

base::Result<NormalForm> normalize(const ExprPtr& expr, const FilterLimits& limits) {
  Normalizer normalizer(limits);
  auto coded = normalizer.run(expr, false);
  if (!coded) return coded.error();
  return normalizer.decode(*coded);
}

ExprPtr to_expr(const Conjunction& conjunction) {
  std::vector<ExprPtr> factors;
  for (const Term& term : conjunction.terms) {
    factors.push_back(term.negated ? make_not(term.predicate) : term.predicate);
  }
  factors.insert(factors.end(), conjunction.changes.begin(), conjunction.changes.end());
  return make_and(std::move(factors));
}

ExprPtr to_expr(const NormalForm& form) {
  std::vector<ExprPtr> terms;
  for (const Conjunction& conjunction : form.conjunctions) terms.push_back(to_expr(conjunction));
  return make_or(std::move(terms));
}

}  // namespace weir::filter
