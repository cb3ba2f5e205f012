// SPDX-License-Identifier: Apache-2.0
// CompositeIndex: subscriptions to several sources at once, joined by and/or; the trigger index.
//
// Paper 002, chapter 5: a composite is a disjunction of conjunctions of leaves (source, condition),
// each conjunction with last values of its own. A conjunction fires when, on an update of one of
// its sources, all its leaves are satisfied; then all its leaves take the current values of their
// sources. A composite is reported once per update, with the sources of what fired.
//
//   source without a value since the composite was added   its leaves are not satisfied
//   leaf whose value was never delivered                   satisfied
//   else                                                   satisfied iff the value is outside its
//                                                          condition's band around the last one
//
// The ends of all bands on a source are ordered. When it moves, only leaves with an end between the
// old and the new value are touched; a conjunction counts the leaves that it waits for.
//
//   ends on one source  ----low---low-----high--low---high----high---
//   it moves                        x0 ========> x1                     two leaves are touched
//
// Single-threaded. Sources are numbered densely by the caller.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "match/change/leaf_condition.h"
#include "match/change/slot_pool.h"
#include "match/change/threshold_index.h"

namespace weir::match {

using SourceNumber = std::uint32_t;

struct CompositeLeaf {
  SourceNumber source = 0;
  LeafCondition condition;
};
using CompositeConjunction = std::vector<CompositeLeaf>;

// Whether the values that sources have when a composite is added count for it.
enum class Newcomer : std::uint8_t { kKnowsNothing, kKnowsCurrent };

struct FiredComposite {
  std::uint64_t id = 0;
  std::size_t source_begin = 0;  // in CompositeFiring::sources
  std::size_t source_end = 0;
};

struct CompositeFiring {
  std::vector<FiredComposite> composites;  // by id
  std::vector<SourceNumber> sources;       // of each composite ascending, each once
};

struct CompositeCounters {
  std::uint64_t updates = 0;
  std::uint64_t flips = 0;  // leaves that became satisfied, or no longer
  std::uint64_t fired = 0;  // conjunctions
};

class CompositeIndex {
 public:
  struct LeafView {
    std::optional<double> last;
    std::optional<double> current;
    bool satisfied = false;
  };
  struct LeafPlace {
    std::size_t conjunction = 0;
    std::size_t leaf = 0;
  };

  // Requires an id that is not there, and leaves in every conjunction.
  void add(std::uint64_t id, std::span<const CompositeConjunction> conjunctions, Newcomer newcomer);
  // False if there is no such composite.
  bool remove(std::uint64_t id);

  // Clears `firing` and tells which composites fire. Requires a finite value.
  void update(SourceNumber source, double value, CompositeFiring& firing);

  // nullopt if there is no such leaf.
  std::optional<LeafView> view(std::uint64_t id, LeafPlace place) const;
  // Puts back what view() has told, into composites that know nothing yet: first the values of
  // sources, which must not have any, then the last values of the leaves that had a current one.
  void restore_current(SourceNumber source, double value);
  // False if there is no such leaf.
  bool restore(std::uint64_t id, LeafPlace place, std::optional<double> last);

  std::size_t size() const { return slots_.size(); }
  const CompositeCounters& counters() const { return counters_; }
  std::size_t memory_bytes() const;

 private:
  enum class State : std::uint8_t { kUnknown, kFresh, kQuiet, kSatisfied };

  struct Leaf {
    LeafCondition condition;
    double last = 0;
    Band band;  // without ends unless kQuiet or kSatisfied
    SourceNumber source = 0;
    std::uint32_t conjunction = 0;
    State state = State::kUnknown;
  };
  struct Conjunction {
    std::uint32_t composite = 0;
    std::uint32_t first_leaf = 0;
    std::uint32_t leaf_count = 0;
    std::uint32_t waits_for = 0;  // leaves that are not satisfied
    bool is_ready = false;        // it waited for none when it was last looked at: listed with
                                  // its sources
  };
  struct Composite {
    std::uint64_t id = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  struct Source {
    std::optional<double> current;
    ThresholdIndex lows;  // leaves by the ends of their bands; infinite ones are left out
    ThresholdIndex highs;
    ThresholdIndex unknown;  // leaves that wait for the first value
    ThresholdIndex ready;    // conjunctions that wait for no leaf
  };

  Source& source_of(SourceNumber number);
  std::optional<std::uint32_t> find_leaf(std::uint64_t id, LeafPlace place) const;
  void add_conjunction(std::uint32_t index, const CompositeConjunction& leaves, Newcomer newcomer);
  void remove_conjunction(std::uint32_t index);
  void learn(Source& source);
  void cross(Source& source, double from, double to);
  void judge(ThresholdIndex::Span leaves, double value);
  void set_state(Leaf& leaf, State state);
  void set_band(std::uint32_t index, const Band& band);
  void take(std::uint32_t index, double last);
  void fire(std::uint32_t index);
  void set_ready(std::uint32_t index);
  void report(CompositeFiring& firing);

  SlotPool<Leaf> leaves_;
  SlotPool<Conjunction> conjunctions_;
  SlotPool<Composite> composites_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> slots_;  // composites by id
  std::vector<Source> sources_;
  CompositeCounters counters_;
  // Within an update.
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint32_t> fired_;
};

}  // namespace weir::match
