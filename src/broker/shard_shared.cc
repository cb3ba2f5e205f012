// SPDX-License-Identifier: Apache-2.0
// Subscriptions of a shard that consumers share.
#include <algorithm>
#include <utility>

#include "broker/shard.h"
#include "broker/shard_held.h"

namespace weir::broker {
namespace {

constexpr std::size_t kHighlightedCountMax = 4;  // in one turn

base::Error not_shared() {
  return {base::ErrorId::kBrokerNotShared,
          "the consumers of this subscription are exclusive: acknowledge everything up to a number",
          std::nullopt};
}

base::Error ended(std::string message) {
  return {base::ErrorId::kBrokerEnded, std::move(message), std::nullopt};
}

}  // namespace

// What the shared sessions of one subscription use of the shard.
class Shard::SharedPort final : public SharedHost {
 public:
  SharedPort(Shard& shard, Held& held) : shard_(shard), held_(held) {}

  event::EventPtr event_of(std::uint64_t sequence) override { return shard_.find_event(sequence); }
  base::Result<std::optional<Dispatch>> load(const OutboxEntry& entry,
                                             const Grants& reader) override {
    Dispatch dispatch{.number = entry.number, .events = {}};
    const auto loaded = shard_.load_one(held_, entry, reader, dispatch);
    if (!loaded) return loaded.error();
    if (*loaded == Loaded::kThere) {
      shard_.hold_memory(held_, dispatch);
      return std::optional(std::move(dispatch));
    }
    shard_.settle(held_, entry.number,
                  *loaded == Loaded::kGone ? Settled::kExpired : Settled::kWithheld);
    return std::optional<Dispatch>();
  }
  void on_dispatched(const std::vector<Dispatch>& dispatches) override {
    shard_.count_dispatched(held_, dispatches);
  }
  void acknowledge(std::uint64_t number) override {
    shard_.settle(held_, number, Settled::kAcknowledged);
  }
  base::Result<void> bury(const OutboxEntry& entry, std::string reason) override {
    return shard_.bury(held_, entry, held_.subscription.principal->grants, std::move(reason));
  }

 private:
  Shard& shard_;
  Held& held_;
};

// Makes the sessions for what the definition says. Whoever is connected has to connect again.
void Shard::set_consumers(Held& held) {
  end_sessions(held, ended("the subscription's consumers were configured anew: connect again"));
  forget_shared_wake(held);
  held.shared.reset();
  const auto& consumers = held.subscription.definition->shared();
  if (!consumers || !held.durable()) return;
  held.shared_port = std::make_unique<SharedPort>(*this, held);
  held.shared = std::make_unique<SharedSessions>(
      *consumers,
      SharedSessions::Context{.outbox = held.outbox,
                              .host = *held.shared_port,
                              .dispatch_count_max = is_highlighting(held)
                                                        ? kHighlightedCountMax
                                                        : context_.options.dispatch_count_max,
                              .hash_seed = context_.options.engine.hash_seed});
  held.outbox.rewind();
}

void Shard::pump_shared(Held& held) {
  // Letters that are sent again wait until notes on them are written.
  if (held.shared->sessions().empty() || !held.unnoted.empty()) return;
  if (has_expired(*held.subscription.principal)) {
    return end_sessions(held, ended("the token has expired"));
  }
  if (is_starved(held)) return;
  const auto has_more = held.shared->pump(context_.time.now());
  if (!has_more) return end_sessions(held, has_more.error());
  watch_shared(held);
  // The rest comes after what others have posted in the meantime.
  if (*has_more) touch_later(held);
}

void Shard::answer(ShardSession& session, const Answer& answer) {
  if (!session.open) return;
  Held& held = *find(session.subscription);
  if (!held.shared) return end_session(held, session, not_shared());
  const auto is_unknown = [&](std::uint64_t number) {
    return number < 1 || number > held.outbox.last_number();
  };
  const auto unknown = std::ranges::find_if(answer.numbers, is_unknown);
  if (unknown != answer.numbers.end()) {
    return end_session(held, session,
                       {base::ErrorId::kBrokerAcknowledge,
                        "delivery " + std::to_string(*unknown) + " was never sent", std::nullopt});
  }
  auto answered = apply(held, answer, &session);
  if (answer.nack_delay || answered.counted.empty()) return;
  after_cursor(held, [kept = session.shared_from_this(),
                      numbers = std::move(answered.counted)](const base::Result<void>& written) {
    if (written && kept->open) kept->consumer->on_settled(numbers);
  });
}

void Shard::answer(std::uint64_t subscription, const Answer& answer, const AnswerDone& done) {
  Held* const held = find(subscription);
  if (held == nullptr) return done(ended("the subscription was deleted"));
  if (!held->shared) return done(not_shared());
  if (auto checked = check_incarnation(*held, answer.incarnation); !checked) {
    return done(checked.error());
  }
  auto answered = apply(*held, answer, nullptr);
  if (answer.nack_delay || answered.counted.empty()) return done(std::move(answered.passed_over));
  after_cursor(*held,
               [done, missed = std::move(answered.passed_over)](const base::Result<void>& written) {
                 if (!written) return done(written.error());
                 done(missed);
               });
}

SharedSessions::Answered Shard::apply(Held& held, const Answer& answer,
                                      const ShardSession* session) {
  auto answered = held.shared->answer(answer, session, context_.time.now());
  if (answer.nack_delay) context_.counters.nacked += answered.counted.size();
  touch(held);
  return answered;
}

void Shard::time_out_shared(base::Instant now) {
  while (!shared_wakes_.empty() && shared_wakes_.begin()->first <= now) {
    Held& held = *find(shared_wakes_.begin()->second);
    forget_shared_wake(held);
    context_.counters.timed_out += held.shared->time_out(now);
    touch(held);
    watch_shared(held);
  }
}

// The wake is left where it is if it is early: the look that comes then finds the right time, and
// it need not move with every answer.
void Shard::watch_shared(Held& held) {
  const auto wake = held.shared->next_wake();
  if (!wake || (held.shared_wake && *held.shared_wake <= *wake)) return;
  forget_shared_wake(held);
  held.shared_wake = wake;
  shared_wakes_.emplace(*wake, held.number());
  update_wake();
}

void Shard::update_shared_gauges(Held& held) {
  const std::uint64_t in_flight = held.shared ? held.shared->in_flight_count() : 0;
  context_.counters.in_flight += in_flight - std::exchange(held.in_flight_seen, in_flight);
  held.subscription.gauges->in_flight = in_flight;
  held.outbox.set_bytes_beside(held.shared ? held.shared->memory_bytes() : 0);
}

void Shard::forget_shared_wake(Held& held) {
  if (!held.shared_wake) return;
  shared_wakes_.erase({*std::exchange(held.shared_wake, std::nullopt), held.number()});
}

}  // namespace weir::broker
