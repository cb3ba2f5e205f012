// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "engine/shared_change.h"
#include "engine/shared_composites.h"
#include "engine/shared_text.h"
#include "engine/subscription.h"
#include "match/brute_force.h"
#include "match/content_matcher.h"
#include "match/event_key.h"

namespace weir::engine {
namespace {

constexpr std::size_t kKeysPerSlice = 512;  // that work() works on

std::uint64_t& count_of(SubscriptionCounters& counters, Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return counters.passed;
    case Outcome::kBelowScore:
      return counters.below_score;
    case Outcome::kNoValue:
      return counters.no_value;
    case Outcome::kWithinThreshold:
      return counters.within_threshold;
    case Outcome::kHeld:
      return counters.held;
    case Outcome::kDuplicate:
      return counters.duplicate;
    case Outcome::kNoMatch:
      break;
  }
  return counters.no_match;
}

void add(SubscriptionCounters& sum, const SubscriptionCounters& part) {
  sum.published += part.published;
  sum.passed += part.passed;
  sum.no_match += part.no_match;
  sum.below_score += part.below_score;
  sum.no_value += part.no_value;
  sum.within_threshold += part.within_threshold;
  sum.held += part.held;
  sum.duplicate += part.duplicate;
  sum.delivered += part.delivered;
  sum.state_overflow += part.state_overflow;
  sum.over_budget += part.over_budget;
}

}  // namespace

Engine::Engine(EngineOptions options)
    : options_(std::move(options)),
      meter_(std::make_unique<match::WorkMeter>(options_.work_steps_max)),
      matcher_(std::make_unique<match::ContentMatcher>(bloom::best_isa(), meter_.get())),
      scorer_(
          std::make_unique<match::TextScorer>(options_.text, options_.corpus, options_.text_score)),
      texts_(std::make_unique<SharedText>(matcher_.get(), scorer_.get(), meter_.get())),
      composites_(std::make_unique<SharedComposites>(matcher_.get(), meter_.get(), options_)) {
  for (const auto& counts : options_.corpora) scorer_->preload(counts);
  scorer_->set_shares_part(options_.text_shares_part);
  if (options_.dedup_window) {
    const bool is_exact = options_.dedup_false_positives == 0;
    ingest_ = match::make_distinct_window(
        {.within = *options_.dedup_window,
         .key_count_max = options_.dedup_key_count_max,
         .mode = is_exact ? match::DistinctMode::kExact : match::DistinctMode::kApproximate,
         .false_positives_max = options_.dedup_false_positives,
         .seed = options_.hash_seed});
  }
}

Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

base::Result<SubscriptionId> Engine::subscribe(std::string_view filter, SubscribeOptions options) {
  auto parsed = filter::Filter::parse(filter);
  if (!parsed) return parsed.error();
  return subscribe(*parsed, std::move(options));
}

base::Result<SubscriptionId> Engine::subscribe(const filter::FilterPtr& filter,
                                               SubscribeOptions options) {
  const auto entered = enter(filter, std::move(options));
  if (!entered) return entered.error();
  if (entered->is_for_matcher) matcher_->add(entered->id, filter);
  return entered->id;
}

base::Result<Engine::Begun> Engine::subscribe_knowing(const filter::FilterPtr& filter,
                                                      SubscribeOptions options,
                                                      const KnownEvents& known) {
  delivery_count_ = 0;
  const auto entered = enter(filter, std::move(options), known);
  if (!entered) return entered.error();
  if (entered->is_for_matcher) matcher_->add(entered->id, filter);
  return Begun{entered->id, handed_out()};
}

std::vector<base::Result<SubscriptionId>> Engine::subscribe_all(
    std::vector<NewSubscription> wanted) {
  std::vector<base::Result<SubscriptionId>> results;
  std::vector<match::Addition> additions;
  results.reserve(wanted.size());
  for (NewSubscription& one : wanted) {
    const auto entered = enter(one.filter, std::move(one.options));
    if (!entered) {
      results.emplace_back(entered.error());
      continue;
    }
    results.emplace_back(entered->id);
    if (entered->is_for_matcher) additions.push_back({entered->id, std::move(one.filter)});
  }
  matcher_->add_all(additions);
  return results;
}

