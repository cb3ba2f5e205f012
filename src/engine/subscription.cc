// SPDX-License-Identifier: Apache-2.0
#include "engine/subscription.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"
#include "engine/distinct_options.h"
#include "match/event_key.h"

namespace weir::engine {
namespace {

std::string bytes_of(const match::ChangeFilter& change) {
  base::ByteWriter writer;
  change.save(writer);
  return writer.take();
}

}  // namespace

Engine::Subscription::Subscription(filter::FilterPtr filter, const EngineOptions& limits,
                                   SubscribeOptions options, std::uint64_t before,
                                   match::WorkBudgetPtr budget)
    : published_before(before),
      filter_(std::move(filter)),
      tag_(options.tag),
      gate_(std::move(options.gate)),
      budget_(std::move(budget)),
      is_costly_(budget_ && match::is_costly(*filter_)),
      cut_before_(budget_ ? budget_->cut_count() : 0),
      long_key_cut_before_(budget_ ? budget_->long_key_cut_count() : 0),
      owner_memory_(std::move(options.memory)),
      memory_(owner_memory_
                  ? std::make_shared<base::MemoryShare>(limits.state_bytes_max, owner_memory_)
                  : nullptr),
      change_options_{.initial = options.initial,
                      .key_count_max = limits.change_key_count_max,
                      .idle = limits.change_idle,
                      .memory = memory_} {
  if (filter_->has_change()) {
    change_ = std::make_shared<match::ChangeFilter>(filter_, change_options_);
  }
  if (filter_->distinct()) {
    window_options_ = distinct_window_options(filter_, limits);
    window_options_.memory = memory_;
    window_ = match::make_distinct_window(window_options_);
  }
}

std::uint64_t Engine::Subscription::over_budget() const {
  if (!budget_) return 0;
  if (is_costly_) return budget_->cut_count() - cut_before_;
  return has_state() ? budget_->long_key_cut_count() - long_key_cut_before_ : 0;
}

void Engine::Subscription::charge_text_changes(const match::TextScorer& scorer) const {
  if (filter_->text_sources().size() == filter_->abouts().size()) return;
  for (const filter::TextSource* const source : filter_->text_sources()) {
    scorer.charge(*source, *budget_);
  }
}

bool Engine::Subscription::can_count_below_score(const event::Event& event) const {
  if (!budget_) return true;
  if (budget_->is_over()) return false;
  return event.json().size() <= match::steps::kLongKeyBytes ||
         !match::is_costly_beside_text(*filter_);
}

bool Engine::Subscription::share(const Membership& membership) {
  membership_ = membership;
  SharedChange& shared = *membership.change;
  overflow_before_sharing_ = change_->overflow_count();
  const std::size_t held = shared.join(member(), membership.initial, *change_, restored_at_);
  before_sharing_ = shared.counts();
  // Those are counted again when their wait is over.
  before_sharing_.readings -= held;
  const std::uint64_t recounted = std::min<std::uint64_t>(counted.held, held);
  counted.held -= recounted;
  revision_before_sharing_ = shared.revision();
  if (change_->key_count() > 0 && bytes_of(*change_) != bytes_of(*copy_change(nullptr, {}))) {
    counted.held += recounted;
    end_sharing();
    return false;
  }
  change_.reset();
  return true;
}

void Engine::Subscription::share(SubscriptionId id, match::Initial initial,
                                 SharedComposites& composites) {
  composite_ = composites.join({.id = id,
                                .filter = filter_,
                                .gate = gate_,
                                .memory = memory_,
                                .stream_memory = owner_memory_,
                                .budget = budget_,
                                .initial = initial,
                                .state = change_.get(),
                                .state_at = restored_at_});
  if (composite_ == nullptr) return;
  composites_ = &composites;
  overflow_before_sharing_ = change_->overflow_count();
  before_sharing_ = shared_counts();
  revision_before_sharing_ = shared_revision();
  change_.reset();
}

void Engine::Subscription::end_sharing() {
  if (composite_ != nullptr) {
    return composites_->leave(std::move(composite_));
  }
  membership_->change->leave(member());
  membership_.reset();
}

void Engine::Subscription::share_text(std::unique_ptr<SharedText::Member> member,
                                      SharedText& texts) {
  text_ = std::move(member);
  texts_ = &texts;
}

void Engine::Subscription::end_sharing_text() {
  texts_->leave(*text_);
  text_.reset();
}

void Engine::Subscription::hold_finding(const event::EventPtr& event, match::TextFinding finding) {
  if (held_findings_.size() >= findings_sweep_at_) {
    std::erase_if(held_findings_, [](const auto& entry) { return entry.first.expired(); });
    findings_sweep_at_ = std::max(kFindingsSweepMin, 2 * held_findings_.size());
  }
  held_findings_.insert_or_assign(event, std::move(finding));
}

match::TextFinding Engine::Subscription::take_finding(const event::EventPtr& event) {
  const auto held = held_findings_.extract(event);
  return held.empty() ? match::TextFinding() : held.mapped();
}

void Engine::Subscription::retune(filter::FilterPtr filter, base::Instant now,
                                  match::TextReader& reader) {
  filter_ = std::move(filter);
  if (composite_ != nullptr) composites_->retune(*composite_, filter_, now, reader);
  if (change_ != nullptr) change_->retune(filter_, now, reader);
  if (membership_) {
    const double threshold = SharedChange::threshold_of(*filter_);
    membership_->change->move(member(), threshold);
    membership_->threshold = threshold;
  }
  touch();
}

void Engine::Subscription::leave_composites() {
  counted = counted_now();
  const std::uint64_t revision_now = revision();
  change_ = copy_change(nullptr, {}, memory_);
  end_sharing();
  revision_ = revision_now;
}

SharedChange::Counts Engine::Subscription::shared_counts() const {
  if (composite_ == nullptr) return membership_->change->counts();
  const ReadingTally::Counts counts = composites_->counts(*composite_);
  return {.readings = counts.readings, .no_value = counts.no_value};
}

std::uint64_t Engine::Subscription::shared_held_count() const {
  return composite_ != nullptr ? composites_->held_count(*composite_)
                               : membership_->change->held_count(member());
}

std::uint64_t Engine::Subscription::shared_revision() const {
  return composite_ != nullptr ? composites_->revision(*composite_)
                               : membership_->change->revision();
}

void Engine::Subscription::take_firing(const SharedComposites::Fired& fired,
                                       const event::EventPtr& event, base::Instant now,
                                       match::FiredEvents& events) {
  now = std::max(now, restored_at_);
  composites_->deliver({&fired, 1}, now, events);
  drop_duplicates(events, now);
  ++before_sharing_.readings;
  ++(is_news(events, event) ? counted.passed : counted.duplicate);
  count_delivered(events);
  touch();
}

void Engine::Subscription::take_late_firing(std::span<const SharedComposites::Fired> fired,
                                            base::Instant now, match::FiredEvents& events) {
  composites_->deliver(fired, now, events);
  drop_duplicates(events, now);
  count_delivered(events);
  touch();
}

void Engine::Subscription::settle_composite() {
  if (composite_ == nullptr) return;
  const std::uint64_t held = composites_->take_held_count(*composite_);
  counted.held += held;
  settle_counts(held);
  before_sharing_ = {};
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
  const SharedChange::Counts now = shared_counts();
  counted.no_value += now.no_value - before_sharing_.no_value;
  counted.within_threshold += now.readings - before_sharing_.readings - otherwise;
  overflow_before_sharing_ += now.overflow - before_sharing_.overflow;
  before_sharing_ = now;
}

std::shared_ptr<const match::ChangeFilter> Engine::Subscription::change_for(
    const event::Event* only, base::Instant now) const {
  return is_sharing() ? copy_change(only, now) : change_;
}

// What a copy takes is counted only if an account is given.
std::shared_ptr<match::ChangeFilter> Engine::Subscription::copy_change(
    const event::Event* only, base::Instant now, const base::MemoryAccount::Ptr& memory) const {
  match::ChangeOptions options = change_options_;
  options.memory = memory;
  const bool is_full = membership_ ? only != nullptr && !membership_->change->has_room(*only, now)
                                   : memory_ && memory_->is_exhausted();
  if (only != nullptr && is_full) options.key_count_max = 0;
  auto copy = std::make_shared<match::ChangeFilter>(filter_, options);
  copy->set_overflow_count(state_overflow_of_change());
  if (membership_) membership_->change->copy_state(member(), only, *copy);
  if (composite_) composites_->copy_state(*composite_, only, *copy);
  return copy;
}

std::uint64_t Engine::Subscription::revision() const {
  if (!is_sharing()) return revision_;
  return revision_ + shared_revision() - revision_before_sharing_;
}

SubscriptionCounters Engine::Subscription::counted_now() const {
  SubscriptionCounters counters = counted;
  if (text_ != nullptr) counters.below_score += texts_->below_score(*text_);
  if (!is_sharing()) return counters;
  const SharedChange::Counts now = shared_counts();
  const std::uint64_t held = shared_held_count();
  counters.held += held;
  counters.no_value += now.no_value - before_sharing_.no_value;
  counters.within_threshold += now.readings - before_sharing_.readings - held;
  return counters;
}

void Engine::Subscription::drop_duplicates(match::FiredEvents& fired, base::Instant now) {
  if (window_ == nullptr) return;
  for (match::FiredEvent& one : fired.events) {
    if (one.repeated) continue;
    const std::string key = match::event_key(filter_->distinct()->keys, *one.event);
    one.repeated = !window_->test_and_set(key, now, one.event->sequence());
  }
  const bool has_news =
      std::ranges::any_of(fired.events, std::not_fn(&match::FiredEvent::repeated));
  if (fired.is_group && has_news) return;
  std::erase_if(fired.events, [](const match::FiredEvent& one) { return one.repeated; });
}

std::uint64_t Engine::Subscription::count_delivered(const match::FiredEvents& fired) {
  const auto repeated_count = std::ranges::count_if(fired.events, &match::FiredEvent::repeated);
  const std::uint64_t news = fired.events.size() - static_cast<std::uint64_t>(repeated_count);
  counted.delivered += news;
  return news;
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
  if (membership_) return membership_->change->forget(member(), event, now) || known;
  if (composite_) return composites_->forget(*composite_, event) || known;
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
  if (composite_) return overflow_before_sharing_;
  const std::uint64_t since = membership_->change->counts().overflow - before_sharing_.overflow;
  return overflow_before_sharing_ + since;
}

bool is_news(const match::FiredEvents& fired, const event::EventPtr& event) {
  if (fired.events.empty()) return false;
  const match::FiredEvent& newest = fired.events.back();
  return newest.event == event && !newest.repeated;
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
