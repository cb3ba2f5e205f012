// SPDX-License-Identifier: Apache-2.0
// Sessions of a shard: deliveries go out as credit allows, acknowledgements come in.
#include <algorithm>
#include <utility>

#include "broker/resent_letters.h"
#include "broker/shard.h"
#include "broker/shard_held.h"

namespace weir::broker {
namespace {

constexpr std::size_t kDispatchBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kHighlightedBytesMax = std::size_t{64} << 10U;  // in one turn
constexpr std::size_t kDispatchBytes = 256;   // of memory, besides its events
constexpr std::size_t kEventTextBytes = 128;  // of memory, besides the text

base::Error ended(std::string message) {
  return {base::ErrorId::kBrokerEnded, std::move(message), std::nullopt};
}

base::Error only_single() {
  return {base::ErrorId::kBrokerAcknowledge,
          "consumers share this subscription: acknowledge single deliveries by their numbers",
          std::nullopt};
}

}  // namespace

void Shard::attach(const std::shared_ptr<ShardSession>& session,
                   const std::optional<DeliveryId>& acknowledged) {
  Held* const held = find(session->subscription);
  if (held == nullptr || !held->subscription.gauges->allowed) {
    return session->consumer->on_end(ended("the subscription was deleted or its token revoked"));
  }
  if (const auto checked = check_not_forbidden(*session->principal); !checked) {
    return session->consumer->on_end(checked.error());
  }
  // Whoever asked just before the subscription was given to another owner.
  const bool is_owner = session->principal->name == held->subscription.principal->name;
  if (!is_owner && !session->principal->grants.admin) {
    return session->consumer->on_end(ended("the subscription has another owner now"));
  }
  if (acknowledged && !held->shared) {
    const auto checked = check_incarnation(*held, acknowledged->incarnation);
    if (!checked) return session->consumer->on_end(checked.error());
    if (!release(*held, acknowledged->number)) {
      return session->consumer->on_end({base::ErrorId::kBrokerAcknowledge,
                                        "delivery " + std::to_string(acknowledged->number) +
                                            " was never sent; the last one was " +
                                            std::to_string(held->outbox.last_number()),
                                        std::nullopt});
    }
  }
  if (held->shared) {
    held->shared->add(session);
  } else {
    end_sessions(*held, {base::ErrorId::kBrokerTaken,
                         "another connection has taken the subscription over", std::nullopt});
    held->session = session;
    held->outbox.rewind();
  }
  watch(*session->principal, session->subscription);
  update_wake();
  ++held->subscription.gauges->consumers;
  session->open = true;
  ++context_.counters.sessions;
  session->consumer->on_begin(
      {.mode = held->shared ? ConsumerMode::kShared : ConsumerMode::kExclusive,
       .incarnation = held->durable() ? held->number() : kNoIncarnation});
  touch(*held);
}

std::vector<std::shared_ptr<ShardSession>> Shard::sessions_of(const Held& held) {
  std::vector<std::shared_ptr<ShardSession>> sessions;
  if (held.session) sessions.push_back(held.session);
  if (!held.shared) return sessions;
  for (const auto& [id, session] : held.shared->sessions()) sessions.push_back(session);
  return sessions;
}

void Shard::close_session(Held& held, ShardSession& session) {
  session.open = false;
  unwatch(*session.principal, held.number());
  --held.subscription.gauges->consumers;
  --context_.counters.sessions;
  if (held.shared) {
    held.shared->remove(session);
    touch(held);
  } else {
    held.session = nullptr;
  }
}

void Shard::end_session(Held& held, ShardSession& session, const base::Error& reason) {
  const std::shared_ptr<ShardSession> kept = session.shared_from_this();
  close_session(held, session);
  session.consumer->on_end(reason);
  if (held.durable()) return;
  post([this, number = held.number()] { remove(number, ended("the connection ended")); });
}

void Shard::end_sessions(Held& held, const base::Error& reason) {
  for (const auto& session : sessions_of(held)) end_session(held, *session, reason);
}

void Shard::end(ShardSession& session, const base::Error& reason) {
  if (session.open) end_session(*find(session.subscription), session, reason);
}

void Shard::detach(ShardSession& session) {
  if (!session.open) return;
  Held* const held = find(session.subscription);
  close_session(*held, session);
  if (!held->durable()) remove(held->number(), ended("the connection ended"));
}

void Shard::add_credit(ShardSession& session, std::uint64_t count) {
  if (!session.open) return;
  Held& held = *find(session.subscription);
  if (held.shared) {
    held.shared->add_credit(session, count);
  } else {
    session.credit += std::min(count, UINT64_MAX - session.credit);
  }
  touch(held);
}

// A subscription with something new; looked at after the task at hand.
void Shard::touch(Held& held) {
  if (std::exchange(held.touched, true)) return;
  touched_.push_back(&held);
}

void Shard::touch_later(const Held& held) {
  post([this, number = held.number()] {
    if (Held* const later = find(number)) touch(*later);
  });
}

void Shard::pump_touched() {
  while (!touched_.empty()) {
    Held& held = *touched_.back();
    touched_.pop_back();
    held.touched = false;
    mark_stale(held);
    if (held.outbox.policy() == OutboxPolicy::kBlock) update_gauges(held);
    if (!is_highlighting(held)) {
      pump(held);
    } else if (!std::exchange(held.waits_for_highlighting, true)) {
      highlighting_.push_back(held.number());
    }
  }
}

bool Shard::is_highlighting(const Held& held) {
  const Definition& definition = *held.subscription.definition;
  return definition.highlight() != nullptr && !definition.filter()->abouts().empty();
}

// One at a time between other work, so that nobody waits for the texts of others.
std::optional<ReplayPacer::Clock::time_point> Shard::next_highlight(
    ReplayPacer::Clock::time_point now) const {
  if (highlighting_.empty()) return std::nullopt;
  return highlight_pacer_.next(now);
}

void Shard::pump_highlighting() {
  const ReplayPacer::Clock::time_point begin = ReplayPacer::Clock::now();
  if (const auto due = next_highlight(begin); !due || *due > begin) return;
  Held* const held = find(highlighting_.front());
  highlighting_.pop_front();
  if (held == nullptr) return;
  held->waits_for_highlighting = false;
  pump(*held);
  pump_touched();
  highlight_pacer_.on_step(begin, ReplayPacer::Clock::now());
}

// The clock is read only for tokens that expire.
bool Shard::has_expired(const Principal& principal) const {
  return principal.expires && principal.has_expired(context_.options.wall_now());
}

void Shard::pump(Held& held) {
  if (held.shared) return pump_shared(held);
  if (!held.session || held.session->credit == 0 || !held.outbox.has_unsent()) return;
  ShardSession& session = *held.session;
  if (has_expired(*held.subscription.principal) || has_expired(*session.principal)) {
    return end_sessions(held, ended("the token has expired"));
  }
  auto entries = held.outbox.peek(
      std::min<std::uint64_t>(session.credit, context_.options.dispatch_count_max));
  if (!held.unnoted.empty()) {
    std::erase_if(entries, [&](const auto& entry) { return entry.number >= held.unnoted.front(); });
  }
  if (entries.empty() || is_starved(held)) return;
  std::uint64_t through_number = 0;
  auto dispatches = load(held, entries, through_number);
  if (!dispatches) return end_sessions(held, dispatches.error());
  held.outbox.mark_sent(through_number);
  if (!held.durable()) release(held, through_number);
  session.credit -= dispatches->size();
  count_dispatched(held, *dispatches);
  if (!dispatches->empty()) session.consumer->on_dispatch(std::move(*dispatches));
  // The rest comes after what others have posted in the meantime.
  if (session.open && session.credit > 0 && held.outbox.has_unsent()) touch_later(held);
}

// An event is in memory as it was read, and once more as it is written to its consumer.
void Shard::hold_memory(const Held& held, Dispatch& dispatch) const {
  if (!held.stream_memory) return;
  std::size_t bytes = kDispatchBytes;
  for (const EventText& text : dispatch.events) bytes += kEventTextBytes + 2 * text.json.size();
  dispatch.memory =
      std::make_shared<const HeldMemory>(held.stream_memory, bytes, context_.memory.stream_room());
}

bool Shard::is_starved(Held& held) {
  if (!held.stream_memory || !held.stream_memory->is_exhausted()) return false;
  if (!std::exchange(held.starved, true)) starved_.push_back(held.number());
  if (!std::exchange(waits_for_room_, true)) {
    context_.memory.stream_room()->wake_me([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self) self->post([shard = self.get()] { shard->pump_starved(); });
    });
    ++context_.counters.transit_waits;
  }
  // It may have been given back before anybody listened.
  if (!held.stream_memory->is_exhausted()) post([this] { pump_starved(); });
  return true;
}

