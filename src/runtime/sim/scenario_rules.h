// SPDX-License-Identifier: Apache-2.0
// Rules between several keys of a scenario.
#pragma once

#include <optional>
#include <string>

#include "runtime/sim/scenario.h"

namespace weir::runtime::sim {

struct ScenarioTrouble {
  std::string key;  // "work.until", or "rate" in a fault
  std::string message;
};

std::optional<ScenarioTrouble> trouble_with(const Fault& fault);
std::optional<ScenarioTrouble> trouble_with(const Scenario& scenario);

}  // namespace weir::runtime::sim
