// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/faults.h"

#include <algorithm>

namespace weir::runtime::sim {

using protocol::NodeId;

namespace {

constexpr std::uint64_t kFaultSalt = 0x6661756C74U;

}  // namespace

Faults::Faults(const Scenario& scenario, World& world)
    : scenario_(scenario), world_(world), prng_(scenario.seed ^ kFaultSalt) {}

void Faults::start() {
  for (const Fault& fault : scenario_.faults) strike_later(fault, base::Instant{} + fault.at);
}

void Faults::strike_later(const Fault& fault, base::Instant instant) {
  world_.sim().at(instant, [this, &fault, instant] {
    auto undo = strike(fault);
    if (undo && fault.lasts > base::Duration{}) {
      world_.sim().at(instant + fault.lasts, std::move(undo));
    }
    const base::Instant next = instant + fault.every;
    if (fault.every > base::Duration{} && next <= base::Instant{} + fault.until) {
      strike_later(fault, next);
    }
  });
}

std::function<void()> Faults::strike(const Fault& fault) {
  const std::uint64_t up_count = world_.up().size();
  std::uint64_t count = fault.members ? fault.members->of(up_count) : 0;
  const bool takes_away = fault.kind == FaultKind::kCrash || fault.kind == FaultKind::kLeave;
  // At least one member stays.
  if (takes_away) count = std::min(count, up_count - std::min<std::uint64_t>(up_count, 1));
  const Members members = world_.draw(fault.kind == FaultKind::kJoin ? 0 : count, prng_);
  switch (fault.kind) {
    case FaultKind::kCrash:
      return crash(fault, members);
    case FaultKind::kLeave:
      return leave(members);
    case FaultKind::kJoin:
      return join(fault);
    case FaultKind::kPartition:
      return part(members);
    case FaultKind::kLoss:
      return lose(fault, members);
    case FaultKind::kDuplication:
      return set(&LinkOptions::duplication, fault.rate);
    case FaultKind::kReordering:
      return set(&LinkOptions::reordering, fault.rate);
    case FaultKind::kSlow:
      return slow(fault, members);
    case FaultKind::kSkew:
      return skew(fault, members);
  }
  return {};
}

std::function<void()> Faults::crash(const Fault& fault, const Members& members) {
  for (const NodeId node : members) world_.crash(node);
  return [this, members, keeps_state = fault.keeps_state] {
    for (const NodeId node : members) come_back(node, keeps_state);
  };
}

std::function<void()> Faults::leave(const Members& members) {
  for (const NodeId node : members) world_.leave(node);
  return [this, members] {
    for (const NodeId node : members) come_back(node, false);
  };
}

std::function<void()> Faults::join(const Fault& fault) {
  const std::uint64_t count = fault.members ? fault.members->of(world_.up().size()) : 0;
  for (std::uint64_t i = 0; i < count; ++i) world_.add();
  return {};
}

std::function<void()> Faults::part(const Members& members) {
  for (const NodeId node : members) world_.sim().network().set_group(node, 1);
  return [this] { world_.sim().network().heal(); };
}

std::function<void()> Faults::lose(const Fault& fault, const Members& members) {
  if (!fault.members) return set(&LinkOptions::loss, fault.rate);
  for (const NodeId node : members) world_.sim().network().set_loss(node, fault.rate);
  return [this, members] {
    for (const NodeId node : members) world_.sim().network().set_loss(node, Fraction{});
  };
}

std::function<void()> Faults::slow(const Fault& fault, const Members& members) {
  for (const NodeId node : members) world_.sim().set_slowness(node, fault.slowness);
  return [this, members] {
    for (const NodeId node : members) world_.sim().set_slowness(node, {});
  };
}

std::function<void()> Faults::skew(const Fault& fault, const Members& members) {
  for (const NodeId node : members) {
    world_.sim().set_clock_drift(node, any_of(static_cast<std::int64_t>(fault.drift_ppm)));
    world_.sim().set_clock_offset(node, {any_of(fault.offset.nanoseconds)});
  }
  return [this, members] {
    for (const NodeId node : members) {
      world_.sim().set_clock_drift(node, 0);
      world_.sim().set_clock_offset(node, {});
    }
  };
}

std::function<void()> Faults::set(Fraction LinkOptions::* field, Fraction rate) {
  world_.sim().network().options().*field = rate;
  return [this, field] { world_.sim().network().options().*field = scenario_.link.*field; };
}

// A member that has not left yet crashes first. Members that another fault took or brought back
// stay as they are.
void Faults::come_back(NodeId node, bool keeps_state) {
  if (world_.is_up(node)) return;
  if (world_.sim().is_up(node)) world_.crash(node);
  world_.restart(node, keeps_state);
}

std::int64_t Faults::any_of(std::int64_t most) {
  const auto width = (static_cast<std::uint64_t>(most) * 2) + 1;
  return static_cast<std::int64_t>(prng_.next() % width) - most;
}

}  // namespace weir::runtime::sim
