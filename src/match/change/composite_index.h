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
//                                                          condition's band around the last one, or
//                                                          the last one is old enough (silent_for)
//
// A conjunction with a leaf whose last value is too young (at_most_every) is held: instead of
// firing it becomes due, and fires at the end of that time if no update before makes a leaf
// unsatisfied. Whoever asks next_wake() and calls advance() hears of it.
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
// Time touches a conjunction when one of its leaves becomes old enough, and when it is no longer
// held: each at most once for each time it fires. A composite may be ahead of time, where another
// was: until then every instant counts as its floor.
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

#include "base/instant.h"
#include "match/change/change_timing.h"
#include "match/change/composite_clocks.h"
#include "match/change/initial.h"
#include "match/change/leaf_condition.h"
#include "match/change/moment_queue.h"
#include "match/change/slot_pool.h"
#include "match/change/threshold_index.h"

namespace weir::match {

using SourceNumber = std::uint32_t;

struct CompositeLeaf {
  SourceNumber source = 0;
  LeafCondition condition;
  ChangeTiming timing = {};
};
using CompositeConjunction = std::vector<CompositeLeaf>;

// Whether the values that sources have when a composite is added count for it.
enum class Newcomer : std::uint8_t { kKnowsNothing, kKnowsCurrent };

struct CompositeOptions {
  Newcomer newcomer = Newcomer::kKnowsNothing;
  Initial initial = Initial::kDeliver;
  base::Instant floor = CompositeClocks::kLongAgo;
};

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
  std::vector<std::uint64_t> released;  // composites with a conjunction that is no longer held

  void clear() {
    composites.clear();
    conjunctions.clear();
    taken.clear();
    released.clear();
  }
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
  struct ConjunctionView {
    bool is_held = false;
    std::optional<base::Instant> due;
  };
  // What a leaf with a value remembers.
  struct LeafMemory {
    double current = 0;
    std::optional<double> last = {};
    base::Instant last_at = {};
    base::Instant read_at = {};  // what had come by then has come
  };

  // Requires an id that is not there, and leaves in every conjunction.
  void add(std::uint64_t id, std::span<const CompositeConjunction> conjunctions,
           const CompositeOptions& options = {});
  // False if there is no such composite.
  bool remove(std::uint64_t id);

  // Clears `firing` and tells which composites fire. Requires finite values, each source once, an
  // instant that does not go back, and that nothing is due by now.
  void update(std::span<const CompositeReading> readings, base::Instant now,
              CompositeFiring& firing);
  // Clears `firing` and tells what fires at the earliest instant at which anything is due, which it
  // gives. Nothing if that has not come by now.
  std::optional<base::Instant> advance(base::Instant now, CompositeFiring& firing);
  std::optional<base::Instant> next_wake() const;

  // nullopt if there is no such leaf or conjunction.
  std::optional<LeafView> view(std::uint64_t id, LeafPlace place) const;
  std::optional<ConjunctionView> view(std::uint64_t id, std::size_t conjunction) const;
  // Puts back what view() has told of a leaf with a current value. False if there is no such leaf.
  // Requires one that knows nothing yet.
  bool restore(std::uint64_t id, LeafPlace place, const LeafMemory& memory);
  // The same for a conjunction that was due, once its leaves are restored. False if it cannot be
  // due then.
  bool restore_due(std::uint64_t id, std::size_t conjunction, base::Instant due);
  // The composite's leaves, conjunction by conjunction, get other conditions. What they remember
  // stays and is judged by these; nothing is due any more. Requires a composite that is there.
  void retune(std::uint64_t id, std::span<const LeafCondition> conditions);
  // The composite knows nothing again. False if it is not there or knew nothing.
  bool forget(std::uint64_t id);

  std::size_t size() const { return slots_.size(); }
  const CompositeCounters& counters() const { return counters_; }
  std::size_t memory_bytes() const;

 private:
  enum class State : std::uint8_t { kUnknown, kFresh, kQuiet, kSatisfied };
  static constexpr CompositeClocks::Number kUntimed = static_cast<CompositeClocks::Number>(-1);

