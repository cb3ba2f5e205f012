// SPDX-License-Identifier: Apache-2.0
// AccessIndex: from an event to the conjunctions worth a check, each reached through one access.
//
//   slot -> points of its values     -> entries          (in PointIndex)
//        -> points of its prefixes   -> entries          (one look-up for each length in use)
//        -> intervals                -> entries          (numbers and timestamps apart)
//        -> any value                -> entries
//   and the unindexed, which every event reaches.
//
// An event reaches a conjunction at most once. It also guesses how many events an access lets
// through, from what all filters ask for: that chooses the access and orders the checks. Adding and
// removing take microseconds; only leaving a list that is shared by very many `in` takes longer,
// since it is searched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "match/content/access.h"
#include "match/content/event_values.h"
#include "match/content/ids.h"
#include "match/content/interval_index.h"
#include "match/content/operand_table.h"
#include "match/content/point_index.h"

namespace weir::match::content {

class AccessIndex {
 public:
  AccessIndex(OperandTable& operands, PointIndex& points) : operands_(operands), points_(points) {}

  // Takes a predicate into account for share(), whether or not it becomes an access.
  void learn(const Access& access);
  // A guess at the part of all events that the access lets through, from 0 to 1.
  double share(const Access& access) const;

  // Requires that the access's slot and points have been acquired.
  void add(const Access& access, ConjunctionId id);
  // Requires that this was added.
  void remove(const Access& access, ConjunctionId id);
  // Forgets what was learnt about a slot that is free now.
  void forget(SlotId slot);

  // Calls visit(id) for each conjunction that the event reaches.
  template <typename Visit>
  void for_each_candidate(EventValues& values, Visit&& visit);

  // How many conjunctions are reached in that way.
  std::size_t count(Access::Kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

 private:
  using Entries = std::vector<ConjunctionId>;

  struct Ranges {
    IntervalIndex intervals;
    double bound_min = std::numeric_limits<double>::infinity();
    double bound_max = -std::numeric_limits<double>::infinity();
  };
  struct PrefixLength {
    std::uint32_t bytes;
    std::uint32_t use_count;
  };
  struct SlotAccess {
    std::uint32_t point_count = 0;             // entries under its points
    std::vector<PrefixLength> prefix_lengths;  // ascending
    std::unique_ptr<Ranges> numbers;
    std::unique_ptr<Ranges> timestamps;
    Entries present;
  };

  SlotAccess& slot_access(SlotId slot);
  static std::unique_ptr<Ranges>& ranges_of(SlotAccess& at, const Access& access) {
    return access.of_timestamps ? at.timestamps : at.numbers;
  }
  double range_share(const Access& access) const;
  void add_prefix_length(SlotAccess& at, std::size_t bytes);
  void remove_prefix_length(SlotAccess& at, std::size_t bytes);
  void enter(Entries& entries, ConjunctionId id);
  void leave(Entries& entries, ConjunctionId id);

  OperandTable& operands_;
  PointIndex& points_;
  std::vector<SlotAccess> slots_;  // by slot
  Entries unindexed_;
  std::vector<std::uint32_t> positions_;  // of a conjunction in its list, or in the last of them
  std::array<std::size_t, 5> counts_{};   // by kind
};

template <typename Visit>
void AccessIndex::for_each_candidate(EventValues& values, Visit&& visit) {
  const auto visit_all = [&](const Entries& entries) {
    for (const ConjunctionId id : entries) visit(id);
  };
  for (const SlotId slot : values.present()) {
    const SlotAccess& at = slots_[slot];
    const event::Value& value = values.value(slot);
    if (at.point_count > 0) {
      if (const PointId point = values.point(slot); point != kNoId) {
        visit_all(points_.entries(point));
      }
    }
    if (at.numbers && value.is_number()) {
      at.numbers->intervals.for_each_containing(order_key(value), visit);
    } else if (at.timestamps && value.kind() == event::ValueKind::kTimestamp) {
      at.timestamps->intervals.for_each_containing(order_key(value), visit);
    } else if (value.kind() == event::ValueKind::kString) {
      for (const PrefixLength& length : at.prefix_lengths) {
        const std::string_view text = value.as_string();
        if (length.bytes > text.size()) break;
        const PointId point = points_.find(prefix_point(slot, text.substr(0, length.bytes)));
        if (point != kNoId) visit_all(points_.entries(point));
      }
    }
    visit_all(at.present);
  }
  visit_all(unindexed_);
}

}  // namespace weir::match::content
