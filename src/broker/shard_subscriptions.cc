// SPDX-License-Identifier: Apache-2.0
// Subscriptions of a shard: how they come, change and go.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "broker/known_readings.h"
#include "broker/shard.h"
#include "broker/shard_held.h"
#include "filter/shape.h"

namespace weir::broker {

namespace {

base::Error ended(std::string message) {
  return {base::ErrorId::kBrokerEnded, std::move(message), std::nullopt};
}

}  // namespace

// The gate for events that the owner may not see, one for each owner; none if there are no such
// events.
std::shared_ptr<const engine::Gate> Shard::gate_of(const PrincipalPtr& principal) {
  // A replay that waits for an owner has none yet.
  if (!principal || principal->grants.may_see_all()) return nullptr;
  if (const auto known = gates_.find(principal.get()); known != gates_.end()) {
    if (auto gate = known->second.lock()) return gate;
  }
  std::erase_if(gates_, [](const auto& gate) { return gate.second.expired(); });
  auto gate = std::make_shared<const engine::Gate>(
      [principal](const event::Event& event) { return principal->grants.may_see(event); });
  gates_[principal.get()] = gate;
  return gate;
}

// Whose texts count for the owner's scores: those that it may see, with all owners of such grants.
match::TextVisibilityPtr Shard::visibility_of(const PrincipalPtr& principal) {
  if (!principal || principal->grants.may_see_all()) return nullptr;
  return std::make_shared<const match::TextVisibility>(match::TextVisibility{
      .name = principal->grants.visibility(), .admits = [principal](const event::Event& event) {
        return principal->grants.may_see(event);
      }});
}

engine::SubscribeOptions Shard::subscribe_options(const Held& held, std::string_view state) {
  const Definition& definition = *held.subscription.definition;
  return {.initial = definition.initial(),
          .gate = gate_of(held.subscription.principal),
          .visibility = definition.filter()->text_sources().empty()
                            ? nullptr
                            : visibility_of(held.subscription.principal),
          .tag = held.slot,
          .memory =
              held.subscription.principal
                  ? context_.memory.account(MemoryPart::kFilters, held.subscription.principal->name)
                  : nullptr,
          .owner = work_owner(held),
          .state = state};
}

// Durable subscriptions have a budget apart from streams, which are not there after a restart: so
// that what is too costly does not depend on them.
std::string Shard::work_owner(const Held& held) {
  const PrincipalPtr& principal = held.subscription.principal;
  return (held.durable() ? "durable " : "stream ") + (principal ? principal->name : std::string());
}

// Puts the filter into force, instead of the one before; of an owner without a token: none.
base::Result<Shard::Engaged> Shard::engage(Held& held) {
  Engaged engaged;
  if (!held.subscription.gauges->allowed) {
    held.parked.clear();
    return engaged;
  }
  const Definition& definition = *held.subscription.definition;
  const filter::FilterPtr& filter = definition.filter();
  std::vector<event::EventPtr> known;
  if (definition.asks_for_latest() || is_composite(*filter)) {
    known = known_readings(*filter, gate_of(held.subscription.principal), recent_,
                           context_.options.engine.work_steps_max);
  }
  const auto begun = engine_.subscribe_knowing(
      filter, subscribe_options(held, {}),
      {.events = known, .at = engine_.now(), .is_told = definition.asks_for_latest()});
  if (!begun) return begun.error();
  engaged.told.assign(begun->told.begin(), begun->told.end());
  if (!known.empty()) engaged.state = *engine_.save(begun->id);
  disengage(held);
  held.engine_id = begun->id;
  held.over_budget_seen = 0;
  held.saved_revision.reset();
  update_window_gauges(held);
  return engaged;
}

void Shard::disengage(Held& held) {
  if (!held.engine_id) return;
  forget_window_gauges(held);
  const auto gone = engine_.unsubscribe(*std::exchange(held.engine_id, std::nullopt));
  WEIR_CHECK(gone.has_value());
}

std::unique_ptr<Shard::Held> Shard::hold(const ShardSubscription& subscription, Outbox outbox) {
  auto held = std::make_unique<Held>(subscription, std::move(outbox));
  if (free_slots_.empty()) {
    free_slots_.push_back(slots_.size());
    slots_.push_back(nullptr);
  }
  held->slot = free_slots_.back();
  free_slots_.pop_back();
  set_accounts(*held, subscription.owner);
  set_consumers(*held);
  return held;
}

// The outbox has the account of its owner already.
void Shard::set_accounts(Held& held, const std::string& owner) {
  held.stream_memory = context_.memory.account(MemoryPart::kStreams, owner);
  held.definition_memory = base::MemoryCharge(context_.memory.account(MemoryPart::kFilters, owner));
  held.letter_memory = base::MemoryCharge(context_.memory.account(MemoryPart::kOutboxes, owner));
}

base::Result<void> Shard::count_definition(Held& held, const Definition& definition, Room room) {
  const std::size_t bytes = definition.memory_bytes();
  const std::size_t before = held.definition_memory.bytes();
  if (room == Room::kAnyway || bytes <= before) {
    held.definition_memory.set(bytes);
    return {};
  }
  const base::MemoryAccount* const full = held.definition_memory.try_grow(bytes - before);
  if (full == nullptr) return {};
  return base::Error{base::ErrorId::kBrokerMemory,
                     fmt::format("the definition takes {} bytes of memory, and filters take {} of "
                                 "{} already; subscriptions that are removed make room",
                                 bytes, full->bytes(), full->bytes_max()),
                     std::nullopt};
}

// A subscription that was held, and whose filter is in force.
Shard::Held& Shard::enter(std::unique_ptr<Held> made) {
  Held& held = *made;
  const ShardSubscription& subscription = held.subscription;
  slots_[held.slot] = &held;
  ++(subscription.durable ? context_.counters.subscriptions_durable
                          : context_.counters.subscriptions_ephemeral);
  if (subscription.gauges->allowed) watch(*subscription.principal, subscription.number);
  subscriptions_.emplace(subscription.number, std::move(made));
  return held;
}

std::vector<base::Result<void>> Shard::restore(std::vector<RestoredSubscription> all) {
  std::vector<base::Result<void>> results(all.size());
  std::vector<std::unique_ptr<Held>> held;
  std::vector<engine::NewSubscription> wanted;
  std::vector<std::size_t> wanted_by;  // by index of those
  for (std::size_t i = 0; i < all.size(); ++i) {
    held.push_back(hold(all[i].subscription, std::move(all[i].outbox)));
    if (!all[i].subscription.gauges->allowed || all[i].replay) continue;
    wanted.push_back(
        {all[i].subscription.definition->filter(), subscribe_options(*held.back(), all[i].state)});
    wanted_by.push_back(i);
  }
  const auto ids = engine_.subscribe_all(std::move(wanted));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i]) {
      held[wanted_by[i]]->engine_id = *ids[i];
    } else {
      results[wanted_by[i]] = ids[i].error();
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!results[i]) {
      free_slots_.push_back(held[i]->slot);
      continue;
    }
    Held& entered = enter(std::move(held[i]));
    if (entered.engine_id) {
      update_window_gauges(entered);
    } else {
      entered.parked = std::move(all[i].state);
    }
    [[maybe_unused]] const auto counted =
        count_definition(entered, *entered.subscription.definition, Room::kAnyway);
    entered.losses_told = all[i].losses_told;
    entered.cursor_written = all[i].losses_told.total();
    entered.noted_until = all[i].noted_until;
    if (all[i].replay) begin_replay(entered, std::move(*all[i].replay));
    context_.counters.recovered_deliveries += entered.outbox.size();
  }
  return results;
}

