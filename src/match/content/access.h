// SPDX-License-Identifier: Apache-2.0
// Access: how a conjunction can be reached through one of its predicates, without trying them all.
//
//   predicate                                     reached through
//   x = c, x in (c, ...)                          the points c of x
//   x prefix 'ab', x like 'ab%'                   the prefix point ab of x
//   x < c, x between c and d, and so on           an interval of x; numbers and timestamps
//   exists x, x != c, x suffix 'a', x = y, ...    there being a value in x
//   text, cesql, anything negated                 nothing
//
// Whatever fulfils the predicate is reached. Where the converse holds too, the access implies the
// predicate, which then need not be checked again.
#pragma once

#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "filter/ast.h"
#include "match/content/ids.h"
#include "match/content/interval_index.h"
#include "match/content/point_index.h"

namespace weir::match::content {

struct Access {
  // From what we would rather use to what we would rather not.
  enum class Kind : std::uint8_t { kPoint, kPrefix, kRange, kPresent, kNone };

  Kind kind = Kind::kNone;
  bool implies = false;
  SlotId slot = kNoId;
  // The points that the predicate names, each once; also for !=, which is not reached by them.
  std::vector<PointView> points = {};
  // Of a range.
  bool of_timestamps = false;
  KeyInterval keys = {};
  double low = -std::numeric_limits<double>::infinity();  // about: numbers, or seconds
  double high = std::numeric_limits<double>::infinity();
};

// `slot` is that of the predicate's first operand, kNoId if it has none. Views into the predicate.
Access access_of(const filter::Predicate& predicate, SlotId slot);

// Calls visit(operand) for each operand, the left one of a comparison first.
template <typename Visit>
void for_each_operand(const filter::Predicate& predicate, Visit&& visit) {
  using namespace filter;
  if (const auto* compare = std::get_if<Compare>(&predicate)) {
    visit(compare->left);
    if (const auto* right = std::get_if<Operand>(&compare->right)) visit(*right);
  } else if (const auto* between = std::get_if<Between>(&predicate)) {
    visit(between->operand);
  } else if (const auto* in = std::get_if<In>(&predicate)) {
    visit(in->operand);
  } else if (const auto* like = std::get_if<Like>(&predicate)) {
    visit(like->operand);
  } else if (const auto* affix = std::get_if<Affix>(&predicate)) {
    visit(affix->operand);
  } else if (const auto* exists = std::get_if<Exists>(&predicate)) {
    visit(Operand{exists->path});
  }
}

}  // namespace weir::match::content
