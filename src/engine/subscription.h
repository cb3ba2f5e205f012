// SPDX-License-Identifier: Apache-2.0
// Engine::Subscription: one subscription's filter, its state and its counts.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/shared_change.h"
#include "engine/shared_composites.h"
#include "engine/shared_text.h"
#include "match/distinct_window.h"

namespace weir::engine {

class Engine::Subscription {
 public:
  Subscription(filter::FilterPtr filter, const EngineOptions& limits, SubscribeOptions options,
               std::uint64_t published_before, match::WorkBudgetPtr budget);

  const filter::Filter& filter() const { return *filter_; }
  const filter::FilterPtr& filter_ptr() const { return filter_; }
  // Null if there is no change, or if it is shared.
  match::ChangeFilter* change() { return change_.get(); }

  std::uint64_t tag() const { return tag_; }
  const std::shared_ptr<const Gate>& gate() const { return gate_; }
  // The first one counts its memory and draws from the other; null: nothing is counted.
  const base::MemoryAccount::Ptr& memory() const { return memory_; }
  const base::MemoryAccount::Ptr& owner_memory() const { return owner_memory_; }
  // Null: nobody limits its work.
  const match::WorkBudgetPtr& budget() const { return budget_; }
  // Whether its work is limited, and may grow with the event.
  bool is_costly() const { return is_costly_; }
  std::uint64_t over_budget() const;
  // Charges what it takes to compare texts that it wants the changes of.
  void charge_text_changes(const match::TextScorer& scorer) const;
  // Whether it may be told by definition that only its score kept the event back: not if that is
  // costly.
  bool can_count_below_score(const event::Event& event) const;
  bool admits(const event::Event& event) const { return !gate_ || (*gate_)(event); }

  // What its change filter has in common with others.
  struct Membership {
    std::uint64_t number = 0;
    SharedChange* change = nullptr;
    SubscriptionId id;
    double threshold = 0;
    match::Initial initial = match::Initial::kDeliver;
  };
  bool is_sharing() const { return membership_.has_value() || composite_ != nullptr; }
  const std::optional<Membership>& membership() const { return membership_; }
  // Requires a change filter that can be shared there; what it remembers goes along. False, and it
  // goes on alone, if that is not what one of those who share comes to: of another age, or made by
  // hand.
  bool share(const Membership& membership);
  // The same for a composite; it goes on alone if it cannot be shared.
  void share(SubscriptionId id, match::Initial initial, SharedComposites& composites);
  void end_sharing();
  // Its text predicate is found by its terms; null: it is tried like any other filter.
  void share_text(std::unique_ptr<SharedText::Member> member, SharedText& texts);
  void end_sharing_text();
  bool is_text_shared() const { return text_ != nullptr; }
  // What is to be said of an event that is held back, for as long as somebody has the event.
  void hold_finding(const event::EventPtr& event, match::TextFinding finding);
  // Nothing if there is none.
  match::TextFinding take_finding(const event::EventPtr& event);
  // A composite goes on with a change filter of its own.
  void leave_composites();
  // Requires a filter of the same shape.
  void retune(filter::FilterPtr filter, base::Instant now, match::TextReader& reader);
  // Asks for what take_firing() needs.
  void prefetch() const {
    constexpr std::size_t kLineBytes = 64;
    const auto* const bytes = reinterpret_cast<const char*>(this);
    for (std::size_t i = 0; i < sizeof *this; i += kLineBytes) __builtin_prefetch(bytes + i, 1);
  }
  // It is told of a reading, or of one that was held back. False if that is a duplicate.
  bool take_firing(const match::FiredRange& range, const event::Event& event, base::Instant now,
                   bool is_late);
  // It is told of a reading at which conjunctions fire. Appends what is to be delivered.
  void take_firing(const SharedComposites::Fired& fired, const event::EventPtr& event,
                   base::Instant now, match::FiredEvents& events);
  // Conjunctions of it fire at this instant that were held back.
  void take_late_firing(std::span<const SharedComposites::Fired> fired, base::Instant now,
                        match::FiredEvents& events);
  // What was counted for all composites is about to be cleared.
  void settle_composite();
  // A change filter with what is remembered: all of it or, if an event is given, as much as it
  // takes to foretell what becomes of that; null if there is no change. If it is shared, a copy.
  std::shared_ptr<const match::ChangeFilter> change_for(const event::Event* only,
                                                        base::Instant now) const;

