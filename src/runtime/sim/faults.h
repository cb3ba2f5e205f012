// SPDX-License-Identifier: Apache-2.0
// Faults: strikes members and links as a scenario says, and undoes it.
#pragma once

#include <functional>
#include <vector>

#include "base/prng.h"
#include "runtime/sim/scenario.h"
#include "runtime/sim/world.h"

namespace weir::runtime::sim {

class Faults {
 public:
  Faults(const Scenario& scenario, World& world);

  // Schedules all strikes of the scenario.
  void start();

 private:
  using Members = std::vector<protocol::NodeId>;

  void strike_later(const Fault& fault, base::Instant at);
  // Returns the action that undoes it.
  std::function<void()> strike(const Fault& fault);
  std::function<void()> crash(const Fault& fault, const Members& members);
  std::function<void()> leave(const Members& members);
  std::function<void()> join(const Fault& fault);
  std::function<void()> part(const Members& members);
  std::function<void()> lose(const Fault& fault, const Members& members);
  std::function<void()> slow(const Fault& fault, const Members& members);
  std::function<void()> skew(const Fault& fault, const Members& members);
  std::function<void()> set(Fraction LinkOptions::* field, Fraction rate);
  void come_back(protocol::NodeId node, bool keeps_state);
  // Returns a random number from -most to most.
  std::int64_t any_of(std::int64_t most);

  const Scenario& scenario_;
  World& world_;
  base::Prng prng_;
};

}  // namespace weir::runtime::sim
