// SPDX-License-Identifier: Apache-2.0
// Engine::Subscription: one subscription's filter, its state and its counts.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "match/distinct_window.h"

namespace weir::engine {

class Engine::Subscription {
 public:
  Subscription(filter::FilterPtr filter, const EngineOptions& limits, SubscribeOptions options,
               std::uint64_t published_before);

  const filter::Filter& filter() const { return *filter_; }
  match::ChangeFilter* change() { return change_.get(); }

  std::uint64_t tag() const { return tag_; }
  bool admits(const event::Event& event) const { return !admits_ || admits_(event); }

  // Takes out the events whose keys were delivered within the window.
  void drop_duplicates(std::vector<event::EventPtr>& events, base::Instant now);
  // Whether the event would be dropped; remembers nothing.
  bool is_duplicate(const event::Event& event, base::Instant now) const;
  // The event's keys are new again; true if they were seen.
  base::Result<bool> forget(const event::Event& event, base::Instant now);
  std::optional<match::DistinctStats> distinct_stats() const;

  std::uint64_t state_overflow() const;

  bool has_state() const { return change_ != nullptr || window_ != nullptr; }
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
  std::uint64_t revision() const { return revision_; }

  // Events the engine had published when this one began, less those that a restored one had seen.
  std::uint64_t published_before;
  SubscriptionCounters counted;       // without what can be derived
  std::optional<base::Instant> wake;  // when the engine was asked to look again

 private:
  base::Result<void> restore_parts(std::uint8_t version, base::ByteReader& reader);
  base::Result<void> restore_window(std::uint8_t mode, base::ByteReader& reader);

  filter::FilterPtr filter_;
  std::uint64_t tag_;
  std::function<bool(const event::Event&)> admits_;
  std::unique_ptr<match::ChangeFilter> change_;
  match::DistinctWindowOptions window_options_;
  std::unique_ptr<match::DistinctWindow> window_;
  base::Instant restored_at_{std::numeric_limits<std::int64_t>::min()};
  std::uint64_t revision_ = 0;
};

// What a change filter's verdict means for the event.
Outcome outcome_of(match::ChangeVerdict verdict);

}  // namespace weir::engine
