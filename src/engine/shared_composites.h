// SPDX-License-Identifier: Apache-2.0
// SharedComposites: subscriptions to several changes at once, joined by and/or, in one trigger
// index: an event touches only those with a leaf that it flips.
//
//   change(data.v, subject = 'a') > 3 and change(data.v, subject = 'b') > 2
//          `------ stream -----'                 `------ stream -----'
//
// What the leaves read is in CompositeStreams. A member has an instance for each key, which is one
// composite in match::CompositeIndex, with last values of its own; without keys it has one.
//
// Events are held for a member while one of the conjunctions that they concern is (at most every).
// They are counted by the sources that they move; what an instance adds to its member's count is
// taken over when one of its conjunctions begins or ceases to be held.
//
// Delivers what a ChangeFilter for each of them would. A member that comes to its limit of keys has
// to leave, with what it remembers. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/composite_member.h"
#include "engine/composite_streams.h"
#include "engine/engine.h"
#include "engine/reading_tally.h"
#include "match/change/composite_index.h"
#include "match/change_filter.h"

namespace weir::engine {

class SharedComposites {
 public:
  using Member = CompositeMember;
  using Instance = CompositeMember::Instance;

  // Whether the filter may be a member, as far as it alone can tell.
  static bool takes(const filter::Filter& filter, const EngineOptions& limits);

  SharedComposites(match::Matcher* matcher, match::WorkMeter* meter, const EngineOptions& limits)
      : streams_(matcher, meter),
        key_count_max_(limits.change_key_count_max),
        keys_at_once_(limits.composite_keys_at_once) {}

  struct Newcomer {
    SubscriptionId id;
    filter::FilterPtr filter;
    std::shared_ptr<const Gate> gate;
    base::MemoryAccount::Ptr memory = {};         // where its keys are counted
    base::MemoryAccount::Ptr stream_memory = {};  // where events are that its streams keep
    match::WorkBudgetPtr budget = {};             // of the events that its streams read
    match::Initial initial = match::Initial::kDeliver;
    const match::ChangeFilter* state = nullptr;  // where to go on
    base::Instant state_at = {};
  };
  // Null if it must stand alone: what it reads is beyond the limits of a filter, or the state is
  // not one that such a filter comes to.
  std::unique_ptr<Member> join(const Newcomer& newcomer);
  // It gets nothing from now on. What it remembers is removed bit by bit, if that is much.
  void leave(std::unique_ptr<Member> member);
  // The filter differs from the member's in thresholds only. Its keys go over to them one by one if
  // they are many: each before it is read again.
  void retune(Member& member, filter::FilterPtr filter, base::Instant now,
              match::TextReader& reader);
  // Removes or retunes up to so many keys, if there are any that were put off.
  void work(std::size_t key_count, base::Instant now, match::TextReader& reader);
  bool has_work() const { return !gone_.empty() || !retuning_.empty(); }

  // Of a stream, by its number in the matcher.
  match::WorkBudget* budget(SubscriptionId stream) const;
  const std::vector<filter::Operand>& keys(SubscriptionId stream) const;

  // An event comes, with the matches that are streams. Those whom it brings a key beyond their
  // limit must leave before update() is called; they have not been told of it.
  std::span<Member* const> read(std::span<const match::Match> matches, const event::EventPtr& event,
                                base::Instant now, match::TextReader& reader);

  struct Fired {
    Instance* instance = nullptr;
    std::span<const std::uint32_t> conjunctions;
  };
  // Whom the event is for that was read, by ascending subscription.
  std::span<const Fired> update(base::Instant now);
  std::optional<base::Instant> next_wake() const { return index_.next_wake(); }
  // What was held back and is due at the next wake: one conjunction of one instance each, in the
  // order of subscriptions, conjunctions and keys. Requires a wake.
  std::span<const Fired> advance();
  // To be called for whatever fired for one member at one instant. Appends what is to be delivered.
  void deliver(std::span<const Fired> fired, base::Instant now, match::FiredEvents& events) const;
  // Of the event's key. False if there was nothing to forget.
  bool forget(Member& member, const event::Event& event);

  // Puts what is remembered for a member into a filter that was told nothing: all of it or, if an
  // event is given, that of the event's key.
  void copy_state(const Member& member, const event::Event* only, match::ChangeFilter& to) const;

