// SPDX-License-Identifier: Apache-2.0
// SharedChange: subscriptions whose filters differ in nothing but the threshold of their only
// change term, as one entry in the matcher and one interval map.
//
//   type = 'quote' and change(data.price, by subject) > 0.5      one shape:
//   type = 'quote' and change(data.price, by subject) > 2        a million of them cost an event
//   ...                                                          what few cost, and what fires
//
// Delivers what a ChangeFilter for each of them would. Single-threaded; instants that go back, also
// behind those in a restored state, count as the latest before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "match/change/change_group.h"
#include "match/change_filter.h"

namespace weir::engine {

class SharedChange {
 public:
  struct Member {
    SubscriptionId id;
    double threshold = 0;
  };
  // Of all readings since it was made.
  struct Counts {
    std::uint64_t readings = 0;
    std::uint64_t no_value = 0;
    std::uint64_t overflow = 0;
  };

  // Filters of one shape can be members of one; nothing if this one must stand alone.
  static std::optional<std::string> shape_of(const filter::Filter& filter,
                                             const EngineOptions& limits);
  // Requires a filter with a shape.
  static double threshold_of(const filter::Filter& filter);

  // For filters of the shape of this one, which is what the matcher is to be given.
  SharedChange(filter::FilterPtr filter, std::shared_ptr<const Gate> gate,
               const EngineOptions& limits, base::MemoryAccount::Ptr memory = {});

  const filter::FilterPtr& filter() const { return filter_; }
  bool admits(const event::Event& event) const { return !gate_ || (*gate_)(event); }

  // Goes on where the filter was, which has the shape, if it was told anything. Gives the number of
  // keys of which something is held back.
  std::size_t join(const Member& member, match::Initial initial, const match::ChangeFilter& state,
                   base::Instant state_at);
  void leave(const Member& member);
  // Keeps what was delivered.
  void move(const Member& member, double threshold);
  bool is_empty() const { return group_.size() == 0; }

  // Tells it of an event that passes the stateless part, and says whom it is for.
  void update(const event::EventPtr& event, base::Instant now, match::TextReader& reader,
              match::Firing& firing);
  std::optional<base::Instant> next_wake() const { return group_.next_wake(); }
  // As ChangeGroup does.
  bool advance(base::Instant now, match::Firing& firing) { return group_.advance(now, firing); }
  // False if there was nothing to forget.
  bool forget(const Member& member, const event::Event& event, base::Instant now);

  // Whether the event's key is known, or may become known.
  bool has_room(const event::Event& event, base::Instant now) const;
  // Puts what is remembered for a member into a filter that was told nothing: all of it, or only of
  // the event's key.
  void copy_state(const Member& member, const event::Event* only, match::ChangeFilter& to);

  const Counts& counts() const { return counts_; }
  // Nothing if it had no reading yet.
  std::optional<ChangeSourceStats> source_stats(const event::Event& event) const;
  // Readings since the last deliveries to the member, of all keys, that were held.
  std::uint64_t held_count(const Member& member);
  // Grows with each reading after which all members' states may be other ones.
  std::uint64_t revision() const { return revision_; }
  const match::ChangeGroup& group() const { return group_; }

 private:
  const filter::Change& change() const;
  std::vector<std::string_view> keys() const;
  bool is_idle(const match::ChangeGroup::SourceView& source, base::Instant now) const;
  // Whether the newest reading of a key is to be remembered, though it was delivered to nobody.
  bool needs_readings() const;
  void copy_key(const Member& member, std::string_view key, match::ChangeFilter& to);

  filter::FilterPtr filter_;
  std::shared_ptr<const Gate> gate_;
  match::ChangeGroup group_;
  Counts counts_;
  std::uint64_t revision_ = 0;
  bool has_silent_members_ = false;  // whose first readings are taken without a delivery
  base::Instant floor_;              // time does not go back behind it
};

match::Direction direction_of(filter::Direction direction);

}  // namespace weir::engine