base::Result<Shard::Added> Shard::add(const ShardSubscription& subscription) {
  if (auto checked = check_not_forbidden(*subscription.principal); !checked) return checked.error();
  const Definition& definition = *subscription.definition;
  Outbox outbox({.policy = definition.policy(),
                 .count_max = definition.outbox_count_max(),
                 .memory = context_.memory.account(MemoryPart::kOutboxes, subscription.owner)});
  auto replay = replay_of(definition.start(), subscription.number, 0);
  if (!replay) return replay.error();
  auto made = hold(subscription, std::move(outbox));
  const auto refuse = [&](const base::Error& error) {
    free_slots_.push_back(made->slot);
    return error;
  };
  if (auto counted = count_definition(*made, definition, Room::kNeeded); !counted) {
    return refuse(counted.error());
  }
  if (*replay) {
    Held& held = enter(std::move(made));
    begin_replay(held, **replay);
    return Added{last_sequence_ + 1, {}, cursor_of(held), last_batch_, std::move(*replay)};
  }
  auto engaged = engage(*made);
  if (!engaged) return refuse(engaged.error());
  Held& held = enter(std::move(made));
  tell(held, engaged->told);
  update_wake();
  Added added{last_sequence_ + 1, std::move(engaged->state), std::nullopt, last_batch_};
  if (!engaged->told.empty()) added.cursor = cursor_of(held);
  return added;
}

