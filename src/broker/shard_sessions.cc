// SPDX-License-Identifier: Apache-2.0
// Sessions of a shard: deliveries go out as credit allows, acknowledgements come in.
#include <algorithm>
#include <utility>

#include "broker/logged_event.h"
#include "broker/shard.h"
#include "broker/shard_held.h"
#include "event/annotation.h"

namespace weir::broker {
namespace {

constexpr std::size_t kDispatchBytesMax = std::size_t{1} << 20U;

base::Error ended(std::string message) {
  return {base::ErrorId::kBrokerEnded, std::move(message), std::nullopt};
}

}  // namespace

void ShardSession::add_credit(std::uint64_t delivery_count) { say({.credit = delivery_count}); }

void ShardSession::acknowledge(std::uint64_t number) { say({.acknowledged = number}); }

void ShardSession::say(const Said& more) {
  {
    const std::scoped_lock lock(mutex_);
    said_.credit += std::min(more.credit, UINT64_MAX - said_.credit);
    said_.acknowledged = std::max(said_.acknowledged, more.acknowledged);
    if (std::exchange(is_posted_, true)) return;
  }
  shard_->post([self = shared_from_this()] { self->hear(); });
}

void ShardSession::hear() {
  Said said;
  {
    const std::scoped_lock lock(mutex_);
    said = std::exchange(said_, {});
    is_posted_ = false;
  }
  if (said.acknowledged > 0) shard_->acknowledge(*this, said.acknowledged);
  if (said.credit > 0) shard_->add_credit(*this, said.credit);
}

void ShardSession::bury(std::uint64_t number, std::string reason) {
  shard_->post([self = shared_from_this(), number, reason = std::move(reason)]() mutable {
    self->shard_->bury(*self, number, std::move(reason));
  });
}

void ShardSession::close() {
  shard_->post([self = shared_from_this()] { self->shard_->detach(*self); });
}

void Shard::attach(const std::shared_ptr<ShardSession>& session,
                   std::optional<std::uint64_t> acknowledged) {
  Held* const held = find(session->subscription);
  if (held == nullptr || !held->subscription.gauges->allowed) {
    return session->consumer->on_end(ended("the subscription was deleted or its token revoked"));
  }
  if (const auto checked = check_not_forbidden(*session->principal); !checked) {
    return session->consumer->on_end(checked.error());
  }
  if (acknowledged && !release(*held, *acknowledged)) {
    return session->consumer->on_end({base::ErrorId::kBrokerAcknowledge,
                                      "delivery " + std::to_string(*acknowledged) +
                                          " was never sent; the last one was " +
                                          std::to_string(held->outbox.last_number()),
                                      std::nullopt});
  }
  end_session(*held, {base::ErrorId::kBrokerTaken,
                      "another connection has taken the subscription over", std::nullopt});
  held->session = session;
  watch(*session->principal, session->subscription);
  update_wake();
  held->outbox.rewind();
  held->subscription.gauges->connected = true;
  session->open = true;
  ++context_.counters.sessions;
  session->consumer->on_begin();
  touch(*held);
}

// Null if there was none.
std::shared_ptr<ShardSession> Shard::close_session(Held& held) {
  std::shared_ptr<ShardSession> session = std::exchange(held.session, nullptr);
  if (!session) return session;
  session->open = false;
  unwatch(*session->principal, held.number());
  held.subscription.gauges->connected = false;
  --context_.counters.sessions;
  return session;
}

void Shard::end_session(Held& held, const base::Error& reason) {
  const std::shared_ptr<ShardSession> session = close_session(held);
  if (!session) return;
  session->consumer->on_end(reason);
  if (held.durable()) return;
  post([this, number = held.number()] { remove(number, ended("the connection ended")); });
}

void Shard::detach(ShardSession& session) {
  if (!session.open) return;
  Held* const held = find(session.subscription);
  close_session(*held);
  if (!held->durable()) remove(held->number(), ended("the connection ended"));
}

void Shard::add_credit(ShardSession& session, std::uint64_t count) {
  if (!session.open) return;
  session.credit += std::min(count, UINT64_MAX - session.credit);
  touch(*find(session.subscription));
}

// A subscription with something new; looked at after the task at hand.
void Shard::touch(Held& held) {
  if (std::exchange(held.touched, true)) return;
  touched_.push_back(&held);
}

void Shard::pump_touched() {
  while (!touched_.empty()) {
    Held& held = *touched_.back();
    touched_.pop_back();
    held.touched = false;
    mark_stale(held);
    if (held.outbox.policy() == OutboxPolicy::kBlock) update_gauges(held);
    pump(held);
  }
}

void Shard::pump(Held& held) {
  if (!held.session || held.session->credit == 0 || !held.outbox.has_unsent()) return;
  ShardSession& session = *held.session;
  const base::Instant now = context_.options.now();
  if (held.subscription.principal->has_expired(now) || session.principal->has_expired(now)) {
    return end_session(held, ended("the token has expired"));
  }
  const auto entries = held.outbox.peek(
      std::min<std::uint64_t>(session.credit, context_.options.dispatch_count_max));
  if (entries.empty()) return;
  std::uint64_t through_number = 0;
  auto dispatches = load(entries, session.principal->grants, through_number);
  if (!dispatches) return end_session(held, dispatches.error());
  held.outbox.mark_sent(through_number);
  if (!held.durable()) release(held, through_number);
  session.credit -= dispatches->size();
  const auto again = std::ranges::count_if(*dispatches, &Dispatch::redelivered);
  context_.counters.dispatched += dispatches->size();
  context_.counters.redelivered += static_cast<std::uint64_t>(again);
  held.subscription.gauges->delivered += dispatches->size();
  held.subscription.gauges->redelivered += static_cast<std::uint64_t>(again);
  if (!dispatches->empty()) session.consumer->on_dispatch(std::move(*dispatches));
  // The rest comes after what others have posted in the meantime.
  if (session.open && session.credit > 0 && held.outbox.has_unsent()) {
    post([this, number = held.number()] {
      if (Held* const later = find(number)) touch(*later);
    });
  }
}

base::Result<std::vector<Dispatch>> Shard::load(const std::vector<OutboxEntry>& entries,
                                                const Grants& reader,
                                                std::uint64_t& through_number) {
  std::vector<Dispatch> dispatches;
  std::size_t bytes = 0;
  for (const OutboxEntry& entry : entries) {
    if (bytes > kDispatchBytesMax) break;
    Dispatch dispatch{.number = entry.number, .redelivered = entry.redelivered, .events = {}};
    const auto loaded = load_one(entry, reader, dispatch);
    if (!loaded) return loaded.error();
    through_number = entry.number;
    if (*loaded == Loaded::kGone) ++context_.counters.expired;
    if (*loaded != Loaded::kWhole) continue;
    for (const EventText& text : dispatch.events) bytes += text.json.size();
    dispatches.push_back(std::move(dispatch));
  }
  return dispatches;
}

// All of its events, or none. Those from the log are decoded only for a reader with bounds.
base::Result<Shard::Loaded> Shard::load_one(const OutboxEntry& entry, const Grants& reader,
                                            Dispatch& dispatch) {
  const bool sees_all = reader.may_see_all();
  for (const std::uint64_t sequence : entry.sequences) {
    event::EventPtr event = recent_.find(sequence);
    if (!event) {
      auto read = context_.log.read(std::span(&sequence, 1));
      if (!read) return read.error();
      if (!read->front()) return Loaded::kGone;
      if (sees_all) {
        const auto text = std::make_shared<const std::string>(std::move(read->front()->payload));
        dispatch.events.push_back({text, *text});
        continue;
      }
      auto decoded = decode_logged(*read->front());
      if (!decoded) return decoded.error();
      event = *std::move(decoded);
    }
    if (!sees_all && !reader.may_see(*event)) return Loaded::kHidden;
    dispatch.events.push_back({event, event->json()});
  }
  if (!entry.annotation.empty()) {
    EventText& last = dispatch.events.back();
    const auto text =
        std::make_shared<const std::string>(event::annotate(last.json, entry.annotation));
    last = {text, *text};
  }
  return Loaded::kWhole;
}

// False if the number was never sent.
bool Shard::release(Held& held, std::uint64_t number) {
  const auto count = held.outbox.acknowledge(number);
  if (!count) return false;
  if (!held.durable()) return true;
  context_.counters.acknowledged += *count;
  touch(held);
  write_cursor(held);
  return true;
}

void Shard::acknowledge(ShardSession& session, std::uint64_t number) {
  if (!session.open) return;
  Held& held = *find(session.subscription);
  if (release(held, number)) return;
  end_session(held, {base::ErrorId::kBrokerAcknowledge,
                     "delivery " + std::to_string(number) + " was never sent", std::nullopt});
}

void Shard::acknowledge(std::uint64_t subscription, std::uint64_t number, Done done) {
  Held* const held = find(subscription);
  if (held == nullptr) return done(ended("the subscription was deleted"));
  if (!release(*held, number)) {
    return done(base::Error{base::ErrorId::kBrokerAcknowledge,
                            "delivery " + std::to_string(number) + " was never sent",
                            std::nullopt});
  }
  if (held->cursor_written >= number) return done({});
  held->waiting.emplace_back(number, std::move(done));
}

store::CursorRow Shard::cursor_of(const Held& held) const {
  return {.subscription = held.number(),
          .acknowledged = held.outbox.acknowledged(),
          .scan_sequence = held.outbox.oldest_matched_at().value_or(last_sequence_)};
}

void Shard::write_cursor(Held& held) {
  if (held.cursor_writing || held.outbox.acknowledged() <= held.cursor_written) return;
  held.cursor_writing = true;
  hand_in_cursor(held);
}

void Shard::write_cursors() {
  for (auto& [number, held] : subscriptions_) {
    const bool is_behind = held->outbox.acknowledged() > held->cursor_written;
    if (held->durable() && is_behind) hand_in_cursor(*held);
  }
}

void Shard::hand_in_cursor(Held& held) {
  const auto write = [self = shared_from_this(), row = cursor_of(held),
                      letters = std::exchange(held.letters, {})] {
    std::vector<store::RegistryChange> changes(letters.begin(), letters.end());
    changes.emplace_back(row);
    const auto done = [self, row, letters](const base::Result<void>& written) {
      self->post([self, row, letters, written] { self->on_cursor_written(row, letters, written); });
    };
    self->context_.clerk.write(std::move(changes), done);
  };
  context_.host.after_notes(last_batch_, write);
}

void Shard::on_cursor_written(const store::CursorRow& row,
                              std::vector<store::DeadLetterRow> letters,
                              const base::Result<void>& written) {
  Held* const held = find(row.subscription);
  if (held == nullptr) return;
  const std::uint64_t acknowledged = row.acknowledged;
  held->cursor_writing = false;
  if (written) held->cursor_written = acknowledged;
  if (!written) held->letters.insert(held->letters.begin(), letters.begin(), letters.end());
  std::vector<std::pair<std::uint64_t, Done>> later;
  for (auto& [waiting_for, done] : std::exchange(held->waiting, {})) {
    if (!written || waiting_for <= acknowledged) {
      done(written);
    } else {
      later.emplace_back(waiting_for, std::move(done));
    }
  }
  held->waiting = std::move(later);
  if (!written) return;
  if (held->session) held->session->consumer->on_acknowledged(acknowledged);
  write_cursor(*held);
}

// The letter is stored in one transaction with the acknowledgement, so that neither is without the
// other.
void Shard::bury(ShardSession& session, std::uint64_t number, std::string reason) {
  if (!session.open) return;
  Held& held = *find(session.subscription);
  const auto entry = held.outbox.oldest();
  if (!entry || entry->number != number) return;
  Dispatch dispatch{.number = number, .events = {}};
  const auto loaded = load_one(*entry, session.principal->grants, dispatch);
  if (!loaded) return end_session(held, loaded.error());
  SubscriptionGauges& gauges = *held.subscription.gauges;
  ++context_.counters.buried;
  if (*loaded == Loaded::kWhole && gauges.dead_letters < context_.options.dead_letter_count_max) {
    ++gauges.dead_letters;
    std::string events = "[";
    for (const EventText& text : dispatch.events) {
      if (events.size() > 1) events += ',';
      events += text.json;
    }
    held.letters.push_back(
        {held.number(), number, context_.options.now(), std::move(reason), events + ']'});
  }
  release(held, number);
}

}  // namespace weir::broker
