// SPDX-License-Identifier: Apache-2.0
// How an engine treats filters of several changes: in one trigger index.
#include <utility>

#include "engine/shared_composites.h"
#include "engine/subscription.h"

namespace weir::engine {

void Engine::share_composite(SubscriptionId id, Subscription& subscription,
                             match::Initial initial) {
  if (!SharedComposites::takes(subscription.filter(), options_)) return;
  subscription.share(id, initial, *composites_);
}

void Engine::deliver_composites(std::span<const match::Match> matches, const event::EventPtr& event,
                                base::Instant now) {
  const match::CompositeFiring& firing = composites_->update(matches, event, now, scorer_);
  for (const match::TakenLeaf& taken : firing.taken) {
    subscriptions_.find(SubscriptionId{taken.id})->second->take_first(taken.place, now);
  }
  for (const match::FiredComposite& fired : firing.composites) {
    const SubscriptionId id{fired.id};
    Subscription& subscription = *subscriptions_.find(id)->second;
    const auto conjunctions =
        std::span(firing.conjunctions).subspan(fired.begin, fired.end - fired.begin);
    std::vector<event::EventPtr> events;
    subscription.take_firing(conjunctions, event, now, events);
    if (!events.empty()) hand_out(id, subscription) = std::move(events);
  }
  if (composites_->tally().is_full()) settle_composites();
}

void Engine::settle_composites() {
  for (const auto& [id, subscription] : subscriptions_) subscription->settle_composite();
  composites_->tally().clear();
}

}  // namespace weir::engine
