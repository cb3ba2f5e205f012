// SPDX-License-Identifier: Apache-2.0
// ChangeFilter: the change terms of one subscription, by definition. The oracle of whatever is
// faster.
//
// Paper 002: a source is a value in the events that pass the stateless part of a conjunction (and
// the change term's own condition), one for each key. OnlineGreedy: a value is delivered iff it has
// moved from the last delivered one as asked (movement.h), and then becomes `last`. A conjunction
// of several change terms fires when, on an update, every term is satisfied; then all its terms
// take their current values as `last`, and the current event of each is delivered, oldest first,
// with a mark on those that the subscriber was given before (fired_events.h).
//
//   no value          missing, null, infinite, of a type that the movement cannot judge: nothing
//                     moves
//   first value       satisfied (initial = kNone: taken as `last` without delivery)
//   or silent for d   also satisfied once d has passed since the last delivery; looked at when an
//                     event comes, so what is delivered is fresh
//   at most every d   not satisfied before d has passed since the last delivery; then the newest
//                     value is looked at again, without waiting for an event
//   with previous     with a reading goes the one directly before it, unless it was delivered
//   crosses upwards   the way down moves the remembered side at the reading itself, undelivered
//
// Bounded: beyond key_count_max keys a new key's values are all satisfied and not remembered; so is
// a key whose values and events the memory account has no room for. A key
// without a reading for `idle` is forgotten, unless something of it is held back; looked at when
// the next reading of any key comes. Single-threaded; instants must not go back.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/instant.h"
#include "base/memory_account.h"
#include "base/result.h"
#include "event/event.h"
#include "filter/filter.h"
#include "match/change/initial.h"
#include "match/change_memory.h"
#include "match/fired_events.h"
#include "match/text_reader.h"

namespace weir::match {

struct ChangeOptions {
  Initial initial = Initial::kDeliver;
  std::size_t key_count_max = 1'000'000;
  std::optional<base::Duration> idle = {};  // none: keys are remembered for ever
  base::MemoryAccount::Ptr memory = {};     // null: it may take what it wants
};

// What became of an event, from the best to the worst for it. Before an interval of at most every
// has ended it is held, whether or not it has moved.
enum class ChangeVerdict : std::uint8_t { kFired, kHeld, kWithinThreshold, kNoValue, kNoReading };

// What one term says to an event, for explanations.
struct ChangeReading {
  std::optional<Sample> value;  // in the event; else the newest one before it
  std::optional<Memory> last;   // what is remembered
  std::optional<double> text_distance;
  bool satisfied = false;
  bool silent = false;  // only because nothing was delivered for long
  bool held = false;    // satisfied or not, it is too early for the next delivery
};

// How states of different ages are written.
enum class ChangeLayout : std::uint8_t {
  kUntimed,   // without the instant of a key's last reading: it counts as the state's latest one
  kUnmarked,  // without events that were delivered: a composite cannot deliver them again
  kMarked,
};

class ChangeFilter {
 public:
  ChangeFilter(filter::FilterPtr filter, ChangeOptions options);

  // Tells the filter of an event that passes the stateless part of the given conjunctions, in
  // ascending order. Appends what is to be delivered, the event itself last.
  ChangeVerdict update(const std::vector<std::uint32_t>& conjunctions, const event::EventPtr& event,
                       base::Instant now, TextReader& reader, FiredEvents& fired);

  // Delivers what was held back and is due by now, in the order in which it became due.
  void advance(base::Instant now, TextReader& reader, FiredEvents& fired);
  std::optional<base::Instant> next_wake() const;

  // Tells it of an event from before it began, as update() does: its readings are current values.
  // Nothing fires, and nothing comes before them; with Initial::kNone they are last values too.
  // Keys beyond the limit are left out. Older events first, all of them before any update.
  void learn(const std::vector<std::uint32_t>& conjunctions, const event::EventPtr& event,
             base::Instant now, TextReader& reader);
  // Fires what it has learned: each conjunction and key with a current value of every term. One
  // delivery for all that have the same newest event, oldest first.
  std::vector<FiredEvents> begin(base::Instant now, TextReader& reader);

