// SPDX-License-Identifier: Apache-2.0
// Check: one term of a conjunction that is more than a comparison of codes, compiled.
//
// Says exactly what the reference evaluator says of the term, with the operands from their slots;
// text and CESQL go to the evaluator itself.
#pragma once

#include <cstdint>
#include <span>

#include "filter/evaluate.h"
#include "filter/normal_form.h"
#include "match/content/event_values.h"
#include "match/content/ids.h"

namespace weir::match::content {

class Check {
 public:
  // What to know of a term to compile it.
  struct Source {
    const filter::Predicate* predicate;  // must outlive the check
    bool negated = false;
    SlotId slot = kNoId;   // of the first operand
    SlotId right = kNoId;  // of the second
    // Of a list: where its points are among those of the conjunction, ascending.
    std::uint32_t points_begin = 0;
    std::uint32_t point_count = 0;
  };
  explicit Check(const Source& source);

  // `points` are those of the conjunction. Adds steps that are known only afterwards.
  bool holds(const EventValues& values, std::span<const PointId> points, filter::Scorer& scorer,
             std::uint64_t& steps) const {
    return is_true(values, points, scorer, steps) != source_.negated;
  }
  // What holds() will cost, as far as that is known before (work_budget.h).
  std::uint64_t steps(const EventValues& values) const;

  // From cheap to costly; checks of one rank cost about the same.
  int cost_rank() const { return static_cast<int>(kind_); }

 private:
  enum class Kind : std::uint8_t {
    kPresent,
    kIn,
    kCompare,  // with a constant
    kBetween,
    kAffix,
    kCompareSlots,
    kLike,
    kCesql,
    kText,
  };

  bool is_true(const EventValues& values, std::span<const PointId> points, filter::Scorer& scorer,
               std::uint64_t& steps) const;
  bool is_true_of(const event::Value& value, const EventValues& values) const;
  bool is_true_of_any(const EventValues& values, std::span<const PointId> named) const;

  Source source_;
  Kind kind_ = Kind::kPresent;
  bool is_many_ = false;  // an operand may have several values
};

}  // namespace weir::match::content
