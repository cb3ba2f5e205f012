// SPDX-License-Identifier: Apache-2.0
// CompositeIndex: subscriptions to several sources at once, joined by and/or; the trigger index.
//
// Paper 002, chapter 5: a composite is a disjunction of conjunctions of leaves (source, condition),
// each conjunction with last values of its own. A conjunction fires when, on an update of one of
// its sources, all its leaves are satisfied; then all its leaves take the current values of their
// sources. A composite is reported once per update, with the conjunctions that fired. An update may
// move several sources: all values are taken before anything is judged.
//
//   source without a value since the composite was added   its leaves are not satisfied
//   leaf whose value was never delivered                   satisfied (Initial::kNone: its first
//                                                          value is taken as the last one)
//   else                                                   satisfied iff the value is outside its
//                                                          condition's band around the last one
//
// A leaf that was restored stands apart: until the next update of its source it has a current value
// of its own, whatever the source's is.
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
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "match/change/initial.h"
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

struct CompositeReading {
  SourceNumber source = 0;
  double value = 0;
};

struct LeafPlace {
  std::size_t conjunction = 0;
  std::size_t leaf = 0;

  auto operator<=>(const LeafPlace&) const = default;
};

struct FiredComposite {
  std::uint64_t id = 0;
  std::size_t begin = 0;  // in CompositeFiring::conjunctions
  std::size_t end = 0;
};

// A leaf whose first value was taken as its last one.
struct TakenLeaf {
  std::uint64_t id = 0;
  LeafPlace place;
};

struct CompositeFiring {
  std::vector<FiredComposite> composites;   // by id
  std::vector<std::uint32_t> conjunctions;  // of each composite ascending
  std::vector<TakenLeaf> taken;
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
    bool is_apart =
        false;  // its source has had no update since it was added, restored or forgotten
  };

  // Requires an id that is not there, and leaves in every conjunction.
  void add(std::uint64_t id, std::span<const CompositeConjunction> conjunctions, Newcomer newcomer,
           Initial initial = Initial::kDeliver);
  // False if there is no such composite.
  bool remove(std::uint64_t id);

  // Clears `firing` and tells which composites fire. Requires finite values, and each source once.
  void update(std::span<const CompositeReading> readings, CompositeFiring& firing);

  // nullopt if there is no such leaf.
  std::optional<LeafView> view(std::uint64_t id, LeafPlace place) const;
  // Puts back what view() has told of a leaf with a current value. False if there is no such leaf.
  // Requires one that knows nothing yet.
  bool restore(std::uint64_t id, LeafPlace place, std::optional<double> last, double current);
  // The composite knows nothing again. False if it is not there or knew nothing.
  bool forget(std::uint64_t id);

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
    bool is_apart = true;      // listed with its source
    bool takes_first = false;  // Initial::kNone

    bool has_last() const { return state == State::kQuiet || state == State::kSatisfied; }
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
    ThresholdIndex apart;  // leaves that wait for the next value
    ThresholdIndex ready;  // conjunctions that wait for no leaf
  };

  Source& source_of(SourceNumber number);
  std::optional<std::uint32_t> find_leaf(std::uint64_t id, LeafPlace place) const;
  void add_conjunction(std::uint32_t index, const CompositeConjunction& leaves, Newcomer newcomer,
                       Initial initial);
  void remove_conjunction(std::uint32_t index);
  bool forget_conjunction(std::uint32_t index);
  double current_of(std::uint32_t index) const;
  void move(const CompositeReading& reading, CompositeFiring& firing);
  void learn(Source& source, CompositeFiring& firing);
  void attach(std::uint32_t index, CompositeFiring& firing);
  void cross(Source& source, double from, double to);
  void judge(ThresholdIndex::Span leaves, double value);
  void set_state(Leaf& leaf, State state);
  void set_band(std::uint32_t index, const Band& band);
  void judge(std::uint32_t index);
  void take(std::uint32_t index, double last);
  void list_ready(const Source& source);
  void fire(std::uint32_t index);
  void set_ready(std::uint32_t index);
  TakenLeaf taken_leaf(std::uint32_t index) const;
  void report(CompositeFiring& firing);

  SlotPool<Leaf> leaves_;
  SlotPool<Conjunction> conjunctions_;
  SlotPool<Composite> composites_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> slots_;  // composites by id
  std::vector<Source> sources_;
  boost::unordered_flat_map<std::uint32_t, double> own_values_;  // of leaves apart that have one
  CompositeCounters counters_;
  // Within an update.
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint32_t> fired_;
};

}  // namespace weir::match
