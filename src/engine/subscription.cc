// SPDX-License-Identifier: Apache-2.0
#include "engine/subscription.h"

#include <algorithm>
#include <utility>

#include "engine/distinct_options.h"
#include "match/event_key.h"

namespace weir::engine {

Engine::Subscription::Subscription(filter::FilterPtr filter, const EngineOptions& limits,
                                   SubscribeOptions options, std::uint64_t before)
    : published_before(before),
      filter_(std::move(filter)),
      tag_(options.tag),
      gate_(std::move(options.gate)),
      change_options_{.initial = options.initial,
                      .key_count_max = limits.change_key_count_max,
                      .idle = limits.change_idle} {
  if (filter_->has_change()) {
    change_ = std::make_shared<match::ChangeFilter>(filter_, change_options_);
  }
  if (filter_->distinct()) {
    window_options_ = distinct_window_options(filter_, limits);
    window_ = match::make_distinct_window(window_options_);
  }
}

void Engine::Subscription::share(const Membership& membership) {
  membership_ = membership;
  SharedChange& shared = *membership.change;
  overflow_before_sharing_ = change_->overflow_count();
  const std::size_t held = shared.join(member(), membership.initial, *change_, restored_at_);
  before_sharing_ = shared.counts();
  // Those are counted again when their wait is over.
  before_sharing_.readings -= held;
  counted.held -= std::min<std::uint64_t>(counted.held, held);
  revision_before_sharing_ = shared.revision();
  change_.reset();
}

void Engine::Subscription::end_sharing() {
  membership_->change->leave(member());
  membership_.reset();
}

void Engine::Subscription::retune(filter::FilterPtr filter, base::Instant now,
                                  match::TextReader& reader) {
  filter_ = std::move(filter);
  if (change_ != nullptr) change_->retune(filter_, now, reader);
  if (is_sharing()) {
    const double threshold = SharedChange::threshold_of(*filter_);
    membership_->change->move(member(), threshold);
    membership_->threshold = threshold;
  }
  touch();
}

bool Engine::Subscription::take_firing(const match::FiredRange& range, const event::Event& event,
                                       base::Instant now, bool is_late) {
  const std::uint64_t held = range.before ? range.before->held_count : 0;
  counted.held += held;
  settle_counts(held + (is_late ? 0 : 1));
  touch();
  const bool is_new =
      !window_ || window_->test_and_set(match::event_key(filter_->distinct()->keys, event), now,
                                        event.sequence());
  if (!is_late) ++(is_new ? counted.passed : counted.duplicate);
  counted.delivered += is_new ? 1 : 0;
  return is_new;
}

// Takes over what was counted for all, of which so many readings are counted otherwise.
void Engine::Subscription::settle_counts(std::uint64_t otherwise) {
  const SharedChange::Counts& now = membership_->change->counts();
  counted.no_value += now.no_value - before_sharing_.no_value;
  counted.within_threshold += now.readings - before_sharing_.readings - otherwise;
  overflow_before_sharing_ += now.overflow - before_sharing_.overflow;
  before_sharing_ = now;
}

std::shared_ptr<const match::ChangeFilter> Engine::Subscription::change_for(
    const event::Event* only, base::Instant now) const {
  if (!is_sharing()) return change_;
  match::ChangeOptions options = change_options_;
  if (only != nullptr && !membership_->change->has_room(*only, now)) options.key_count_max = 0;
  auto copy = std::make_shared<match::ChangeFilter>(filter_, options);
  copy->set_overflow_count(state_overflow_of_change());
  membership_->change->copy_state(member(), only, *copy);
  return copy;
}

std::uint64_t Engine::Subscription::revision() const {
  if (!is_sharing()) return revision_;
  return revision_ + membership_->change->revision() - revision_before_sharing_;
}

SubscriptionCounters Engine::Subscription::counted_now() const {
  SubscriptionCounters counters = counted;
  if (!is_sharing()) return counters;
  const SharedChange::Counts& now = membership_->change->counts();
  const std::uint64_t held = membership_->change->held_count(member());
  counters.held += held;
  counters.no_value += now.no_value - before_sharing_.no_value;
  counters.within_threshold += now.readings - before_sharing_.readings - held;
  return counters;
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
  if (is_sharing()) {
    return membership_->change->forget(member(), event, now) || known;
  }
  return (change_ != nullptr && change_->forget(event, now)) || known;
}

std::optional<match::DistinctStats> Engine::Subscription::distinct_stats() const {
  if (window_ == nullptr) return std::nullopt;
  return window_->stats();
}

std::uint64_t Engine::Subscription::state_overflow() const {
  return state_overflow_of_change() + (window_ != nullptr ? window_->stats().overflow : 0);
}

std::uint64_t Engine::Subscription::state_overflow_of_change() const {
  if (!is_sharing()) return change_ != nullptr ? change_->overflow_count() : 0;
  const std::uint64_t since = membership_->change->counts().overflow - before_sharing_.overflow;
  return overflow_before_sharing_ + since;
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