// Delivers events that came before the subscription.
void Shard::tell(Held& held, const std::vector<engine::Delivery>& deliveries) {
  if (deliveries.empty()) return;
  MatchReport report{
      .batch = last_batch_, .at = engine_.now(), .complete = false, .matches = note_writer()};
  for (const engine::Delivery& delivery : deliveries) {
    push(held, delivery, last_sequence_, report.matches);
  }
  context_.counters.matched += deliveries.size();
  if (!report.matches.empty()) context_.host.on_report(std::move(report));
}

base::Result<Shard::Replaced> Shard::replace(std::uint64_t number, DefinitionPtr definition,
                                             Room room) {
  Held* const held = find(number);
  if (held == nullptr) {
    return base::Error{base::ErrorId::kBrokerEnded, "the subscription was deleted", std::nullopt};
  }
  if (auto counted = count_definition(*held, *definition, room); !counted) {
    return counted.error();
  }
  const DefinitionPtr before = std::exchange(held->subscription.definition, std::move(definition));
  const auto take_back = [&] {
    held->subscription.definition = before;
    [[maybe_unused]] const auto counted = count_definition(*held, *before, Room::kAnyway);
  };
  const Definition& now = *held->subscription.definition;
  const bool starts_elsewhere = now.start() != before->start();
  auto replay =
      replay_of(starts_elsewhere ? now.start() : Start(), number, held->outbox.last_number());
  if (!replay) {
    take_back();
    return replay.error();
  }
  const bool goes_on = !*replay && !(held->replay && starts_elsewhere) &&
                       before->initial() == now.initial() && takes_over(*held, *before->filter());
  Replaced replaced{
      .since_sequence = std::nullopt, .state = {}, .cursor = std::nullopt, .batch = last_batch_};
  if (!goes_on) replaced.since_sequence = last_sequence_ + 1;
  if (*replay) {
    disengage(*held);
    end_replay(*held);
    begin_replay(*held, **replay);
    replaced.replay = std::move(*replay);
  } else if (!goes_on) {
    auto engaged = engage(*held);
    if (!engaged) {
      take_back();
      return engaged.error();
    }
    end_replay(*held);
    replaced.state = std::move(engaged->state);
    tell(*held, engaged->told);
  }
  held->annotator.reset();
  // The cursor also says where the notes on what is pending begin: before the new filter's events.
  if (!goes_on || held->outbox.counts().total() > held->cursor_written) {
    replaced.cursor = cursor_of(*held);
  }
  held->outbox.set_bounds(now.policy(), now.outbox_count_max());
  if (before->shared() != now.shared()) set_consumers(*held);
  update_gauges(*held);
  update_wake();
  return replaced;
}