  // Events that concerned it, since the tally was cleared.
  ReadingTally::Counts counts(const Member& member) const { return tally_.of(member.streams); }
  // Of the readings, those that were held.
  std::uint64_t held_count(const Member& member) const;
  // Whether everybody must take over what was counted, so that it can be cleared.
  bool is_tally_full() const { return tally_.is_full() || held_tally_.is_full(); }
  std::uint64_t take_held_count(Member& member);
  void clear_tally();
  // Grows with each reading after which the member's state may be another one.
  std::uint64_t revision(const Member& member) const;
  const match::CompositeIndex& index() const { return index_; }
  std::size_t stream_count() const { return streams_.size(); }
  std::size_t memory_bytes() const;

 private:
  // Restored events come before all that are published.
  static constexpr std::uint64_t kOrderMin = std::uint64_t{1} << 32U;

  struct Current {
    std::uint64_t order = 0;
    event::EventPtr event;  // null if it was delivered before it was restored, and is not known
    bool delivered = false;
  };

  static StreamNumber stream_of(SubscriptionId id) {
    return static_cast<StreamNumber>(id.value - CompositeStreams::kMatcherIdMin);
  }
  // Of all leaves, conjunction by conjunction.
  static std::vector<match::LeafCondition> conditions_of(const filter::Filter& filter);
  bool use_streams(const Newcomer& newcomer, Member& member);
  void release_streams(const Member& member);
  bool has_room(const Member& member) const;
  static std::string key_of(const Member& member, const event::Event& event);
  Instance& instance_of(Member& member, std::string_view key);
  std::vector<match::CompositeConjunction> place(const Member& member, std::string_view key,
                                                 Instance& instance);
  // False if it could not have come to that.
  bool restore(const match::ChangeFilter::ConjunctionStates& states, Instance& instance);
  void read(StreamNumber stream, const event::EventPtr& event, base::Instant now,
            match::TextReader& reader);
  bool keep(match::SourceNumber number, const event::EventPtr& event);
  void make_leave(Member& member);
  void remove(Member& member, Instance& instance);
  void retune(Instance& instance, base::Instant now, match::TextReader& reader);
  std::vector<std::optional<base::Instant>> dues_after(Instance& instance, base::Instant now,
                                                       match::TextReader& reader) const;
  std::size_t retune_some(std::size_t key_count, base::Instant now, match::TextReader& reader);
  std::size_t remove_some(std::size_t key_count);
  std::size_t remove_keys(Member& member, std::size_t key_count);
  void end_retuning(Member& member);
  void count_held();
  void list_touched();
  bool is_held(const Instance& instance) const;
  bool is_held(const Instance& instance, std::size_t conjunction) const;
  std::uint64_t held_since(const Instance& instance) const;
  void settle_held(Instance& instance) const;
  void watch_held(Instance& instance) const;
  bool is_apart(const Instance& instance, match::LeafPlace place) const;
  Current current(const Instance& instance, match::LeafPlace place) const;
  void take(Instance& instance, match::LeafPlace place, base::Instant now) const;
  std::vector<Current> currents(const Instance& instance, std::uint32_t conjunction) const;
  void remember_delivered(const Fired& fired) const;
  void copy_state(std::string_view key, const Instance& instance, match::ChangeFilter& to) const;
  std::optional<match::ChangeFilter::ConjunctionState> state_of(const Instance& instance,
                                                                std::size_t conjunction) const;
  match::ChangeFilter::TermState term_state(const Instance& instance, match::LeafPlace place,
                                            const match::CompositeIndex::LeafView& view) const;

  CompositeStreams streams_;
  std::size_t key_count_max_;
  std::size_t keys_at_once_;
  match::CompositeIndex index_;
  std::vector<Instance*> instances_;  // by number in the index
  std::vector<std::uint32_t> free_numbers_;
  ReadingTally tally_;
  ReadingTally held_tally_;  // by source, of those that may be held
  std::uint64_t next_order_ = kOrderMin;
  // Of the event at hand.
  std::vector<match::CompositeReading> readings_;
  std::vector<StreamNumber> read_;
  std::vector<StreamNumber> unread_;
  std::vector<Member*> leaving_;
  std::size_t event_bytes_ = 0;  // 0: not counted yet
  match::CompositeFiring firing_;
  std::vector<Fired> fired_;
  std::vector<Instance*> touched_;  // for which being held begins, ends or does not matter
  std::vector<match::SourceNumber> limited_;
  // Work that was put off, the oldest first.
  std::deque<std::unique_ptr<Member>> gone_;
  std::deque<Member*> retuning_;
};

}  // namespace weir::engine
