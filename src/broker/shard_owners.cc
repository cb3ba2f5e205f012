// SPDX-License-Identifier: Apache-2.0
// Owners of a shard's subscriptions: how they change while the subscriptions stay.
#include <utility>

#include "broker/shard.h"
#include "broker/shard_held.h"

namespace weir::broker {
namespace {

base::Error ended(std::string message) {
  return {base::ErrorId::kBrokerEnded, std::move(message), std::nullopt};
}

}  // namespace

void Shard::forbid_secret(const std::string& lookup) {
  forbidden_secrets_.insert(lookup);
  for (auto& [number, held] : subscriptions_) {
    for (const auto& session : sessions_of(*held)) {
      if (session->principal->lookup != lookup) continue;
      end_session(*held, *session,
                  ended("the secret of the connection's token is not valid any more"));
    }
  }
}

// Takes the filter out of force and keeps what it remembers.
void Shard::park(Held& held) {
  if (!held.engine_id) return;
  auto state = engine_.save(*held.engine_id);
  if (state) held.parked = std::move(*state);
  held.carried = !held.parked.empty();
  held.saved_revision.reset();
  disengage(held);
}

base::Result<void> Shard::resume(Held& held, std::string_view state) {
  const auto id =
      engine_.subscribe(held.subscription.definition->filter(), subscribe_options(held, state));
  if (!id) return id.error();
  held.engine_id = *id;
  held.over_budget_seen = 0;
  held.saved_revision.reset();
  update_window_gauges(held);
  return {};
}

// Old events are read on from where it stands, through the gate of the owner of now.
void Shard::carry_replay(Held& held) {
  auto row = held.replay->save(held.number());
  end_replay(held);
  if (row) return begin_replay(held, std::move(*row));
  held.subscription.gauges->set_trouble("replay: " + row.error().to_string());
}

void Shard::transfer(std::uint64_t number, PrincipalPtr owner, std::shared_ptr<const void> place) {
  Held* const held = find(number);
  if (held == nullptr) return;
  end_sessions(*held, ended("the subscription has another owner now"));
  park(*held);
  ShardSubscription& subscription = held->subscription;
  if (subscription.principal) unwatch(*subscription.principal, number);
  subscription.principal = std::move(owner);
  subscription.owner = subscription.principal->name;
  const std::size_t letter_bytes = held->letter_memory.bytes();
  held->outbox.set_account(context_.memory.account(MemoryPart::kOutboxes, subscription.owner));
  set_accounts(*held, subscription.owner);
  held->letter_memory.grow(letter_bytes);
  [[maybe_unused]] const auto counted =
      count_definition(*held, *subscription.definition, Room::kAnyway);
  subscription.place = std::move(place);
  const bool is_good = check_not_forbidden(*subscription.principal) &&
                       !subscription.principal->has_expired(context_.options.wall_now());
  subscription.gauges->allowed = is_good;
  if (is_good) watch(*subscription.principal, number);
  if (held->replay) {
    carry_replay(*held);
  } else if (is_good) {
    const std::string state = std::exchange(held->parked, {});
    if (!resume(*held, state)) {
      // Of thresholds that were replaced while it was parked, say: then it begins anew.
      held->carried = true;
      subscription.gauges->allowed = resume(*held, {}).has_value();
    }
  }
  update_gauges(*held);
  update_wake();
}

}  // namespace weir::broker
