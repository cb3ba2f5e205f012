// SPDX-License-Identifier: Apache-2.0
// ChangeFilter: the change terms of one subscription, by definition. The oracle of the interval
// map.
//
// Paper 002: a source is a number in the events that pass the stateless part of a conjunction (and
// the change term's own condition), one for each key. OnlineGreedy: a value x is delivered iff
// |x - last| > c, and then becomes `last`. A conjunction of several change terms fires when, on an
// update, every term is satisfied; then all its terms take their current values as `last`, and the
// current event of each is delivered, oldest first, each event once per subscription.
//
//   not a number, missing, infinite   no value: nothing moves
//   first value of a term             satisfied (initial = kNone: taken as `last` without delivery)
//   percent                           |x - last| > p/100 |last|; from 0 any change counts
//   or silent for d                   also satisfied once d has passed since the last delivery;
//   looked
//                                     at when an event comes, so what is delivered is fresh
//   at most every d                   not satisfied before d has passed since the last delivery;
//   then
//                                     the newest value is looked at again, without waiting for an
//                                     event
//
// Bounded: beyond key_count_max keys a new key's values are all satisfied and not remembered.
// Single-threaded; instants must not go back.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/instant.h"
#include "base/result.h"
#include "event/event.h"
#include "filter/evaluate.h"
#include "filter/filter.h"

namespace weir::match {

enum class Initial : std::uint8_t { kDeliver, kNone };

struct ChangeOptions {
  Initial initial = Initial::kDeliver;
  std::size_t key_count_max = 1'000'000;
};

// What became of an event, from the best to the worst for it.
enum class ChangeVerdict : std::uint8_t { kFired, kHeld, kWithinThreshold, kNoValue, kNoReading };

// What one term says to an event, for explanations.
struct ChangeReading {
  std::optional<double> value;  // in the event; else the newest one before it
  std::optional<double> last;   // the last delivered one
  bool satisfied = false;
  bool silent = false;  // only because nothing was delivered for long
  bool held = false;    // satisfied or not, it is too early for the next delivery
};

class ChangeFilter {
 public:
  ChangeFilter(filter::FilterPtr filter, ChangeOptions options);

  // Tells the filter of an event that passes the stateless part of the given conjunctions, in
  // ascending order. Appends what is to be delivered, the event itself last.
  ChangeVerdict update(const std::vector<std::uint32_t>& conjunctions, const event::EventPtr& event,
                       base::Instant now, filter::Scorer& scorer,
                       std::vector<event::EventPtr>& delivered);

  // Delivers what was held back and is due by now, in the order in which it became due.
  void advance(base::Instant now, std::vector<event::EventPtr>& delivered);
  std::optional<base::Instant> next_wake() const;

  // What update() would say. Changes nothing.
  ChangeVerdict preview(const std::vector<std::uint32_t>& conjunctions,
                        const event::EventPtr& event, base::Instant now,
                        filter::Scorer& scorer) const;
  // If the change stands in several conjunctions: as the first of them sees it.
  ChangeReading reading(const filter::Change& change, const event::Event& event, base::Instant now,
                        filter::Scorer& scorer) const;

  // Everything that decides future deliveries, the same bytes for the same state. Events that can
  // no longer be delivered are left out. Layout: docs/formats/checkpoint.md.
  void save(base::ByteWriter& writer) const;
  // Takes what save() wrote for an equal filter, and moves `latest` forward to the latest instant
  // at which it was told of anything. Malformed bytes fail the reader; the result fails where there
  // is more to say. Requires a filter that was told nothing; after a failure it is of no use.
  base::Result<void> restore(base::ByteReader& reader, base::Instant& latest);

  std::size_t key_count() const { return key_count_; }
  std::uint64_t overflow_count() const { return overflow_count_; }

 private:
  // An event as the current value of one or more terms, and whether the subscriber has it.
  struct Held {
    event::EventPtr event;
    std::uint64_t order;
    bool delivered = false;
  };
  struct Term {
    std::optional<double> last;
    base::Instant last_at;
    std::optional<double> current;
    std::shared_ptr<Held> held;
  };
  // One conjunction's terms for one key.
  struct Instance {
    const std::vector<filter::ExprPtr>* changes;
    std::vector<Term> terms;
    std::optional<base::Instant> due;
  };
  struct Wake {
    base::Instant due;
    std::uint32_t conjunction;
    std::string key;

    auto operator<=>(const Wake&) const = default;
  };
  // What the terms of a state that is being read have in common.
  struct Restoring {
    std::vector<std::shared_ptr<Held>> events;  // that may still be delivered, oldest first
    std::shared_ptr<Held> delivered;            // stands for every other
    base::Instant latest;
  };
  using Values = std::vector<std::optional<double>>;  // by term
  using Instances = std::map<std::string, Instance, std::less<>>;

  ChangeVerdict update_conjunction(std::uint32_t conjunction, const std::shared_ptr<Held>& held,
                                   base::Instant now, filter::Scorer& scorer,
                                   std::vector<std::shared_ptr<Held>>& fired);
  const Term* find_term(const filter::Change& change, const std::string& key) const;
  Instance* find_or_add(std::uint32_t conjunction, const std::string& key);
  static ChangeVerdict read_values(const std::vector<filter::ExprPtr>& changes,
                                   const event::Event& event, filter::Scorer& scorer,
                                   Values& values);
  void take_values(Instance& instance, const Values& values, const std::shared_ptr<Held>& held,
                   base::Instant now) const;
  static ChangeVerdict judge(const Instance& instance, base::Instant now, base::Instant& ready);
  ChangeVerdict try_fire(std::uint32_t conjunction, const std::string& key, Instance& instance,
                         base::Instant now, std::vector<std::shared_ptr<Held>>& fired);
  void reschedule(std::uint32_t conjunction, const std::string& key, Instance& instance,
                  std::optional<base::Instant> due);
  static void deliver(std::vector<std::shared_ptr<Held>>& fired,
                      std::vector<event::EventPtr>& delivered);
  static bool is_awaited(const Instance& instance, const Term& term);
  std::vector<const Held*> awaited_events() const;
  static void save_instance(const Instance& instance, const std::vector<const Held*>& events,
                            base::ByteWriter& writer);
  base::Result<void> restore_events(base::ByteReader& reader, Restoring& state);
  base::Result<void> restore_instances(std::uint32_t conjunction, base::ByteReader& reader,
                                       Restoring& state);
  static Term restore_term(base::ByteReader& reader, Restoring& state);

  filter::FilterPtr filter_;
  ChangeOptions options_;
  std::vector<Instances> instances_;  // by conjunction
  std::set<Wake> wakes_;
  std::size_t key_count_ = 0;
  std::uint64_t overflow_count_ = 0;
  std::uint64_t event_count_ = 0;
};

}  // namespace weir::match