  // The next reading of the event's key is its first again, and what is held back of it is dropped.
  // False if there was nothing to forget.
  bool forget(const event::Event& event, base::Instant now);

  // Goes on with another filter of the same shape: only thresholds differ. What is remembered
  // stays; the newest value is judged again where it is still held back, else the next one is.
  void retune(filter::FilterPtr filter, base::Instant now, TextReader& reader);

  // What update() would say. Changes nothing.
  ChangeVerdict preview(const std::vector<std::uint32_t>& conjunctions,
                        const event::EventPtr& event, base::Instant now, TextReader& reader) const;
  // If the change stands in several conjunctions: as the first of them sees it.
  ChangeReading reading(const filter::Change& change, const event::Event& event, base::Instant now,
                        TextReader& reader) const;

  // Everything that decides future deliveries, the same bytes for the same state. Events that can
  // no longer be delivered are left out. Layout: docs/formats/checkpoint.md.
  void save(base::ByteWriter& writer) const;
  // Takes what save() wrote for an equal filter, and moves `latest` forward to the latest instant
  // at which it was told of anything. Malformed bytes fail the reader; the result fails where there
  // is more to say. Requires a filter that was told nothing; after a failure it is of no use.
  base::Result<void> restore(ChangeLayout layout, base::ByteReader& reader, base::Instant& latest);

  // What is remembered of one key by a filter whose only term is about how far a number moves, for
  // whoever keeps that elsewhere.
  struct KeyState {
    std::optional<double> last;
    base::Instant last_at = {};
    std::optional<double> current = {};
    base::Instant read_at = {};
    event::EventPtr held = {};  // of the current value; put() knows whether it is still of use
    bool is_waiting = false;    // for the end of an interval
  };
  // In the order of their readings, as far as that is known.
  std::vector<std::pair<std::string, KeyState>> key_states() const;
  // Requires that nothing is known of the key. It goes on waiting only if the value has moved.
  void put(std::string_view key, const KeyState& state);

  // The same for a filter of several terms, all about how far numbers move, without previous
  // readings.
  struct TermState {
    std::optional<double> last;
    base::Instant last_at = {};
    std::optional<double> current = {};
    std::uint64_t order = 0;     // of the current value's event; one event has one order
    event::EventPtr event = {};  // null if it was delivered and is no longer known
    bool delivered = false;
  };
  struct ConjunctionState {
    base::Instant read_at;
    std::vector<TermState> terms;
    std::optional<base::Instant> due = {};  // when it is to be looked at again
  };
  using ConjunctionStates = std::vector<std::optional<ConjunctionState>>;  // none: no reading yet
  std::map<std::string, ConjunctionStates> conjunction_states() const;     // by key
  // Requires that nothing is known of the key. One event has one order in all calls.
  void put(std::string_view key, const ConjunctionStates& states);

  std::size_t key_count() const { return key_count_; }
  std::uint64_t overflow_count() const { return overflow_count_; }
  void set_overflow_count(std::uint64_t count) { overflow_count_ = count; }

 private:
  struct Term {
    std::optional<Memory> last;
    base::Instant last_at;
    std::optional<Sample> current;
    HeldEventPtr held;      // the event of the current value
    HeldEventPtr previous;  // of the one before it, if it is asked for
  };
  // One conjunction's terms for one key.
  struct Instance {
    const std::vector<filter::ExprPtr>* changes;
    std::vector<Term> terms;
    std::optional<base::Instant> due = std::nullopt;
    base::Instant read_at = {};
    std::size_t memory_bytes = 0;  // that were taken for it
  };
  using Instances = std::map<std::string, Instance, std::less<>>;
  // An instant that concerns an instance.
  struct Moment {
    base::Instant at;
    std::uint32_t conjunction;
    std::string key;

    auto operator<=>(const Moment&) const = default;
  };
  struct Judgement {
    ChangeVerdict verdict;
    std::optional<base::Instant> due;  // when it is to be looked at again
  };
  // What the terms of a state that is being read have in common.
  struct Restoring {
    ChangeLayout layout;
    std::vector<HeldEventPtr> events;  // that may still be delivered, oldest first
    HeldEventPtr delivered;            // stands for every other
    base::Instant latest;
  };
  using Values = std::vector<std::optional<Sample>>;  // by term