  // Takes out the events whose keys were delivered within the window. In a group of a composite
  // they stay, as repeated, unless nothing is new then: that takes out all.
  void drop_duplicates(match::FiredEvents& fired, base::Instant now);
  // Counts the events that are new to the subscriber, and returns how many there are.
  std::uint64_t count_delivered(const match::FiredEvents& fired);
  // Whether the event would be dropped; remembers nothing.
  bool is_duplicate(const event::Event& event, base::Instant now) const;
  // The event's keys are new again; true if they were seen.
  base::Result<bool> forget(const event::Event& event, base::Instant now);
  std::optional<match::DistinctStats> distinct_stats() const;

  std::uint64_t state_overflow() const;

  bool has_state() const { return change_ != nullptr || is_sharing() || window_ != nullptr; }
  // Empty if there is no state.
  std::string save() const;
  // Takes what save() gave. After a failure the subscription is of no use.
  base::Result<void> restore(std::string_view bytes);
  // The latest instant in the restored state: time does not go back behind it.
  base::Instant restored_at() const { return restored_at_; }
  // To be called when the state may have moved.
  void touch() {
    if (has_state()) ++revision_;
  }
  std::uint64_t revision() const;
  // What is counted by now, without what can be derived from how many events there were.
  SubscriptionCounters counted_now() const;

  // Events the engine had published when this one began, less those that a restored one had seen.
  std::uint64_t published_before;
  SubscriptionCounters counted;       // without what can be derived, also from what is shared
  std::optional<base::Instant> wake;  // when the engine was asked to look again

 private:
  SharedChange::Member member() const { return {membership_->id, membership_->threshold}; }
  void settle_counts(std::uint64_t otherwise);
  std::shared_ptr<match::ChangeFilter> copy_change(
      const event::Event* only, base::Instant now,
      const base::MemoryAccount::Ptr& memory = {}) const;
  std::uint64_t shared_held_count() const;
  SharedChange::Counts shared_counts() const;
  std::uint64_t shared_revision() const;
  std::uint64_t state_overflow_of_change() const;
  base::Result<void> restore_parts(std::uint8_t version, base::ByteReader& reader);
  base::Result<void> restore_window(std::uint8_t mode, base::ByteReader& reader);

  filter::FilterPtr filter_;
  std::uint64_t tag_;
  std::shared_ptr<const Gate> gate_;
  match::WorkBudgetPtr budget_;
  bool is_costly_;
  std::uint64_t cut_before_ = 0;           // events, for all filters of the budget
  std::uint64_t long_key_cut_before_ = 0;  // the same of those with long keys
  base::MemoryAccount::Ptr owner_memory_;
  base::MemoryAccount::Ptr memory_;
  match::ChangeOptions change_options_;
  std::shared_ptr<match::ChangeFilter> change_;
  std::optional<Membership> membership_;
  SharedComposites* composites_ = nullptr;
  std::unique_ptr<CompositeMember> composite_;
  SharedText* texts_ = nullptr;
  std::unique_ptr<SharedText::Member> text_;
  std::map<std::weak_ptr<const event::Event>, match::TextFinding, std::owner_less<>> held_findings_;
  static constexpr std::size_t kFindingsSweepMin = 64;
  std::size_t findings_sweep_at_ = kFindingsSweepMin;  // then those without an event are dropped
  SharedChange::Counts before_sharing_;                // what was counted there before
  std::uint64_t revision_before_sharing_ = 0;
  std::uint64_t overflow_before_sharing_ = 0;
  match::DistinctWindowOptions window_options_;
  std::unique_ptr<match::DistinctWindow> window_;
  base::Instant restored_at_{std::numeric_limits<std::int64_t>::min()};
  std::uint64_t revision_ = 0;
};

// Whether the event is delivered, and new to the subscriber. Requires that no other is newer.
bool is_news(const match::FiredEvents& fired, const event::EventPtr& event);

// What a change filter's verdict means for the event.
Outcome outcome_of(match::ChangeVerdict verdict);

}  // namespace weir::engine
