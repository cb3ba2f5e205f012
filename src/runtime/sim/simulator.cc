// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/simulator.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/hash.h"
#include "protocol/slot.h"

namespace weir::runtime::sim {

using base::Duration;
using base::Instant;
using protocol::NodeId;

Simulator::Simulator(const SimulatorOptions& options, Factory factory)
    : prng_(options.seed),
      factory_(std::move(factory)),
      network_(options.link),
      listeners_(protocol::kSlotCount) {}

NodeId Simulator::add() {
  const NodeId node{members_.size() + 1};
  Member& added = members_.emplace_back();
  added.node = factory_(node, prng_.next());
  added.is_up = true;
  wake_now(node);
  return node;
}

void Simulator::crash(NodeId node) {
  Member& crashed = member(node);
  WEIR_CHECK(crashed.is_up);
  crashed.is_up = false;
  crashed.is_awake = false;
  crashed.wake_reading.reset();
  crashed.waiting.clear();
  if (observer_ != nullptr) observer_->on_crash(now_, node);
}

void Simulator::restart(NodeId node, bool keeps_state) {
  Member& back = member(node);
  WEIR_CHECK(!back.is_up);
  back.is_up = true;
  if (!keeps_state) {
    back.node = factory_(node, prng_.next());
    for (std::set<NodeId>& listeners : listeners_) listeners.erase(node);
  }
  if (observer_ != nullptr) observer_->on_restart(now_, node, keeps_state);
  wake_now(node);
}

void Simulator::set_slowness(NodeId node, Duration slowness) { member(node).slowness = slowness; }

void Simulator::set_clock_offset(NodeId node, Duration offset) {
  member(node).clock.set_offset(offset);
  queue_wake(node);
}

void Simulator::set_clock_drift(NodeId node, std::int64_t parts_per_million) {
  member(node).clock.set_drift(now_, parts_per_million);
  queue_wake(node);
}

void Simulator::tell(NodeId node, std::string_view message) {
  hear(node, protocol::kUser, message);
}

void Simulator::at(Instant instant, std::function<void()> action) {
  actions_.emplace(next_action_, std::move(action));
  queue_.push(std::max(instant, now_), {.kind = EventKind::kAction,
                                        .node = {},
                                        .source = {},
                                        .action = next_action_++,
                                        .bytes = {}});
}

void Simulator::run_until(Instant instant) {
  while (!queue_.empty() && queue_.next_at() <= instant) {
    now_ = queue_.next_at();
    happen(queue_.pop());
  }
  now_ = std::max(now_, instant);
}

Simulator::Member& Simulator::member(NodeId node) {
  WEIR_CHECK(node.value >= 1 && node.value <= members_.size());
  return members_[node.value - 1];
}

const Simulator::Member& Simulator::member(NodeId node) const {
  WEIR_CHECK(node.value >= 1 && node.value <= members_.size());
  return members_[node.value - 1];
}

void Simulator::wake_now(NodeId node) {
  Member& sleeper = member(node);
  sleeper.wake_reading = sleeper.clock.read(now_);
  queue_wake(node);
}

// At most one wake of a member is in the queue, unless a later request is earlier. Later wakes are
// queued when that one has come.
void Simulator::queue_wake(NodeId node) {
  Member& sleeper = member(node);
  if (!sleeper.wake_reading) return;
  const Instant at = std::max(now_, sleeper.clock.when(*sleeper.wake_reading));
  if (sleeper.queued_wake && *sleeper.queued_wake <= at) return;
  sleeper.queued_wake = at;
  queue_.push(at, {.kind = EventKind::kWake, .node = node, .source = {}, .action = 0, .bytes = {}});
}

void Simulator::happen(Event event) {
  switch (event.kind) {
    case EventKind::kArrival:
      return arrive(event.node, {.source = event.source, .bytes = std::move(event.bytes)});
    case EventKind::kWake:
      return wake_if_due(event.node);
    case EventKind::kDone:
      return done(event.node);
    case EventKind::kAction:
      return act(event.action);
  }
}

void Simulator::act(std::uint64_t number) {
  const auto action = actions_.extract(number);
  action.mapped()();
}

void Simulator::wake_if_due(NodeId node) {
  Member& woken = member(node);
  if (woken.queued_wake != now_) return;
  woken.queued_wake.reset();
  if (!woken.wake_reading) return;
  if (woken.clock.read(now_) < *woken.wake_reading) return queue_wake(node);
  wake(node);
}

void Simulator::wake(NodeId node) {
  Member& woken = member(node);
  woken.wake_reading.reset();
  woken.is_awake = true;
  woken.node->on_wake(woken.clock.read(now_), effects_);
  carry_out(node);
}

// A slow member takes its messages one after another.
void Simulator::arrive(NodeId node, Arrival arrival) {
  Member& target = member(node);
  if (!target.is_up) return;
  if (target.is_busy) {
    target.waiting.push_back(std::move(arrival));
  } else {
    work(node, arrival);
  }
}

void Simulator::work(NodeId node, const Arrival& arrival) {
  Member& target = member(node);
  if (target.slowness > Duration{}) {
    target.is_busy = true;
    queue_.push(now_ + target.slowness,
                {.kind = EventKind::kDone, .node = node, .source = {}, .action = 0, .bytes = {}});
  }
  ++message_count_;
  hear(node, arrival.source, arrival.bytes);
}

void Simulator::done(NodeId node) {
  member(node).is_busy = false;
  while (!member(node).is_busy && !member(node).waiting.empty()) {
    const Arrival next = std::move(member(node).waiting.front());
    member(node).waiting.pop_front();
    work(node, next);
  }
}

void Simulator::hear(NodeId node, NodeId source, std::string_view bytes) {
  if (!member(node).is_up) return;
  // The first call of a member is on_wake, even for a message at the instant of its start.
  if (!member(node).is_awake) wake(node);
  Member& target = member(node);
  if (observer_ != nullptr) observer_->on_hear(now_, node, source, bytes);
  target.node->on_message(target.clock.read(now_), source, bytes, effects_);
  carry_out(node);
}

void Simulator::carry_out(NodeId node) {
  protocol::Effects effects;
  std::swap(effects, effects_);
  for (protocol::Effect& effect : effects.list()) {
    mix(static_cast<std::uint64_t>(now_.nanoseconds));
    mix(node.value * 8 + effect.index());
    if (observer_ != nullptr) observer_->on_effect(now_, node, effect);
    std::visit([&](auto& what) { carry_out(node, what); }, effect);
  }
  effects.clear();
  std::swap(effects, effects_);
}

void Simulator::carry_out(NodeId node, protocol::Send& send) {
  mix(send.target.value);
  mix(send.bytes);
  costs_.add(send);
  if (send.target.value < 1 || send.target.value > members_.size()) return;
  transmit(node, send.target, std::move(send.bytes));
}

void Simulator::carry_out(NodeId node, protocol::Route& route) {
  mix(route.key.value);
  mix(route.bytes);
  std::vector<NodeId> listeners;
  for (const NodeId listener : listeners_[protocol::slot_of(route.key)]) {
    if (member(listener).is_up) listeners.push_back(listener);
  }
  costs_.add(route.kind, listeners.empty() ? 0 : 1, route.bytes.size());
  if (listeners.empty()) return;
  const std::size_t chosen = listeners.size() > 1 ? prng_.next() % listeners.size() : 0;
  transmit(node, listeners[chosen], std::move(route.bytes));
}

void Simulator::carry_out(NodeId node, protocol::Multicast& multicast) {
  mix(multicast.bytes);
  std::set<NodeId> targets;
  if (protocol::is_whole_ring(multicast.destinations)) {
    for (std::size_t i = 1; i <= members_.size(); ++i) targets.insert({i});
  } else {
    for (const std::uint32_t slot : protocol::slots_of(multicast.destinations)) {
      mix(slot);
      targets.insert(listeners_[slot].begin(), listeners_[slot].end());
    }
  }
  costs_.add(multicast.kind, targets.size(), multicast.bytes.size());
  for (const NodeId target : targets) transmit(node, target, multicast.bytes);
}

void Simulator::carry_out(NodeId node, const protocol::Listen& listen) {
  mix(listen.slot * 2 + (listen.is_on ? 1 : 0));
  if (listen.is_on) {
    listeners_[listen.slot].insert(node);
  } else {
    listeners_[listen.slot].erase(node);
  }
}

void Simulator::carry_out(NodeId node, const protocol::Deliver& deliver) {
  mix(deliver.bytes);
  if (deliver_observer_) deliver_observer_(now_, node, deliver);
}

void Simulator::carry_out(NodeId node, const protocol::WakeAt& wake) {
  mix(static_cast<std::uint64_t>(wake.instant.nanoseconds));
  member(node).wake_reading = wake.instant;
  queue_wake(node);
}

void Simulator::carry_out(NodeId /*node*/, const protocol::Drop& drop) {
  mix(static_cast<std::uint64_t>(drop.reason));
  costs_.add(drop.reason);
}

void Simulator::transmit(NodeId from, NodeId to, std::string bytes) {
  network_.carry(from, to, now_, prng_, arrivals_);
  if (arrivals_.empty()) return;
  Event event{.kind = EventKind::kArrival, .node = to, .source = from, .action = 0, .bytes = {}};
  for (std::size_t i = 0; i + 1 < arrivals_.size(); ++i) {
    event.bytes = bytes;
    queue_.push(arrivals_[i], event);
  }
  event.bytes = std::move(bytes);
  queue_.push(arrivals_.back(), std::move(event));
}

void Simulator::mix(std::uint64_t number) {
  hash_ = (hash_ ^ number) * 0x9E3779B97F4A7C15U;
  hash_ ^= hash_ >> 32U;
}

void Simulator::mix(std::string_view bytes) { mix(base::hash_bytes(bytes, hash_)); }

}  // namespace weir::runtime::sim
