// SPDX-License-Identifier: Apache-2.0
// SharedComposites: subscriptions to several changes at once, joined by and/or, in one trigger
// index: an event touches only those with a leaf that it flips.
//
//   change(data.v, subject = 'a') > 3 and change(data.v, subject = 'b') > 2
//          `------ source ------'                `------ source ------'
//
// A source is a value in the events that pass the stateless part of a conjunction and the change's
// own condition, through one gate. It is one entry in the matcher, whoever reads it, and remembers
// its newest event. Members have last values of their own (match::CompositeIndex).
//
// Delivers what a ChangeFilter for each of them would. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/reading_tally.h"
#include "match/change/composite_index.h"
#include "match/change_filter.h"

namespace weir::engine {

class SharedComposites {
 public:
  // What is known of one subscription, besides its values in the index.
  struct Member {
    struct Leaf {
      match::SourceNumber source = 0;
      base::Instant last_at = {};
    };
    // The event of a value that a restored leaf has of its own; null if it was delivered.
    struct OwnEvent {
      match::LeafPlace place;
      std::uint64_t order = 0;
      event::EventPtr event;
    };

    SubscriptionId id = {};
    std::vector<std::vector<Leaf>> conjunctions = {};
    std::vector<match::SourceNumber> sources = {};           // ascending, each once
    std::vector<std::optional<base::Instant>> read_at = {};  // by conjunction, as restored
    std::vector<OwnEvent> own_events = {};                   // by place
    std::vector<std::uint64_t> delivered = {};               // orders of current events, ascending
    base::Instant floor = {};                                // time does not go back behind it
  };

  // Ids of sources in the matcher, beyond all others.
  static constexpr std::uint64_t kMatcherIdMin = std::uint64_t{3} << 62U;

  // Whether the filter may be a member, as far as it alone can tell.
  static bool takes(const filter::Filter& filter, const EngineOptions& limits);

  explicit SharedComposites(match::Matcher* matcher) : matcher_(matcher) {}

  struct Newcomer {
    SubscriptionId id;
    const filter::Filter* filter = nullptr;
    std::shared_ptr<const Gate> gate;
    match::Initial initial = match::Initial::kDeliver;
    const match::ChangeFilter* state = nullptr;  // where to go on
    base::Instant state_at = {};
  };
  // Null if it must stand alone: a source is beyond the limits of a filter, or the state is not one
  // that such a filter comes to.
  std::unique_ptr<Member> join(const Newcomer& newcomer);
  void leave(const Member& member);

  // Tells it of an event with the matches that are sources, and says whom it is for.
  const match::CompositeFiring& update(std::span<const match::Match> matches,
                                       const event::EventPtr& event, base::Instant now,
                                       match::TextReader& reader);
  // To be called for whatever the firing names, with the instant of the update. Appends the events
  // that are to be delivered, oldest first.
  void deliver(Member& member, std::span<const std::uint32_t> conjunctions, base::Instant now,
               std::vector<event::EventPtr>& events) const;
  static void take(Member& member, match::LeafPlace place, base::Instant now);
  // False if there was nothing to forget.
  bool forget(Member& member);

  // Puts what is remembered for a member into a filter that was told nothing.
  void copy_state(const Member& member, match::ChangeFilter& to) const;

  // Events that concerned it, since the tally was cleared.
  ReadingTally::Counts counts(const Member& member) const { return tally_.of(member.sources); }
  ReadingTally& tally() { return tally_; }
  // Grows with each reading after which the member's state may be another one.
  std::uint64_t revision(const Member& member) const;
  const match::CompositeIndex& index() const { return index_; }
  std::size_t source_count() const { return numbers_.size(); }
  std::size_t memory_bytes() const;

 private:
  // Restored events come before all that are published.
  static constexpr std::uint64_t kOrderMin = std::uint64_t{1} << 32U;

  struct SourceKey {
    std::string condition;
    std::string value;
    const Gate* gate;

    auto operator<=>(const SourceKey&) const = default;
  };
  struct Source {
    filter::Change change;  // how it is read
    std::shared_ptr<const Gate> gate;
    std::map<SourceKey, match::SourceNumber>::iterator key = {};
    std::size_t use_count = 0;
    std::uint64_t reading_count = 0;
    event::EventPtr event;  // the newest
    std::uint64_t order = 0;
    base::Instant read_at = {};
  };
  struct Current {
    std::uint64_t order = 0;
    event::EventPtr event;
  };

  bool use_sources(const Newcomer& newcomer, Member& member);
  std::optional<match::SourceNumber> use_source(const filter::Conjunction& conjunction,
                                                const filter::Change& change,
                                                const std::shared_ptr<const Gate>& gate);
  match::SourceNumber take_number();
  void release_source(match::SourceNumber number);
  void release_sources(const Member& member);
  void restore(const match::ChangeFilter::ConjunctionStates& states, Member& member);
  void read(match::SourceNumber number, const event::EventPtr& event, base::Instant now,
            match::TextReader& reader);
  bool is_apart(const Member& member, match::LeafPlace place) const;
  Current current(const Member& member, match::LeafPlace place) const;
  void remember_delivered(const std::vector<Current>& fired, Member& member) const;
  std::optional<match::ChangeFilter::ConjunctionState> state_of(const Member& member,
                                                                std::size_t conjunction) const;
  match::ChangeFilter::TermState term_state(const Member& member, match::LeafPlace place,
                                            const match::CompositeIndex::LeafView& view) const;

  match::Matcher* matcher_;
  match::CompositeIndex index_;
  std::map<SourceKey, match::SourceNumber> numbers_;
  std::vector<Source> sources_;  // by number
  std::vector<match::SourceNumber> free_numbers_;
  ReadingTally tally_;
  std::uint64_t next_order_ = kOrderMin;
  // Of the event at hand.
  std::vector<match::CompositeReading> readings_;
  std::vector<match::SourceNumber> read_;
  std::vector<match::SourceNumber> unread_;
  match::CompositeFiring firing_;
};

}  // namespace weir::engine