  struct Leaf {
    LeafCondition condition;
    double last = 0;
    Band band;  // without ends unless kQuiet or kSatisfied
    SourceNumber source = 0;
    std::uint32_t conjunction = 0;
    State state = State::kUnknown;
    bool is_apart = true;      // listed with its source
    bool takes_first = false;  // Initial::kNone
    bool is_silent = false;    // its last value is old enough

    bool has_last() const { return state == State::kQuiet || state == State::kSatisfied; }
    bool is_satisfied() const {
      return state == State::kFresh || state == State::kSatisfied || is_silent;
    }
  };
  struct Conjunction {
    std::uint32_t composite = 0;
    std::uint32_t first_leaf = 0;
    std::uint32_t leaf_count = 0;
    std::uint32_t waits_for = 0;  // leaves that are not satisfied
    CompositeClocks::Number clock = kUntimed;
    bool is_ready = false;  // it waited for none when it was last looked at and was not due: listed
                            // with its sources
    bool is_held = false;
    bool is_due = false;  // when it is no longer held

    bool is_timed() const { return clock != kUntimed; }
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

  // The place of a leaf or conjunction in a list without an order of its own.
  static Position listed(std::uint32_t index) { return {0, index}; }
  Source& source_of(SourceNumber number);
  std::optional<std::uint32_t> find_leaf(std::uint64_t id, LeafPlace place) const;
  std::optional<std::uint32_t> find_conjunction(std::uint64_t id, std::size_t conjunction) const;
  void add_conjunction(std::uint32_t index, const CompositeConjunction& leaves,
                       const CompositeOptions& options);
  void add_clock(std::uint32_t index, const CompositeConjunction& leaves, base::Instant floor);
  void remove_conjunction(std::uint32_t index);
  bool forget_conjunction(std::uint32_t index);
  double current_of(std::uint32_t index) const;
  void move(const CompositeReading& reading, CompositeFiring& firing);
  void learn(Source& source, CompositeFiring& firing);
  void attach(std::uint32_t index, CompositeFiring& firing);
  void cross(Source& source, double from, double to);
  void judge(ThresholdIndex::Span leaves, double value);
  void set_state(Leaf& leaf, State state, bool is_silent);
  void set_band(std::uint32_t index, const Band& band);
  void judge(std::uint32_t index);
  void take(std::uint32_t index, double last, base::Instant at);
  void put_last(std::uint32_t index, double last, bool is_silent);
  void list_ready(const Source& source);
  void look_at_candidates();
  void fire_all(base::Instant at, CompositeFiring& firing);
  void fire(std::uint32_t index, base::Instant at);
  void set_ready(std::uint32_t index);
  bool start_clock(std::uint32_t index, std::optional<base::Instant> last_at, base::Instant now);
  void tell_time(base::Instant now, CompositeFiring& firing);
  void pass_moments(std::uint32_t index, base::Instant now, CompositeFiring& firing);
  void set_due(std::uint32_t index, bool is_due);
  bool is_due(const Moment& moment) const;
  void tidy_dues();
  TakenLeaf taken_leaf(std::uint32_t index) const;
  void report(CompositeFiring& firing);

  SlotPool<Leaf> leaves_;
  SlotPool<Conjunction> conjunctions_;
  SlotPool<Composite> composites_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> slots_;  // composites by id
  std::vector<Source> sources_;
  boost::unordered_flat_map<std::uint32_t, double> own_values_;  // of leaves apart that have one
  CompositeClocks clocks_;
  MomentQueue dues_;  // of conjunctions; the first one is
  std::size_t due_count_ = 0;
  base::Instant now_ = CompositeClocks::kLongAgo;  // of the latest update
  CompositeCounters counters_;
  // Within an update.
  std::vector<std::uint32_t> passed_;  // conjunctions for which a moment has come
  std::vector<std::uint32_t> candidates_;
  std::vector<std::uint32_t> fired_;
};

}  // namespace weir::match