// Whether the new filter goes on where the one before was: if they are the same, or differ only in
// how far something must move.
bool Shard::takes_over(const Held& held, const filter::Filter& before) {
  const filter::FilterPtr& now = held.subscription.definition->filter();
  if (before.to_text() == now->to_text()) return true;
  if (held.replay) return false;
  if (!held.engine_id) return filter::shape_of(before) == filter::shape_of(*now);
  const auto retuned = engine_.retune(*held.engine_id, now);
  return retuned && *retuned;
}

void Shard::remove(std::uint64_t number, const base::Error& reason) {
  Held* const held = find(number);
  if (held == nullptr) return;
  end_sessions(*held, reason);
  forget_shared_wake(*held);
  for (const auto& [waiting_for, done] : held->waiting) done(reason);
  disengage(*held);
  end_replay(*held);
  if (const PrincipalPtr& owner = held->subscription.principal) unwatch(*owner, number);
  slots_[held->slot] = nullptr;
  free_slots_.push_back(held->slot);
  std::erase(touched_, held);
  std::erase(stale_, held);
  context_.counters.pending -= held->pending_seen;
  context_.counters.in_flight -= held->in_flight_seen;
  if (held->blocking) --context_.counters.blocking;
  --(held->durable() ? context_.counters.subscriptions_durable
                     : context_.counters.subscriptions_ephemeral);
  subscriptions_.erase(number);
  update_wake();
}

base::Result<void> Shard::check_not_forbidden(const Principal& principal) const {
  if (!forbidden_.contains(principal.name) && !forbidden_secrets_.contains(principal.lookup)) {
    return {};
  }
  return base::Error{base::ErrorId::kBrokerUnauthenticated, "the token was revoked", std::nullopt};
}

void Shard::forbid(const std::string& name) {
  forbidden_.insert(name);
  for (auto& [number, held] : subscriptions_) {
    const PrincipalPtr& owner = held->subscription.principal;
    if (owner && owner->name == name) {
      silence(*held, ended("the token of the subscription was revoked"));
      continue;
    }
    for (const auto& session : sessions_of(*held)) {
      if (session->principal->name != name) continue;
      end_session(*held, *session, ended("the token of the connection was revoked"));
    }
  }
  update_wake();
}

void Shard::silence(Held& held, const base::Error& reason) {
  held.subscription.gauges->allowed = false;
  park(held);
  end_sessions(held, reason);
  update_gauges(held);
}

void Shard::watch(const Principal& principal, std::uint64_t number) {
  if (principal.expires) expiries_.emplace(*principal.expires, number);
}

void Shard::unwatch(const Principal& principal, std::uint64_t number) {
  if (!principal.expires) return;
  const auto watched = expiries_.find({*principal.expires, number});
  if (watched != expiries_.end()) expiries_.erase(watched);
}

void Shard::silence_expired() {
  const base::Instant now = context_.options.wall_now();
  while (!expiries_.empty() && expiries_.begin()->first <= now) {
    Held& held = *find(expiries_.begin()->second);
    expiries_.erase(expiries_.begin());
    if (held.subscription.principal->has_expired(now)) {
      silence(held, ended("the token of the subscription has expired"));
      continue;
    }
    for (const auto& session : sessions_of(held)) {
      if (!session->principal->has_expired(now)) continue;
      end_session(held, *session, ended("the token of the connection has expired"));
    }
  }
}

void Shard::forget(std::uint64_t number, const event::EventPtr& event, ForgetDone done) {
  const auto held = find_in_force(number);
  if (!held) return done(held.error());
  // At the time of the last event: the next one may have been given an earlier instant than now.
  const auto forgotten = engine_.forget(*(*held)->engine_id, *event, engine_.now());
  if (!forgotten) return done(forgotten);
  update_window_gauges(**held);
  // Also if there was nothing to forget: another request for that may still wait to be written.
  const auto answer = [done = std::move(done), forgotten](const base::Result<void>& written) {
    if (!written) return done(written.error());
    done(forgotten);
  };
  context_.host.checkpoint_now(answer);
}