// The one that waits for longest is pumped first: the last one touched.
void Shard::pump_starved() {
  waits_for_room_ = false;
  std::deque<std::uint64_t> waiting = std::exchange(starved_, {});
  for (auto number = waiting.rbegin(); number != waiting.rend(); ++number) {
    Held* const held = find(*number);
    if (held == nullptr) continue;
    held->starved = false;
    touch(*held);
  }
}

void Shard::count_dispatched(Held& held, const std::vector<Dispatch>& dispatches) {
  const auto again = std::ranges::count_if(dispatches, &Dispatch::redelivered);
  context_.counters.dispatched += dispatches.size();
  context_.counters.redelivered += static_cast<std::uint64_t>(again);
  held.subscription.gauges->delivered += dispatches.size();
  held.subscription.gauges->redelivered += static_cast<std::uint64_t>(again);
}

base::Result<std::vector<Dispatch>> Shard::load(Held& held, const std::vector<OutboxEntry>& entries,
                                                std::uint64_t& through_number) {
  const Grants& reader = held.session->principal->grants;
  const std::size_t bytes_max = is_highlighting(held) ? kHighlightedBytesMax : kDispatchBytesMax;
  std::vector<Dispatch> dispatches;
  std::size_t bytes = 0;
  for (const OutboxEntry& entry : entries) {
    if (bytes > bytes_max) break;
    if (!dispatches.empty() && held.stream_memory && held.stream_memory->is_exhausted()) break;
    Dispatch dispatch{.number = entry.number, .redelivered = entry.redelivered, .events = {}};
    const auto loaded = load_one(held, entry, reader, dispatch);
    if (!loaded) return loaded.error();
    through_number = entry.number;
    if (*loaded != Loaded::kThere) {
      held.outbox.settle(entry.number,
                         *loaded == Loaded::kGone ? Settled::kExpired : Settled::kWithheld);
      continue;
    }
    for (const EventText& text : dispatch.events) bytes += text.json.size();
    hold_memory(held, dispatch);
    dispatches.push_back(std::move(dispatch));
  }
  return dispatches;
}

