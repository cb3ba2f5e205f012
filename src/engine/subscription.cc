// SPDX-License-Identifier: Apache-2.0
#include "engine/subscription.h"

#include <utility>

#include "engine/distinct_options.h"
#include "match/event_key.h"

namespace weir::engine {

Engine::Subscription::Subscription(filter::FilterPtr filter, const EngineOptions& limits,
                                   SubscribeOptions options, std::uint64_t before)
    : published_before(before),
      filter_(std::move(filter)),
      tag_(options.tag),
      admits_(std::move(options.admits)) {
  if (filter_->has_change()) {
    change_ = std::make_unique<match::ChangeFilter>(
        filter_, match::ChangeOptions{.initial = options.initial,
                                      .key_count_max = limits.change_key_count_max,
                                      .idle = limits.change_idle});
  }
  if (filter_->distinct()) {
    window_options_ = distinct_window_options(filter_, limits);
    window_ = match::make_distinct_window(window_options_);
  }
}

void Engine::Subscription::drop_duplicates(std::vector<event::EventPtr>& events,
                                           base::Instant now) {
  if (window_ == nullptr) return;
  std::erase_if(events, [&](const event::EventPtr& event) {
    return !window_->test_and_set(match::event_key(filter_->distinct()->keys, *event), now,
                                  event->sequence());
  });
}

bool Engine::Subscription::is_duplicate(const event::Event& event, base::Instant now) const {
  return window_ != nullptr &&
         !window_->test(match::event_key(filter_->distinct()->keys, event), now);
}

base::Result<bool> Engine::Subscription::forget(const event::Event& event, base::Instant now) {
  if (!has_state()) {
    return base::Error{base::ErrorId::kEngineKeys,
                       "the filter has neither change nor distinct: there is nothing to forget",
                       std::nullopt};
  }
  touch();
  bool known = false;
  if (window_ != nullptr) {
    const auto seen = window_->forget(match::event_key(filter_->distinct()->keys, event), now);
    if (!seen) return seen;
    known = *seen;
  }
  return (change_ != nullptr && change_->forget(event, now)) || known;
}

std::optional<match::DistinctStats> Engine::Subscription::distinct_stats() const {
  if (window_ == nullptr) return std::nullopt;
  return window_->stats();
}

std::uint64_t Engine::Subscription::state_overflow() const {
  return (change_ != nullptr ? change_->overflow_count() : 0) +
         (window_ != nullptr ? window_->stats().overflow : 0);
}

Outcome outcome_of(match::ChangeVerdict verdict) {
  switch (verdict) {
    case match::ChangeVerdict::kFired:
      return Outcome::kPassed;
    case match::ChangeVerdict::kHeld:
      return Outcome::kHeld;
    case match::ChangeVerdict::kWithinThreshold:
      return Outcome::kWithinThreshold;
    case match::ChangeVerdict::kNoValue:
      return Outcome::kNoValue;
    case match::ChangeVerdict::kNoReading:
      break;
  }
  return Outcome::kNoMatch;
}

}  // namespace weir::engine
