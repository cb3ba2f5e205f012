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
    std::vector<event::EventPtr> events;
    subscription.take_firing(fired, event, now, events);
    if (!events.empty()) hand_out(id, subscription) = std::move(events);
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
    std::vector<event::EventPtr> events;
    subscription.take_late_firing({first, last}, due, events);
    if (!events.empty()) hand_out(id, subscription) = std::move(events);
    first = last;
  }
}

// It goes on alone, beginning with the event.
void Engine::part_composite(SubscriptionId id, const event::EventPtr& event, base::Instant now) {
  Subscription& subscription = **subscriptions_.find(id);
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
  subscriptions_.for_each([](SubscriptionId, const auto& each) { each->settle_composite(); });
  composites_->clear_tally();
}

}  // namespace weir::engine