base::Result<Loaded> Shard::load_one(Held& held, const OutboxEntry& entry, const Grants& reader,
                                     Dispatch& dispatch) {
  if (is_letter(entry.sequences.front())) {
    return load_letter(held, letter_of(entry.sequences.front()), reader, dispatch);
  }
  engine::TextAnnotator* const annotator = entry.text ? &annotator_of(held) : nullptr;
  return DeliveryLoader(recent_, context_.log).load(entry, reader, annotator, dispatch);
}

engine::TextAnnotator& Shard::annotator_of(Held& held) {
  if (!held.annotator) {
    const Definition& definition = *held.subscription.definition;
    held.annotator = std::make_unique<engine::TextAnnotator>(
        definition.filter(), analyzers_,
        engine::TextAnnotator::Options{.highlight = definition.highlight(),
                                       .score_min = context_.options.engine.text_score});
  }
  return *held.annotator;
}

// A delivery of a subscription that was deleted says nothing about the one that has its name now.
base::Result<void> Shard::check_incarnation(const Held& held,
                                            std::optional<std::uint64_t> incarnation) {
  if (!incarnation || *incarnation == held.number()) return {};
  const std::string own =
      "deliveries of this subscription end with @" + std::to_string(held.number());
  if (*incarnation == kNoIncarnation) {
    return base::Error{base::ErrorId::kBrokerAcknowledge,
                       "the id does not tell which subscription it is of; " + own, std::nullopt};
  }
  return base::Error{base::ErrorId::kBrokerAcknowledge,
                     "the id is of another subscription, number " + std::to_string(*incarnation) +
                         ", that had this name; " + own,
                     std::nullopt};
}

// False if the number was never sent.
bool Shard::release(Held& held, std::uint64_t number) {
  const auto count = held.outbox.acknowledge(number);
  if (!count) return false;
  if (!held.durable()) return true;
  touch(held);
  write_cursor(held);
  return true;
}