// All but that the matcher finds it.
base::Result<Engine::Entered> Engine::enter(const filter::FilterPtr& filter,
                                            SubscribeOptions options, const KnownEvents& known) {
  if (subscriptions_.size() >= options_.subscription_count_max) {
    return base::Error{base::ErrorId::kEngineTooManySubscriptions,
                       fmt::format("there are {} subscriptions already, the limit",
                                   options_.subscription_count_max),
                       std::nullopt};
  }
  const std::string_view state = options.state;
  const match::Initial initial = options.initial;
  const match::TextVisibilityPtr visibility = options.visibility;
  const base::MemoryAccount::Ptr memory = options.memory;
  const match::WorkBudgetPtr budget = meter_->budget(options.owner);
  auto made =
      std::make_unique<Subscription>(filter, options_, std::move(options), published_, budget);
  if (!state.empty()) {
    if (auto restored = made->restore(state); !restored) return restored.error();
  }
  if (auto ready = scorer_->add(*filter, visibility, memory, budget); !ready) return ready.error();
  const SubscriptionId id{++last_id_};
  if (made->is_costly()) meter_->add(id, budget);
  Subscription& subscription = **subscriptions_.add(id, std::move(made));
  if (!known.events.empty()) begin(id, subscription, known);
  share(id, subscription, initial);
  const bool is_for_matcher = !subscription.is_sharing() && !shares_text(id, subscription);
  if (subscription.change() != nullptr) reschedule(id, subscription);
  return Entered{id, is_for_matcher};
}

base::Result<void> Engine::unsubscribe(SubscriptionId id) {
  const auto found = find(id);
  if (!found) return found.error();
  Subscription& subscription = **found;
  if (subscription.wake) wakes_.erase({*subscription.wake, id});
  add(ended_, counters_of(subscription));
  if (subscription.is_sharing()) {
    end_sharing(subscription);
  } else {
    displace(id, subscription);
  }
  scorer_->remove(subscription.filter(), subscription.budget());
  meter_->remove(id);
  subscriptions_.remove(id);
  return {};
}

// Whether events find it by its text, if that can be shared.
bool Engine::shares_text(SubscriptionId id, Subscription& subscription) {
  if (subscription.filter().abouts().empty()) return false;
  subscription.share_text(
      texts_->join(id, subscription.filter(), subscription.gate(), subscription.budget()), *texts_);
  if (!subscription.is_text_shared()) with_text_.insert(id);
  return subscription.is_text_shared();
}

void Engine::displace(SubscriptionId id, Subscription& subscription) {
  if (subscription.is_text_shared()) return subscription.end_sharing_text();
  with_text_.erase(id);
  matcher_->remove(id);
}

std::span<const Delivery> Engine::publish(const event::EventPtr& event, base::Instant now) {
  delivery_count_ = 0;
  now = clamp(now);
  deliver_due(now);
  ++counters_.received;
  if (is_ingest_duplicate(*event, now)) {
    ++counters_.ingest_duplicates;
    return handed_out();
  }
  ++published_;
  meter_->begin();
  scorer_->begin(*event, now);
  matches_.clear();
  matcher_->match(*event, *scorer_, matches_);
  texts_->resolve(*event, matches_);
  charge_matches(*event);
  drop_unpaid();
  count_below_score(matches_, *event);
  deliver_matches(matches_, event, now);
  composites_->work(options_.composite_keys_per_event, now, *scorer_);
  return handed_out();
}

std::span<const Delivery> Engine::advance(base::Instant now) {
  delivery_count_ = 0;
  deliver_due(clamp(now));
  return handed_out();
}

bool Engine::has_work() const { return composites_->has_work(); }

void Engine::work() { composites_->work(kKeysPerSlice, now_, *scorer_); }

base::Result<bool> Engine::forget(SubscriptionId id, const event::Event& event, base::Instant now) {
  const auto found = find(id);
  if (!found) return found.error();
  Subscription& subscription = **found;
  auto forgotten = subscription.forget(event, std::max(clamp(now), subscription.restored_at()));
  if (subscription.change() != nullptr) reschedule(id, subscription);
  if (subscription.membership()) reschedule_share(subscription.membership()->number);
  return forgotten;
}

std::optional<base::Instant> Engine::next_wake() const {
  std::optional<base::Instant> wake = composites_->next_wake();
  const auto add = [&](const auto& wakes) {
    if (wakes.empty()) return;
    const base::Instant first = wakes.begin()->first;
    wake = wake ? std::min(*wake, first) : first;
  };
  add(wakes_);
  add(share_wakes_);
  return wake;
}

base::Instant Engine::clamp(base::Instant now) {
  if (now < now_) ++counters_.clock_backward;
  now_ = std::max(now_, now);
  return now_;
}

bool Engine::is_ingest_duplicate(const event::Event& event, base::Instant now) {
  static const std::vector<filter::Operand> kIdentity = {{event::Path::attribute("source")},
                                                         {event::Path::attribute("id")}};
  return ingest_ != nullptr &&
         !ingest_->test_and_set(match::event_key(kIdentity, event), now, event.sequence());
}

