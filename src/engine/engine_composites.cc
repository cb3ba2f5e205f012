// SPDX-License-Identifier: Apache-2.0
// How an engine treats filters of several changes: in one trigger index.
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
    Subscription& subscription = *subscriptions_.find(id)->second;
    std::vector<event::EventPtr> events;
    subscription.take_firing(fired, event, now, events);
    if (!events.empty()) hand_out(id, subscription) = std::move(events);
  }
  if (composites_->tally().is_full()) settle_composites();
}

// It goes on alone, beginning with the event.
void Engine::part_composite(SubscriptionId id, const event::EventPtr& event, base::Instant now) {
  Subscription& subscription = *subscriptions_.find(id)->second;
  subscription.leave_composites();
  matcher_->add(id, subscription.filter_ptr());
  const auto& all = subscription.filter().normal_form().conjunctions;
  std::vector<std::uint32_t> conjunctions;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (match::holds(all[i], *event, *scorer_)) conjunctions.push_back(i);
  }
  deliver_one(id, subscription, conjunctions, event, now);
}

void Engine::settle_composites() {
  for (const auto& [id, subscription] : subscriptions_) subscription->settle_composite();
  composites_->tally().clear();
}

}  // namespace weir::engine