void Shard::acknowledge(ShardSession& session, std::uint64_t number) {
  if (!session.open) return;
  Held& held = *find(session.subscription);
  if (held.shared) return end_session(held, session, only_single());
  if (release(held, number)) return;
  end_sessions(held, {base::ErrorId::kBrokerAcknowledge,
                      "delivery " + std::to_string(number) + " was never sent", std::nullopt});
}

void Shard::acknowledge(std::uint64_t subscription, const DeliveryId& delivery, Done done) {
  Held* const held = find(subscription);
  if (held == nullptr) return done(ended("the subscription was deleted"));
  if (held->shared) return done(only_single());
  if (auto checked = check_incarnation(*held, delivery.incarnation); !checked) {
    return done(checked);
  }
  if (!release(*held, delivery.number)) {
    return done(base::Error{base::ErrorId::kBrokerAcknowledge,
                            "delivery " + std::to_string(delivery.number) + " was never sent",
                            std::nullopt});
  }
  after_cursor(*held, std::move(done));
}

void Shard::when_noted(std::uint64_t batch, std::function<void()> then) {
  context_.host.after_notes(batch, [self = shared_from_this(), batch,
                                    then = std::move(then)](const base::Result<void>& noted) {
    if (noted) return then();
    if (noted.error().id != base::ErrorId::kBrokerStopping) self->when_noted(batch, then);
  });
}

// Everything that is settled now is durable when it is called.
void Shard::after_cursor(Held& held, Done done) {
  const std::uint64_t settled_count = held.outbox.counts().total();
  if (held.cursor_written >= settled_count) return done({});
  held.waiting.emplace_back(settled_count, std::move(done));
}

store::CursorRow Shard::cursor_of(const Held& held) const {
  store::CursorRow row{.subscription = held.number(),
                       .scan_sequence = held.outbox.oldest_matched_at().value_or(last_sequence_)};
  held.outbox.write_cursor(row);
  return row;
}

void Shard::write_cursor(Held& held) {
  if (held.cursor_writing || held.outbox.counts().total() <= held.cursor_written) return;
  held.cursor_writing = true;
  hand_in_cursor(held);
}

void Shard::write_cursors() {
  for (auto& [number, held] : subscriptions_) {
    const bool is_behind = held->outbox.counts().total() > held->cursor_written;
    if (held->durable() && is_behind) hand_in_cursor(*held);
  }
}

void Shard::hand_in_cursor(Held& held) {
  std::vector<store::RegistryChange> all = letter_changes(held);
  const std::uint64_t letters_end = held.letters_written + all.size();
  const store::CursorRow row = cursor_of(held);
  all.emplace_back(row);
  const auto write = [self = shared_from_this(), row, letters_end,
                      changes = std::move(all)](const base::Result<void>& noted) mutable {
    const auto done = [self, row, letters_end](const base::Result<void>& written) {
      self->post([self, row, letters_end, written] {
        self->on_cursor_written(row, letters_end, written);
      });
    };
    if (!noted) return done(noted);
    self->context_.clerk.write(std::move(changes), done);
  };
  context_.host.after_notes(last_batch_, write);
}

void Shard::on_cursor_written(const store::CursorRow& row, std::uint64_t letters_end,
                              const base::Result<void>& written) {
  Held* const held = find(row.subscription);
  if (held == nullptr) return;
  const std::uint64_t settled_count = row.counts.total();
  held->cursor_writing = false;
  if (written) held->cursor_written = std::max(held->cursor_written, settled_count);
  if (written) on_letters_written(*held, letters_end);
  std::vector<std::pair<std::uint64_t, Done>> later;
  for (auto& [waiting_for, done] : std::exchange(held->waiting, {})) {
    if (!written || waiting_for <= settled_count) {
      done(written);
    } else {
      later.emplace_back(waiting_for, std::move(done));
    }
  }
  held->waiting = std::move(later);
  if (!written) return;
  if (held->session) held->session->consumer->on_acknowledged(row.settled_through);
  write_cursor(*held);
}

void Shard::settle(Held& held, std::uint64_t number, Settled why) {
  held.outbox.settle(number, why);
  touch(held);
  write_cursor(held);
}

}  // namespace weir::broker