  const std::vector<filter::ExprPtr>& changes_of(std::uint32_t conjunction) const {
    return filter_->normal_form().conjunctions[conjunction].changes;
  }
  ChangeVerdict update_conjunction(std::uint32_t conjunction, const HeldEventPtr& held,
                                   base::Instant now, TextReader& reader, Firings& firings);
  ChangeVerdict preview_conjunction(std::uint32_t conjunction, const event::EventPtr& event,
                                    base::Instant now, TextReader& reader,
                                    std::size_t& key_count) const;
  const Instance* find_live(std::uint32_t conjunction, const std::string& key,
                            base::Instant now) const;
  const Term* find_term(const filter::Change& change, const std::string& key,
                        base::Instant now) const;
  Instance* find_or_add(std::uint32_t conjunction, const std::string& key);
  bool has_room(std::size_t key_count) const;
  HeldEventPtr hold(const event::EventPtr& event, std::uint64_t order,
                    bool delivered = false) const;
  // False if there is no room for what the instance has come to.
  bool take_memory(std::string_view key, Instance& instance);
  // The same for one that is kept anyway.
  void keep_memory(std::string_view key, Instance& instance);
  static std::size_t memory_bytes(std::string_view key, const Instance& instance);
  static ChangeVerdict read_values(const std::vector<filter::ExprPtr>& changes,
                                   const event::Event& event, TextReader& reader, Values& values);
  void take_values(Instance& instance, const Values& values, const HeldEventPtr& held,
                   base::Instant now) const;
  static bool has_last(const Instance& instance);
  static ChangeVerdict verdict_of(const Judgement& judgement, bool is_first);
  static Judgement judge(const Instance& instance, base::Instant now, TextReader& reader);
  ChangeVerdict try_fire(std::uint32_t conjunction, const std::string& key, Instance& instance,
                         base::Instant now, TextReader& reader, Firings& firings);
  static void fire(Instance& instance, base::Instant now, Firings& firings);
  void reschedule(std::uint32_t conjunction, const std::string& key, Instance& instance,
                  std::optional<base::Instant> due);
  void note_reading(std::uint32_t conjunction, const std::string& key, Instance& instance,
                    base::Instant now);
  bool is_idle(const Instance& instance, base::Instant now) const;
  std::size_t idle_count(base::Instant now) const;
  void retire_idle(base::Instant now);
  void erase(std::uint32_t conjunction, Instances::iterator entry);
  static TermState state_of(const Term& term);
  static bool is_awaited(const Instance& instance, std::size_t term_index);
  static bool is_kept(const Instance& instance, std::size_t term_index);
  static bool is_held_back(const Instance& instance, std::size_t term_index);
  bool is_settled(const Instance& instance) const;
  static bool is_previous_awaited(const Instance& instance, const Term& term);
  std::vector<const HeldEvent*> kept_events() const;
  void save_instance(const Instance& instance, const std::vector<const HeldEvent*>& events,
                     base::ByteWriter& writer) const;
  void save_term(const Instance& instance, std::size_t term_index,
                 const std::vector<const HeldEvent*>& events, base::ByteWriter& writer) const;
  base::Result<void> restore_events(base::ByteReader& reader, Restoring& state);
  base::Result<void> restore_instances(std::uint32_t conjunction, base::ByteReader& reader,
                                       Restoring& state);
  void restore_instance(std::uint32_t conjunction, base::ByteReader& reader, Restoring& state);
  static Term restore_term(const filter::Movement& movement, base::ByteReader& reader,
                           Restoring& state);
  static HeldEventPtr restore_held(base::ByteReader& reader, const Restoring& state);
  void count_as_read_at(base::Instant latest);

  filter::FilterPtr filter_;
  ChangeOptions options_;
  std::vector<Instances> instances_;  // by conjunction
  std::set<Moment> wakes_;            // when instances are due
  std::set<Moment> readings_;         // when instances were last read, if idle ones are forgotten
  std::size_t key_count_ = 0;
  std::uint64_t overflow_count_ = 0;
  std::uint64_t event_count_ = 0;
  base::MemoryCharge memory_;
};

}  // namespace weir::match
