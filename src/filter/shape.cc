// SPDX-License-Identifier: Apache-2.0
#include "filter/shape.h"

#include <variant>

#include "filter/print.h"

namespace weir::filter {
namespace {

Change without_thresholds(Change change) {
  if (auto* const moves = std::get_if<Moves>(&change.movement)) {
    if (moves->absolute) moves->absolute->amount = 0;
    if (moves->percent) moves->percent->amount = 0;
  } else if (auto* const rewords = std::get_if<Rewords>(&change.movement)) {
    rewords->distance.amount = 0;
  }
  return change;
}

}  // namespace

std::string shape_of(const Conjunction& conjunction) {
  Conjunction shape = conjunction;
  for (ExprPtr& change : shape.changes) {
    change = make(without_thresholds(std::get<Change>(*change->predicate())));
  }
  return to_text(*to_expr(shape));
}

std::string shape_of(const Filter& filter) {
  std::string text;
  for (const Conjunction& conjunction : filter.normal_form().conjunctions) {
    text += shape_of(conjunction);
    text += '\n';
  }
  if (filter.distinct()) text += to_text(*filter.distinct());
  return text;
}

}  // namespace weir::filter
