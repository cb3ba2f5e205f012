// SPDX-License-Identifier: Apache-2.0
// Disjunctive normal form: or of conjunctions; a conjunction is a stateless part and change terms.
//
// Negations are pushed into the terms and stay there: not (a > 5) is not a <= 5, since both are
// false where a is missing. Equal terms of a conjunction are kept once, a conjunction with a term
// and its negation is dropped, and so is a stateless one that another stateless one implies. CESQL
// expressions are single terms: what is inside keeps its own order of evaluation.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "filter/ast.h"
#include "filter/limits.h"

namespace weir::filter {

struct Term {
  ExprPtr predicate;  // holds a Predicate that is neither a Constant nor a Change
  bool negated = false;
};

struct Conjunction {
  std::vector<Term> terms;       // all must hold; none: always true
  std::vector<ExprPtr> changes;  // each holds a Change
};

struct NormalForm {
  std::vector<Conjunction> conjunctions;  // none: never true
};

// Fails with kFilterNormalFormTooLarge beyond the limits or where it would take too long,
// kFilterChangePlace for change under not, kFilterChangeKeys for change terms of one conjunction
// with different keys. Takes a fraction of a second at most under the default limits.
base::Result<NormalForm> normalize(const ExprPtr& expr, const FilterLimits& limits = {});

// The normal form as an expression again, for printing and for comparing.
ExprPtr to_expr(const NormalForm& form);
ExprPtr to_expr(const Conjunction& conjunction);

}  // namespace weir::filter