base::Result<engine::EventExplanation> Shard::explain(std::uint64_t number,
                                                      const event::EventPtr& event) {
  const auto held = find_in_force(number);
  if (!held) return held.error();
  auto explanation = engine_.explain(*(*held)->engine_id, event, context_.time.now());
  if (explanation && explanation->is_hidden) {
    explanation->note = "the grants of its owner do not cover this event";
  }
  return explanation;
}

base::Result<Shard::Held*> Shard::find_in_force(std::uint64_t number) {
  Held* const held = find(number);
  if (held == nullptr) return ended("the subscription was deleted");
  if (held->replay) {
    return base::Error{base::ErrorId::kBrokerReplaying,
                       "the subscription still reads old events; ask again when it has caught up",
                       std::nullopt};
  }
  if (!held->engine_id) {
    return ended("the owner of the subscription may not receive anything any more");
  }
  return held;
}

Shard::Held* Shard::find(std::uint64_t number) {
  const auto found = subscriptions_.find(number);
  return found == subscriptions_.end() ? nullptr : found->second.get();
}

void Shard::mark_stale(Held& held) {
  if (!std::exchange(held.stale, true)) stale_.push_back(&held);
}

// Updates so many, the ones that have waited longest first.
void Shard::update_stale_gauges(std::size_t count_max) {
  for (; count_max > 0 && !stale_.empty(); --count_max) {
    Held& held = *stale_.front();
    stale_.pop_front();
    held.stale = false;
    update_gauges(held);
  }
}

// Brings the counts of the engine's matcher to where others see them.
void Shard::update_match_gauges() {
  const match::MatchCounters& now = engine_.match_counters();
  Counters& counters = context_.counters;
  counters.match_candidates += now.candidates - match_seen_.candidates;
  counters.match_signature_rejects += now.signature_rejects - match_seen_.signature_rejects;
  counters.match_verified += now.verified - match_seen_.verified;
  counters.match_matches += now.matches - match_seen_.matches;
  counters.match_moves += now.moves - match_seen_.moves;
  counters.match_placements += now.placements - match_seen_.placements;
  match_seen_ = now;
  const engine::ChangeCounters& change = engine_.change_counters();
  counters.change_readings += change.readings - change_seen_.readings;
  counters.change_quiet += change.quiet - change_seen_.quiet;
  counters.change_fired += change.fired - change_seen_.fired;
  change_seen_ = change;
  const match::text::TextCounters text = engine_.text_counters();
  counters.text_scanned += text.scanned - text_seen_.scanned;
  counters.text_verified += text.verified - text_seen_.verified;
  counters.text_matched += text.matched - text_seen_.matched;
  text_seen_ = text;
  const match::WorkCounters work = engine_.work_counters();
  counters.work_steps += work.steps - work_seen_.steps;
  counters.over_budget += work.cut_count - work_seen_.cut_count;
  const bool has_cut = work.cut_count != work_seen_.cut_count;
  work_seen_ = work;
  if (has_cut) tell_over_budget();
  update_size_gauges();
}

// Says which subscriptions could not judge events, since these were too costly for their owner.
void Shard::tell_over_budget() {
  for (auto& [number, held] : subscriptions_) {
    if (!held->engine_id) continue;
    const std::uint64_t now = engine_.over_budget(*held->engine_id);
    const std::uint64_t before = std::exchange(held->over_budget_seen, now);
    if (now <= before) continue;
    held->subscription.gauges->over_budget += now - before;
    context_.losses.add(held->subscription.id, LossKind::kOverBudget, now - before);
  }
}

