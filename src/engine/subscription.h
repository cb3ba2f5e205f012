// SPDX-License-Identifier: Apache-2.0
// Engine::Subscription: one subscription's filter, its state and its counts.
#pragma once

#include <memory>
#include <optional>

#include "engine/engine.h"
#include "match/distinct_window.h"

namespace weir::engine {

class Engine::Subscription {
 public:
  Subscription(filter::FilterPtr filter, const EngineOptions& limits, SubscribeOptions options,
               std::uint64_t published_before);

  const filter::Filter& filter() const { return *filter_; }
  match::ChangeFilter* change() { return change_.get(); }

  // Takes out the events whose keys were delivered within the window.
  void drop_duplicates(std::vector<event::EventPtr>& events, base::Instant now);
  // Whether the event would be dropped; remembers nothing.
  bool is_duplicate(const event::Event& event, base::Instant now) const;

  std::uint64_t state_overflow() const;

  const std::uint64_t published_before;  // events the engine had published when this one began
  SubscriptionCounters counted;          // without what can be derived
  std::optional<base::Instant> wake;     // when the engine was asked to look again

 private:
  filter::FilterPtr filter_;
  std::unique_ptr<match::ChangeFilter> change_;
  std::unique_ptr<match::DistinctWindow> window_;
};

// What a change filter's verdict means for the event.
Outcome outcome_of(match::ChangeVerdict verdict);

}  // namespace weir::engine
