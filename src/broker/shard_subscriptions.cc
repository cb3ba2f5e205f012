// SPDX-License-Identifier: Apache-2.0
// Subscriptions of a shard: how they come, change and go.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "broker/latest.h"
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
  if (principal->grants.may_see_all()) return nullptr;
  if (const auto known = gates_.find(principal.get()); known != gates_.end()) {
    if (auto gate = known->second.lock()) return gate;
  }
  std::erase_if(gates_, [](const auto& gate) { return gate.second.expired(); });
  auto gate = std::make_shared<const engine::Gate>(
      [principal](const event::Event& event) { return principal->grants.may_see(event); });
  gates_[principal.get()] = gate;
  return gate;
}

engine::SubscribeOptions Shard::subscribe_options(const Held& held, std::string_view state) {
  const Definition& definition = *held.subscription.definition;
  return {.initial = definition.initial(),
          .gate = gate_of(held.subscription.principal),
          .tag = held.slot,
          .highlight = definition.highlight(),
          .state = state};
}

// Puts the filter into force, instead of the one before; of an owner without a token: none.
base::Result<void> Shard::engage(Held& held, std::string_view state) {
  if (!held.subscription.gauges->allowed) return {};
  const auto id =
      engine_.subscribe(held.subscription.definition->filter(), subscribe_options(held, state));
  if (!id) return id.error();
  disengage(held);
  held.engine_id = *id;
  held.saved_revision.reset();
  update_window_gauges(held);
  return {};
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
  return held;
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
    if (!all[i].subscription.gauges->allowed) continue;
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
    if (entered.engine_id) update_window_gauges(entered);
    entered.cursor_written = entered.outbox.acknowledged();
    entered.noted_until = all[i].noted_until;
    context_.counters.recovered_deliveries += entered.outbox.size();
  }
  return results;
}

base::Result<Shard::Added> Shard::add(const ShardSubscription& subscription) {
  if (auto checked = check_not_forbidden(*subscription.principal); !checked) return checked.error();
  const Definition& definition = *subscription.definition;
  const Outbox outbox({.policy = definition.policy(), .count_max = definition.outbox_count_max()});
  Latest latest;
  if (definition.asks_for_latest()) {
    latest = latest_of(definition.filter(), gate_of(subscription.principal), recent_,
                       engine_options(), engine_.now());
  }
  auto made = hold(subscription, outbox);
  if (auto engaged = engage(*made, latest.state); !engaged) {
    free_slots_.push_back(made->slot);
    return engaged.error();
  }
  tell(enter(std::move(made)), latest.events);
  update_wake();
  return Added{last_sequence_ + 1, std::move(latest.state)};
}

// Delivers events that came before the subscription.
void Shard::tell(Held& held, const std::vector<event::EventPtr>& events) {
  if (events.empty() || !held.engine_id) return;
  MatchReport report{.batch = last_batch_, .at = engine_.now(), .complete = false, .matches = {}};
  for (const event::EventPtr& event : events) {
    push(held, {.subscription = *held.engine_id, .tag = held.slot, .events = {event}},
         last_sequence_, report.matches);
  }
  context_.counters.matched += events.size();
  if (!report.matches.empty()) context_.host.on_report(std::move(report));
}

base::Result<std::optional<std::uint64_t>> Shard::replace(std::uint64_t number,
                                                          DefinitionPtr definition) {
  Held* const held = find(number);
  if (held == nullptr) {
    return base::Error{base::ErrorId::kBrokerEnded, "the subscription was deleted", std::nullopt};
  }
  const DefinitionPtr before = std::exchange(held->subscription.definition, std::move(definition));
  const Definition& now = *held->subscription.definition;
  const bool goes_on = before->initial() == now.initial() && takes_over(*held, *before->filter());
  if (!goes_on) {
    if (auto engaged = engage(*held, {}); !engaged) {
      held->subscription.definition = before;
      return engaged.error();
    }
  }
  if (held->engine_id) engine_.set_highlight(*held->engine_id, now.highlight());
  held->outbox.set_bounds(now.policy(), now.outbox_count_max());
  update_gauges(*held);
  update_wake();
  if (goes_on) return std::optional<std::uint64_t>();
  return std::optional(last_sequence_ + 1);
}