void Shard::update_size_gauges() {
  const match::MatchSizes now = engine_.match_sizes();
  const match::MatchSizes before = std::exchange(sizes_seen_, now);
  Counters& counters = context_.counters;
  counters.match_conjunctions += now.conjunctions - before.conjunctions;
  counters.match_unindexed += now.unindexed - before.unindexed;
  counters.match_always += now.always - before.always;
  // To add up the memory takes a while: only when subscriptions have come or gone in numbers.
  const std::size_t size = engine_.subscription_count();
  const std::size_t seen = memory_seen_.subscription_count;
  if (std::max(size, seen) - std::min(size, seen) > seen / 16) update_memory_gauges();
}

void Shard::update_memory_gauges() {
  const engine::EngineMemory now = engine_.memory();
  const engine::EngineMemory before = std::exchange(memory_seen_, now);
  Counters& counters = context_.counters;
  counters.matcher_bytes += now.matcher_bytes - before.matcher_bytes;
  counters.text_filters += now.text_filter_count - before.text_filter_count;
  counters.text_bytes += now.text_bytes - before.text_bytes;
  counters.change_bytes += now.shared_change_bytes - before.shared_change_bytes;
  counters.change_sources += now.shared_source_count - before.shared_source_count;
  counters.change_pieces += now.shared_piece_count - before.shared_piece_count;
}

// Brings the counts of a window to where others see them.
void Shard::update_window_gauges(Held& held) {
  if (!held.engine_id) return;
  const auto stats = engine_.distinct_stats(*held.engine_id);
  if (!stats || !*stats) return;
  const match::DistinctStats& now = **stats;
  const match::DistinctStats before = std::exchange(held.window_seen, now);
  Counters& counters = context_.counters;
  counters.window_keys += now.key_count - before.key_count;
  counters.window_bytes += now.memory_bytes - before.memory_bytes;
  counters.window_hits += now.hits - std::min(now.hits, before.hits);
  counters.window_refuted_hits +=
      now.refuted_hits - std::min(now.refuted_hits, before.refuted_hits);
  counters.window_overflow += now.overflow - std::min(now.overflow, before.overflow);
  held.subscription.gauges->set_window(now);
}

// What is gone is not counted any more.
void Shard::forget_window_gauges(Held& held) {
  const match::DistinctStats before = std::exchange(held.window_seen, {});
  context_.counters.window_keys -= before.key_count;
  context_.counters.window_bytes -= before.memory_bytes;
  held.subscription.gauges->set_window(std::nullopt);
}

// Brings the counts of an outbox to where others see them, and stops or frees the publishers.
void Shard::update_gauges(Held& held) {
  const Outbox& outbox = held.outbox;
  SubscriptionGauges& gauges = *held.subscription.gauges;
  const store::SettledCounts& now = outbox.counts();
  const store::SettledCounts before = std::exchange(held.settled_seen, now);
  Counters& counters = context_.counters;
  counters.pending += outbox.size() - held.pending_seen;
  if (held.durable()) counters.acknowledged += now.acknowledged - before.acknowledged;
  counters.dropped += now.dropped - before.dropped;
  counters.expired += now.expired - before.expired;
  counters.conflated += now.conflated - before.conflated;
  counters.buried += now.dead_letters - before.dead_letters;
  counters.withheld += now.withheld - before.withheld;
  held.pending_seen = outbox.size();
  gauges.set_counts({.deliveries = outbox.last_number(),
                     .pending = outbox.size(),
                     .settled_through = outbox.settled_through(),
                     .settled = now});
  tell_losses(held);
  update_shared_gauges(held);
  update_window_gauges(held);
  const bool blocks = outbox.policy() == OutboxPolicy::kBlock && outbox.is_full() && gauges.allowed;
  if (blocks == held.blocking) return;
  held.blocking = blocks;
  blocks ? ++context_.counters.blocking : --context_.counters.blocking;
}

}  // namespace weir::broker
