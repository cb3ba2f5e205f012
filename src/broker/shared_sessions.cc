// SPDX-License-Identifier: Apache-2.0
#include "broker/shared_sessions.h"

#include <utility>

#include "base/hash.h"
#include "broker/shard.h"
#include "match/event_key.h"

namespace weir::broker {
namespace {

constexpr std::size_t kTurnBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kAdmitCount = 64;  // deliveries of the outbox looked at in one go

}  // namespace

SharedSessions::SharedSessions(const SharedConsumers& consumers, Context context)
    : context_(context),
      queue_({.acknowledge_within = consumers.acknowledge_within,
              .in_flight_max = consumers.in_flight_max}),
      attempt_count_max_(consumers.attempt_count_max) {
  if (consumers.by) by_.push_back({.path = *consumers.by});
}

void SharedSessions::add(const std::shared_ptr<ShardSession>& session) {
  session->consumer_id = ++last_consumer_;
  queue_.add_consumer(session->consumer_id);
  sessions_.emplace(session->consumer_id, session);
}

void SharedSessions::remove(const ShardSession& session) {
  queue_.remove_consumer(session.consumer_id);
  sessions_.erase(session.consumer_id);
}

void SharedSessions::add_credit(const ShardSession& session, std::uint64_t count) {
  queue_.add_credit(session.consumer_id, count);
}

base::Result<bool> SharedSessions::pump(base::Instant now) {
  queue_.settle_through(context_.outbox.settled_through());
  Turn turn;
  bool has_more = true;
  while (has_more && turn.step_count < context_.dispatch_count_max && turn.bytes < kTurnBytesMax) {
    const auto offer = queue_.next(now);
    if (!offer) {
      has_more = admit(turn);
    } else if (auto handed = hand_out(*offer, turn); !handed) {
      return handed.error();
    }
  }
  dispatch(turn);
  return has_more;
}

// Lets the queue look at more of the outbox; false if there is no more, or nobody to take it.
bool SharedSessions::admit(Turn& turn) {
  if (!queue_.wants_more()) return false;
  const auto entries = context_.outbox.peek(kAdmitCount);
  if (entries.empty()) return false;
  for (const OutboxEntry& entry : entries) {
    queue_.admit({.number = entry.number, .key = order_key(entry), .was_sent = entry.redelivered});
  }
  context_.outbox.mark_sent(entries.back().number);
  if (!by_.empty()) turn.step_count += entries.size();
  return true;
}

// A hash of the value that the delivery is ordered by. Two values with one hash wait for each
// other, which does no harm.
std::optional<std::uint64_t> SharedSessions::order_key(const OutboxEntry& entry) {
  if (by_.empty()) return std::nullopt;
  for (const std::uint64_t sequence : entry.sequences) {
    const event::EventPtr event = context_.host.event_of(sequence);
    if (event == nullptr || event->at(by_.front().path).missing()) continue;
    return base::hash_bytes(match::event_key(by_, *event), context_.hash_seed);
  }
  return std::nullopt;
}

base::Result<void> SharedSessions::hand_out(const SharedQueue::Offer& offer, Turn& turn) {
  ++turn.step_count;
  auto dispatch = load(offer);
  if (!dispatch) return dispatch.error();
  if (!*dispatch) {
    queue_.settle(offer.number);
    queue_.add_credit(offer.consumer, 1);
    return {};
  }
  (*dispatch)->redelivered = offer.redelivered;
  for (const EventText& text : (*dispatch)->events) turn.bytes += text.json.size();
  turn.dispatches[offer.consumer].push_back(**std::move(dispatch));
  return {};
}

// Nullopt if the delivery is settled instead.
base::Result<std::optional<Dispatch>> SharedSessions::load(const SharedQueue::Offer& offer) {
  const auto entry = context_.outbox.find(offer.number);
  if (!entry) return std::optional<Dispatch>();
  if (attempt_count_max_ && queue_.attempt_count(offer.number) > *attempt_count_max_) {
    const auto buried = context_.host.bury(
        *entry, "not acknowledged in " + std::to_string(*attempt_count_max_) + " attempts");
    if (!buried) return buried.error();
    return std::optional<Dispatch>();
  }
  return context_.host.load(*entry, sessions_.at(offer.consumer)->principal->grants);
}

void SharedSessions::dispatch(Turn& turn) {
  for (auto& [id, dispatches] : turn.dispatches) {
    context_.host.on_dispatched(dispatches);
    sessions_.at(id)->consumer->on_dispatch(std::move(dispatches));
  }
}

SharedSessions::Answered SharedSessions::answer(const Answer& answer, const ShardSession* from,
                                                base::Instant now) {
  std::optional<base::Instant> not_before;
  if (answer.nack_delay > base::Duration{}) not_before = now + *answer.nack_delay;
  Answered answered;
  for (const std::uint64_t number : answer.numbers) {
    const auto holder = queue_.holder(number);
    const bool counts =
        holder && (from == nullptr || *holder == from->consumer_id) && context_.outbox.find(number);
    (counts ? answered.counted : answered.passed_over).push_back(number);
    if (!counts) continue;
    if (answer.nack_delay) {
      queue_.give_back(number, not_before);
    } else {
      queue_.settle(number);
      context_.host.acknowledge(number);
    }
  }
  return answered;
}

std::size_t SharedSessions::time_out(base::Instant now) { return queue_.time_out(now).size(); }

}  // namespace weir::broker
