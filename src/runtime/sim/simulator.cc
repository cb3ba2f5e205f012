// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/simulator.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/hash.h"
#include "protocol/slot.h"

namespace weir::runtime::sim {

using base::Duration;
using base::Instant;
using protocol::NodeId;

namespace {

Duration negative(Duration duration) { return {-duration.nanoseconds}; }

}  // namespace

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
  ++crashed.wake_number;
  for (std::set<NodeId>& listeners : listeners_) listeners.erase(node);
}

void Simulator::restart(NodeId node, bool keeps_state) {
  Member& back = member(node);
  WEIR_CHECK(!back.is_up);
  back.is_up = true;
  if (!keeps_state) back.node = factory_(node, prng_.next());
  wake_now(node);
}

void Simulator::set_slowness(NodeId node, Duration slowness) { member(node).slowness = slowness; }

void Simulator::set_clock_offset(NodeId node, Duration offset) {
  member(node).clock_offset = offset;
}

void Simulator::tell(NodeId node, std::string message) { hear(node, protocol::kUser, message); }

void Simulator::at(Instant instant, std::function<void()> action) {
  queue_.push(std::max(instant, now_), {.node = {}, .what = std::move(action)});
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
  queue_.push(now_, {.node = node, .what = Wake{++member(node).wake_number}});
}

void Simulator::happen(Event event) {
  if (auto* action = std::get_if<std::function<void()>>(&event.what)) {
    (*action)();
  } else if (auto* arrival = std::get_if<Arrival>(&event.what)) {
    arrive(event.node, std::move(*arrival));
  } else if (std::get<Wake>(event.what).number == member(event.node).wake_number) {
    Member& woken = member(event.node);
    woken.node->on_wake(clock_of(woken), effects_);
    carry_out(event.node);
  }
}

// A slow member takes its messages one after another.
void Simulator::arrive(NodeId node, Arrival arrival) {
  Member& target = member(node);
  if (!target.is_up) return;
  if (target.slowness > Duration{}) {
    if (target.busy_until > now_) {
      queue_.push(target.busy_until, {.node = node, .what = std::move(arrival)});
      return;
    }
    target.busy_until = now_ + target.slowness;
  }
  ++message_count_;
  hear(node, arrival.source, arrival.bytes);
}

void Simulator::hear(NodeId node, NodeId source, std::string_view bytes) {
  Member& target = member(node);
  if (!target.is_up) return;
  target.node->on_message(clock_of(target), source, bytes, effects_);
  carry_out(node);
}

void Simulator::carry_out(NodeId node) {
  protocol::Effects effects;
  std::swap(effects, effects_);
  for (protocol::Effect& effect : effects.list()) {
    mix(static_cast<std::uint64_t>(now_.nanoseconds));
    mix(node.value * 8 + effect.index());
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
  transmit(node, send.target, send.bytes);
}

void Simulator::carry_out(NodeId node, protocol::Route& route) {
  mix(route.key.value);
  mix(route.bytes);
  const std::set<NodeId>& listeners = listeners_[protocol::slot_of(route.key)];
  costs_.add(route.kind, listeners.size(), route.bytes.size());
  for (const NodeId listener : listeners) transmit(node, listener, route.bytes);
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
  if (observer_) observer_(now_, node, deliver);
}

void Simulator::carry_out(NodeId node, const protocol::WakeAt& wake) {
  mix(static_cast<std::uint64_t>(wake.instant.nanoseconds));
  Member& sleeper = member(node);
  const Instant instant = wake.instant + negative(sleeper.clock_offset);
  queue_.push(std::max(instant, now_), {.node = node, .what = Wake{++sleeper.wake_number}});
}

void Simulator::carry_out(NodeId /*node*/, const protocol::Drop& drop) {
  mix(static_cast<std::uint64_t>(drop.reason));
  costs_.add(drop.reason);
}

void Simulator::transmit(NodeId from, NodeId to, const std::string& bytes) {
  network_.carry(from, to, prng_, delays_);
  for (const Duration delay : delays_) {
    queue_.push(now_ + delay, {.node = to, .what = Arrival{.source = from, .bytes = bytes}});
  }
}

void Simulator::mix(std::uint64_t number) {
  hash_ = (hash_ ^ number) * 0x9E3779B97F4A7C15U;
  hash_ ^= hash_ >> 32U;
}

void Simulator::mix(std::string_view bytes) { mix(base::hash_bytes(bytes, hash_)); }

}  // namespace weir::runtime::sim
