// SPDX-License-Identifier: Apache-2.0
// How an engine treats filters of several changes: in one trigger index.
#include <algorithm>
#include <utility>

#include "engine/shared_composites.h"
#include "engine/subscription.h"
#include "match/brute_force.h"

namespace weir::engine {

void Engine::share_composite(SubscriptionId id, Subscription& subscription,
                             match::Initial initial) {
  if (!SharedComposites::takes(subscription.filter(), options_)) return;
  subscription.share(id, initial, *composites_);
}

void Engine::deliver_composites(std::span<const match::Match> matches, const event::EventPtr& event,
                                base::Instant now) {
  for (const CompositeMember* const member : composites_->read(matches, event, now, *scorer_)) {
    part_composite(member->id, event, now);
  }
  for (const SharedComposites::Fired& fired : composites_->update(now)) {
    const SubscriptionId id = fired.instance->member->id;
    Subscription& subscription = **subscriptions_.find(id);
    match::FiredEvents events;
    subscription.take_firing(fired, event, now, events);
    if (!events.events.empty()) hand_out(id, subscription, std::move(events));
  }
  if (composites_->is_tally_full()) settle_composites();
}

void Engine::deliver_due_composites() {
  const base::Instant due = *composites_->next_wake();
  const std::span<const SharedComposites::Fired> fired = composites_->advance();
  const auto member_of = [](const SharedComposites::Fired& one) { return one.instance->member; };
  for (auto first = fired.begin(); first != fired.end();) {
    const auto last = std::ranges::find_if(
        first, fired.end(), [&](const auto& one) { return member_of(one) != member_of(*first); });
    const SubscriptionId id = member_of(*first)->id;
    Subscription& subscription = **subscriptions_.find(id);
    match::FiredEvents events;
    subscription.take_late_firing({first, last}, due, events);
    if (!events.events.empty()) hand_out(id, subscription, std::move(events));
    first = last;
  }
}

// It goes on alone, beginning with the event.
void Engine::part_composite(SubscriptionId id, const event::EventPtr& event, base::Instant now) {
  Subscription& subscription = **subscriptions_.find(id);
  subscription.leave_composites();
  matcher_->add(id, subscription.filter_ptr());
  const auto conjunctions = match::holding(subscription.filter(), *event, *scorer_);
  deliver_one(id, subscription, conjunctions, event, now);
}

// Events that it is told of at once count as if they had been published to it.
void Engine::begin(SubscriptionId id, Subscription& subscription, const KnownEvents& known) {
  const base::Instant now = clamp(known.at);
  match::ChangeFilter& change = *subscription.change();
  for (const event::EventPtr& event : known.events) {
    if (!subscription.admits(*event)) continue;
    change.learn(match::holding(subscription.filter(), *event, *scorer_), event, now, *scorer_);
  }
  if (!known.is_told) return;
  for (match::FiredEvents& fired : change.begin(now, *scorer_)) {
    subscription.drop_duplicates(fired, now);
    const std::uint64_t news = subscription.count_delivered(fired);
    subscription.counted.passed += news;
    subscription.published_before -= news;
    if (!fired.events.empty()) hand_out(id, subscription, std::move(fired));
  }
}

void Engine::settle_composites() {
  subscriptions_.for_each([](SubscriptionId, const auto& each) { each->settle_composite(); });
  composites_->clear_tally();
}

}  // namespace weir::engine
