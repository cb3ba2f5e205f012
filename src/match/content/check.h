// SPDX-License-Identifier: Apache-2.0
// Check: one term of a conjunction, compiled into 24 bytes that look at the slots of an event.
//
//   byte 0      4     5        6         7          8                      16
//        | slot | kind | wanted | low_open | high_open | point, low, predicate | high, right |
//
// Says exactly what the reference evaluator says of the term. Comparisons with constants are one or
// two comparisons of small numbers; what is rare goes through the predicate, with the operand from
// its slot; text and CESQL go to the evaluator itself.
#pragma once

#include <cstdint>

#include "filter/evaluate.h"
#include "filter/normal_form.h"
#include "match/content/access.h"
#include "match/content/event_values.h"
#include "match/content/ids.h"

namespace weir::match::content {

class Check {
 public:
  // Holds of every event.
  Check() = default;

  // What to know of a term to compile it.
  struct Source {
    const filter::Predicate* predicate;  // must outlive the check
    bool negated = false;
    SlotId slot = kNoId;    // of the first operand
    SlotId right = kNoId;   // of the second
    PointId point = kNoId;  // of the constant, if it is compared with one that is a point
  };
  explicit Check(const Source& source);

  bool holds(EventValues& values, filter::Scorer& scorer) const {
    switch (kind_) {
      case Kind::kTrue:
        return true;
      case Kind::kPoint:
        return (values.point(slot_) == point_) == wanted_;
      case Kind::kInterval:
        return is_inside(values.value(slot_)) == wanted_;
      case Kind::kPresent:
        return !values.value(slot_).missing() == wanted_;
      default:
        return holds_slowly(values, scorer) == wanted_;
    }
  }

  // From cheap to costly; checks of one rank cost about the same.
  int cost_rank() const;

 private:
  enum class Kind : std::uint8_t {
    kTrue,
    kPoint,
    kInterval,  // of numbers, with bounds that are doubles
    kPresent,
    kCompare,  // with a constant
    kBetween,
    kAffix,
    kCompareSlots,
    kIn,
    kLike,
    kCesql,
    kText,
  };

  void compile(const filter::Compare& compare, const Source& source);
  void compile(const filter::Between& between);
  bool set_interval(const filter::Literal* low, const filter::Literal* high);

  bool is_inside(const event::Value& value) const {
    constexpr std::int64_t kExactMax = std::int64_t{1} << 53U;
    double number = 0;
    if (value.kind() == event::ValueKind::kDouble) {
      number = value.as_double();
    } else if (value.kind() == event::ValueKind::kInt && value.as_int() <= kExactMax &&
               value.as_int() >= -kExactMax) {
      number = static_cast<double>(value.as_int());
    } else {
      return value.kind() == event::ValueKind::kInt && is_inside_exactly(value);
    }
    return (low_open_ ? number > low_ : number >= low_) &&
           (high_open_ ? number < high_ : number <= high_);
  }
  bool is_inside_exactly(const event::Value& value) const;
  bool holds_slowly(EventValues& values, filter::Scorer& scorer) const;

  SlotId slot_ = kNoId;
  Kind kind_ = Kind::kTrue;
  bool wanted_ = true;  // false: the term is negated
  bool low_open_ = false;
  bool high_open_ = false;
  union {
    PointId point_ = kNoId;
    double low_;
    const filter::Predicate* predicate_;
  };
  union {
    double high_ = 0;
    SlotId right_;
  };
};

static_assert(sizeof(Check) == 24);

}  // namespace weir::match::content
