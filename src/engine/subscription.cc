// SPDX-License-Identifier: Apache-2.0
#include "engine/subscription.h"

#include <utility>

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
                                      .key_count_max = limits.change_key_count_max});
  }
  if (const auto& distinct = filter_->distinct()) {
    window_ = std::make_unique<match::DistinctWindow>(
        match::DistinctWindowOptions{.within = distinct->within,
                                     .refresh = distinct->refresh,
                                     .key_count_max = limits.distinct_key_count_max});
  }
}

void Engine::Subscription::drop_duplicates(std::vector<event::EventPtr>& events,
                                           base::Instant now) {
  if (window_ == nullptr) return;
  std::erase_if(events, [&](const event::EventPtr& event) {
    return !window_->test_and_set(match::event_key(filter_->distinct()->keys, *event), now);
  });
}

bool Engine::Subscription::is_duplicate(const event::Event& event, base::Instant now) const {
  return window_ != nullptr &&
         !window_->test(match::event_key(filter_->distinct()->keys, event), now);
}

std::uint64_t Engine::Subscription::state_overflow() const {
  return (change_ != nullptr ? change_->overflow_count() : 0) +
         (window_ != nullptr ? window_->overflow_count() : 0);
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
