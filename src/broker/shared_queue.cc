// SPDX-License-Identifier: Apache-2.0
#include "broker/shared_queue.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace weir::broker {

using base::Instant;

void SharedQueue::add_consumer(ConsumerId id) {
  const bool is_new = consumers_.try_emplace(id).second;
  WEIR_CHECK(is_new);
}

std::vector<std::uint64_t> SharedQueue::remove_consumer(ConsumerId id) {
  const auto found = consumers_.find(id);
  WEIR_CHECK(found != consumers_.end());
  const std::vector<std::uint64_t> numbers(found->second.in_flight.begin(),
                                           found->second.in_flight.end());
  for (const std::uint64_t number : numbers) make_ready(number, entries_.at(number));
  if (found->second.rank) ranks_.erase(*found->second.rank);
  consumers_.erase(found);
  return numbers;
}

void SharedQueue::add_credit(ConsumerId id, std::uint64_t count) {
  const auto found = consumers_.find(id);
  WEIR_CHECK(found != consumers_.end());
  Consumer& consumer = found->second;
  consumer.credit += std::min(count, std::numeric_limits<std::uint64_t>::max() - consumer.credit);
  rank(id, consumer);
}

// Brings the consumer to its place among those that can take a delivery.
void SharedQueue::rank(ConsumerId id, Consumer& consumer) {
  const std::size_t in_flight_max = consumer.timed_out ? 1 : options_.in_flight_max;
  std::optional<Rank> now;
  if (consumer.credit > 0 && consumer.in_flight.size() < in_flight_max) {
    now = Rank{consumer.timed_out, consumer.in_flight.size(), consumer.served_at, id};
  }
  if (now == consumer.rank) return;
  if (consumer.rank) ranks_.erase(*consumer.rank);
  if (now) ranks_.insert(*now);
  consumer.rank = now;
}

bool SharedQueue::wants_more() const {
  return !ranks_.empty() && ready_.empty() && waiting_count() < options_.waiting_count_max;
}

void SharedQueue::admit(const Delivery& delivery) {
  WEIR_CHECK(delivery.number > last_number_);
  last_number_ = delivery.number;
  Entry& entry = entries_[delivery.number];
  entry.key = delivery.key;
  entry.was_sent = delivery.was_sent;
  if (delivery.key) {
    std::set<std::uint64_t>& line = keys_[*delivery.key];
    line.insert(delivery.number);
    if (*line.begin() != delivery.number) {
      entry.state = State::kBlocked;
      return;
    }
  }
  ready_.insert(delivery.number);
}

std::optional<SharedQueue::Offer> SharedQueue::next(Instant now) {
  end_delays(now);
  if (ready_.empty() || ranks_.empty()) return std::nullopt;
  const std::uint64_t number = *ready_.begin();
  const ConsumerId id = ranks_.begin()->id;
  Entry& entry = entries_.at(number);
  Consumer& consumer = consumers_.at(id);
  ready_.erase(ready_.begin());
  entry.state = State::kInFlight;
  entry.consumer = id;
  entry.due = now + options_.acknowledge_within;
  deadlines_.emplace(entry.due, number);
  const bool redelivered = entry.was_sent || entry.attempt_count > 0;
  ++entry.attempt_count;
  --consumer.credit;
  consumer.in_flight.insert(number);
  consumer.served_at = ++offer_count_;
  rank(id, consumer);
  return Offer{id, number, redelivered};
}

std::optional<SharedQueue::ConsumerId> SharedQueue::holder(std::uint64_t number) const {
  const auto found = entries_.find(number);
  if (found == entries_.end() || found->second.state != State::kInFlight) return std::nullopt;
  return found->second.consumer;
}

std::uint64_t SharedQueue::attempt_count(std::uint64_t number) const {
  const auto found = entries_.find(number);
  return found == entries_.end() ? 0 : found->second.attempt_count;
}

void SharedQueue::settle(std::uint64_t number) {
  const auto found = entries_.find(number);
  if (found == entries_.end()) return;
  if (found->second.state == State::kInFlight) {
    consumers_.at(found->second.consumer).timed_out = false;
  }
  erase(found);
}

void SharedQueue::settle_through(std::uint64_t number) {
  auto entry = entries_.begin();
  while (entry != entries_.end() && entry->first <= number) entry = erase(entry);
}

void SharedQueue::give_back(std::uint64_t number, std::optional<Instant> not_before) {
  Entry& entry = entries_.at(number);
  WEIR_CHECK(entry.state == State::kInFlight);
  consumers_.at(entry.consumer).timed_out = false;
  not_before ? delay(number, entry, *not_before) : make_ready(number, entry);
}

std::vector<std::uint64_t> SharedQueue::time_out(Instant now) {
  end_delays(now);
  std::vector<std::uint64_t> numbers;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const std::uint64_t number = deadlines_.begin()->second;
    Entry& entry = entries_.at(number);
    consumers_.at(entry.consumer).timed_out = true;
    make_ready(number, entry);
    numbers.push_back(number);
  }
  return numbers;
}

std::optional<Instant> SharedQueue::next_wake() const {
  std::optional<Instant> wake;
  if (!deadlines_.empty()) wake = deadlines_.begin()->first;
  if (!delayed_.empty() && (!wake || delayed_.begin()->first < *wake)) {
    wake = delayed_.begin()->first;
  }
  return wake;
}

// Takes the number out of the set of its state.
void SharedQueue::leave_state(std::uint64_t number, Entry& entry) {
  switch (entry.state) {
    case State::kReady:
      ready_.erase(number);
      break;
    case State::kBlocked:
      break;
    case State::kDelayed:
      delayed_.erase({entry.due, number});
      break;
    case State::kInFlight:
      deadlines_.erase({entry.due, number});
      Consumer& consumer = consumers_.at(entry.consumer);
      consumer.in_flight.erase(number);
      rank(entry.consumer, consumer);
      break;
  }
}

void SharedQueue::make_ready(std::uint64_t number, Entry& entry) {
  leave_state(number, entry);
  entry.state = State::kReady;
  ready_.insert(number);
}

void SharedQueue::delay(std::uint64_t number, Entry& entry, Instant not_before) {
  leave_state(number, entry);
  entry.state = State::kDelayed;
  entry.due = not_before;
  delayed_.emplace(not_before, number);
}

void SharedQueue::end_delays(Instant now) {
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    const std::uint64_t number = delayed_.begin()->second;
    make_ready(number, entries_.at(number));
  }
}

SharedQueue::Entries::iterator SharedQueue::erase(Entries::iterator entry) {
  const auto [number, gone] = *entry;
  leave_state(number, entry->second);
  const auto next = entries_.erase(entry);
  if (!gone.key) return next;
  const auto line = keys_.find(*gone.key);
  line->second.erase(number);
  if (line->second.empty()) {
    keys_.erase(line);
    return next;
  }
  const std::uint64_t first = *line->second.begin();
  Entry& head = entries_.at(first);
  if (head.state == State::kBlocked) make_ready(first, head);
  return next;
}

}  // namespace weir::broker