// Whether the new filter goes on where the one before was: if they are the same, or differ only in
// how far something must move.
bool Shard::takes_over(const Held& held, const filter::Filter& before) {
  const filter::FilterPtr& now = held.subscription.definition->filter();
  if (before.to_text() == now->to_text()) return true;
  if (!held.engine_id) return filter::shape_of(before) == filter::shape_of(*now);
  const auto retuned = engine_.retune(*held.engine_id, now);
  return retuned && *retuned;
}

void Shard::remove(std::uint64_t number, const base::Error& reason) {
  Held* const held = find(number);
  if (held == nullptr) return;
  end_session(*held, reason);
  for (const auto& [waiting_for, done] : held->waiting) done(reason);
  disengage(*held);
  if (const PrincipalPtr& owner = held->subscription.principal) unwatch(*owner, number);
  slots_[held->slot] = nullptr;
  free_slots_.push_back(held->slot);
  std::erase(touched_, held);
  std::erase(stale_, held);
  context_.counters.pending -= held->pending_seen;
  if (held->blocking) --context_.counters.blocking;
  --(held->durable() ? context_.counters.subscriptions_durable
                     : context_.counters.subscriptions_ephemeral);
  subscriptions_.erase(number);
  update_wake();
}

base::Result<void> Shard::check_not_forbidden(const Principal& principal) const {
  if (!forbidden_.contains(principal.name)) return {};
  return base::Error{base::ErrorId::kBrokerUnauthenticated, "the token was revoked", std::nullopt};
}

void Shard::forbid(const std::string& name) {
  forbidden_.insert(name);
  for (auto& [number, held] : subscriptions_) {
    const PrincipalPtr& owner = held->subscription.principal;
    if (owner && owner->name == name) {
      silence(*held, ended("the token of the subscription was revoked"));
    } else if (held->session && held->session->principal->name == name) {
      end_session(*held, ended("the token of the connection was revoked"));
    }
  }
  update_wake();
}

void Shard::silence(Held& held, const base::Error& reason) {
  held.subscription.gauges->allowed = false;
  disengage(held);
  end_session(held, reason);
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

void Shard::silence_expired(base::Instant now) {
  while (!expiries_.empty() && expiries_.begin()->first <= now) {
    Held& held = *find(expiries_.begin()->second);
    expiries_.erase(expiries_.begin());
    if (held.subscription.principal->has_expired(now)) {
      silence(held, ended("the token of the subscription has expired"));
    } else {
      end_session(held, ended("the token of the connection has expired"));
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
  auto explanation = engine_.explain(*(*held)->engine_id, event, context_.options.now());
  if (explanation && !explanation->note.empty()) {
    explanation->note = "the grants of its owner do not cover this event";
  }
  return explanation;
}

base::Result<Shard::Held*> Shard::find_in_force(std::uint64_t number) {
  Held* const held = find(number);
  if (held == nullptr) return ended("the subscription was deleted");
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

void Shard::update_stale_gauges() {
  for (Held* const held : std::exchange(stale_, {})) {
    held->stale = false;
    update_gauges(*held);
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
  update_size_gauges();
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
  context_.counters.pending += outbox.size() - held.pending_seen;
  context_.counters.dropped += outbox.dropped_count() - held.dropped_seen;
  context_.counters.conflated += outbox.conflated_count() - held.conflated_seen;
  held.pending_seen = outbox.size();
  held.dropped_seen = outbox.dropped_count();
  held.conflated_seen = outbox.conflated_count();
  gauges.pending = outbox.size();
  gauges.dropped = outbox.dropped_count();
  gauges.conflated = outbox.conflated_count();
  gauges.acknowledged = outbox.acknowledged();
  update_window_gauges(held);
  const bool blocks = outbox.policy() == OutboxPolicy::kBlock && outbox.is_full() && gauges.allowed;
  if (blocks == held.blocking) return;
  held.blocking = blocks;
  blocks ? ++context_.counters.blocking : --context_.counters.blocking;
}

}  // namespace weir::broker