void Engine::deliver_due(base::Instant now) {
  for (auto due = next_wake(); due && *due <= now; due = next_wake()) {
    if (!share_wakes_.empty() && share_wakes_.begin()->first == *due) {
      deliver_due_shared();
    } else if (composites_->next_wake() == due) {
      deliver_due_composites();
    } else {
      deliver_due_alone();
    }
  }
}

void Engine::deliver_due_alone() {
  const auto [due, id] = *wakes_.begin();
  Subscription& subscription = **subscriptions_.find(id);
  match::FiredEvents fired;
  subscription.change()->advance(due, *scorer_, fired);
  reschedule(id, subscription);
  subscription.drop_duplicates(fired, due);
  subscription.count_delivered(fired);
  subscription.touch();
  if (fired.events.empty()) return;
  match::TextFinding text = subscription.take_finding(fired.events.back().event);
  hand_out(id, subscription, std::move(fired));
  deliveries_[delivery_count_ - 1].text = std::move(text);
}

// Matches come sorted, so that a subscription's conjunctions stand side by side.
void Engine::deliver_matches(const Matches& matches, const event::EventPtr& event,
                             base::Instant now) {
  std::vector<std::uint32_t> conjunctions;
  for (auto match = matches.begin(); match != matches.end();) {
    const SubscriptionId id = match->subscription;
    if (id.value >= CompositeStreams::kMatcherIdMin) {
      return deliver_composites({match, matches.end()}, event, now);
    }
    if (id.value >= kShareNumberMin) {
      deliver_share((match++)->subscription.value, event, now);
      continue;
    }
    conjunctions.clear();
    for (; match != matches.end() && match->subscription == id; ++match) {
      conjunctions.push_back(match->conjunction);
    }
    Subscription& subscription = **subscriptions_.find(id);
    if (subscription.has_state()) {
      deliver_one(id, subscription, conjunctions, event, now);
    } else {
      deliver_plain(id, subscription, event);
    }
  }
}

// To a filter that remembers nothing.
void Engine::deliver_plain(SubscriptionId id, Subscription& subscription,
                           const event::EventPtr& event) {
  if (!subscription.admits(*event)) return;
  ++subscription.counted.passed;
  ++subscription.counted.delivered;
  hand_out(id, subscription).events.assign(1, event);
  annotate(subscription, event);
}

void Engine::deliver_one(SubscriptionId id, Subscription& subscription,
                         const std::vector<std::uint32_t>& conjunctions,
                         const event::EventPtr& event, base::Instant now) {
  if (!subscription.admits(*event)) return;
  now = std::max(now, subscription.restored_at());
  match::FiredEvents fired;
  Outcome outcome = Outcome::kPassed;
  if (match::ChangeFilter* const change = subscription.change()) {
    outcome = outcome_of(change->update(conjunctions, event, now, *scorer_, fired));
    reschedule(id, subscription);
  } else {
    fired.events.push_back({event});
  }
  subscription.drop_duplicates(fired, now);
  const bool dropped = !is_news(fired, event);
  if (outcome == Outcome::kPassed && dropped) outcome = Outcome::kDuplicate;
  if (outcome != Outcome::kNoMatch) {
    ++count_of(subscription.counted, outcome);
    subscription.touch();
  }
  subscription.count_delivered(fired);
  if (outcome == Outcome::kHeld && !subscription.filter().abouts().empty()) {
    subscription.hold_finding(event, scorer_->finding(subscription.filter(), *event));
  }
  if (fired.events.empty()) return;
  hand_out(id, subscription, std::move(fired));
  annotate(subscription, event);
}

void Engine::annotate(const Subscription& subscription, const event::EventPtr& event) {
  if (subscription.filter().abouts().empty()) return;
  Delivery& delivery = deliveries_[delivery_count_ - 1];
  if (delivery.events.back() != event) return;
  delivery.text = scorer_->finding(subscription.filter(), *event);
}

// For what is done with the event once it has matched. Small events are not worth a look.
void Engine::charge_matches(const event::Event& event) {
  with_long_keys_.clear();
  if (event.json().size() <= match::steps::kLongKeyBytes) return;
  const SubscriptionId* before = nullptr;
  for (const match::Match& match : matches_) {
    if (before == nullptr || *before != match.subscription) charge_match(match.subscription, event);
    before = &match.subscription;
  }
}

void Engine::charge_match(SubscriptionId id, const event::Event& event) {
  const filter::Filter* filter = nullptr;
  match::WorkBudget* budget = nullptr;
  std::uint64_t cost = 0;
  if (id.value >= CompositeStreams::kMatcherIdMin) {
    budget = composites_->budget(id);
    if (budget != nullptr) cost = match::long_key_steps(composites_->keys(id), event);
  } else if (id.value >= kShareNumberMin) {
    const Share& share = shares_.at(id.value);
    filter = share.change->filter().get();
    budget = share.budget.get();
  } else {
    const Subscription& subscription = **subscriptions_.find(id);
    filter = &subscription.filter();
    budget = subscription.budget().get();
    if (budget != nullptr) subscription.charge_text_changes(*scorer_);
  }
  if (budget == nullptr) return;
  if (filter != nullptr) {
    budget->charge(match::condition_steps(*filter, event));
    cost = match::long_key_steps(*filter, event);
  }
  if (cost == 0) return;
  budget->charge(cost);
  with_long_keys_.emplace(id, budget);
}

// An event that is too costly for an owner matches none of its costly filters.
void Engine::drop_unpaid() {
  if (!meter_->is_anybody_over()) return;
  std::erase_if(matches_, [&](const match::Match& match) {
    const match::WorkBudget* const payer = meter_->payer(match.subscription);
    if (payer != nullptr && payer->is_over()) return true;
    const auto keys = with_long_keys_.find(match.subscription);
    return keys != with_long_keys_.end() && keys->second->is_over();
  });
  for (const auto& [id, budget] : with_long_keys_) {
    if (budget->is_over()) budget->note_long_keys();
  }
}

void Engine::count_below_score(const Matches& matches, const event::Event& event) {
  for (const SubscriptionId id : with_text_) {
    if (std::ranges::binary_search(matches, id, {}, &match::Match::subscription)) continue;
    Subscription& subscription = **subscriptions_.find(id);
    if (!subscription.can_count_below_score(event)) continue;
    if (!match::holds_but_for_score(subscription.filter(), event, *scorer_)) continue;
    if (!subscription.admits(event)) continue;
    ++subscription.counted.below_score;
    subscription.touch();
  }
}

void Engine::reschedule(SubscriptionId id, Subscription& subscription) {
  const std::optional<base::Instant> wake = subscription.change()->next_wake();
  if (wake == subscription.wake) return;
  if (subscription.wake) wakes_.erase({*subscription.wake, id});
  if (wake) wakes_.insert({*wake, id});
  subscription.wake = wake;
}

Delivery& Engine::hand_out(SubscriptionId id, const Subscription& subscription) {
  ++counters_.deliveries;
  if (delivery_count_ == deliveries_.size()) deliveries_.emplace_back();
  Delivery& delivery = deliveries_[delivery_count_++];
  delivery.subscription = id;
  delivery.tag = subscription.tag();
  delivery.events.clear();
  delivery.is_group = false;
  delivery.repeated.clear();
  delivery.text = {};
  return delivery;
}

void Engine::hand_out(SubscriptionId id, const Subscription& subscription,
                      match::FiredEvents fired) {
  Delivery& delivery = hand_out(id, subscription);
  delivery.is_group = fired.is_group || fired.events.size() > 1;
  for (match::FiredEvent& one : fired.events) {
    if (one.repeated) {
      delivery.repeated.push_back(static_cast<std::uint32_t>(delivery.events.size()));
    }
    delivery.events.push_back(std::move(one.event));
  }
}

SubscriptionCounters Engine::counters_of(const Subscription& subscription) const {
  SubscriptionCounters counters = subscription.counted_now();
  counters.published = published_ - subscription.published_before;
  counters.no_match = counters.published - counters.passed - counters.below_score -
                      counters.no_value - counters.within_threshold - counters.held -
                      counters.duplicate;
  counters.state_overflow = subscription.state_overflow();
  counters.over_budget = subscription.over_budget();
  return counters;
}

EngineCounters Engine::counters() const {
  EngineCounters counters = counters_;
  counters.outcomes = ended_;
  subscriptions_.for_each([&](SubscriptionId, const auto& subscription) {
    add(counters.outcomes, counters_of(*subscription));
  });
  return counters;
}

base::Result<SubscriptionCounters> Engine::counters(SubscriptionId id) const {
  const auto found = find(id);
  if (!found) return found.error();
  return counters_of(**found);
}

std::uint64_t Engine::over_budget(SubscriptionId id) const {
  const auto* const found = subscriptions_.find(id);
  return found == nullptr ? 0 : (*found)->over_budget();
}

base::Result<std::optional<match::DistinctStats>> Engine::distinct_stats(SubscriptionId id) const {
  const auto found = find(id);
  if (!found) return found.error();
  return (*found)->distinct_stats();
}

base::Result<Engine::Subscription*> Engine::find(SubscriptionId id) const {
  if (const auto* const found = subscriptions_.find(id)) return found->get();
  return base::Error{base::ErrorId::kEngineNoSuchSubscription,
                     fmt::format("there is no subscription {}", id.value), std::nullopt};
}

}  // namespace weir::engine
