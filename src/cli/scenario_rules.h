// SPDX-License-Identifier: Apache-2.0
// What must fit together in a scenario, beyond what each key may be.
#pragma once

#include <optional>
#include <string>

#include "runtime/sim/scenario.h"

namespace weir::cli {

struct ScenarioTrouble {
  std::string key;  // "work.until", or "rate" in a fault
  std::string message;
};

std::optional<ScenarioTrouble> trouble_with(const runtime::sim::Fault& fault);
std::optional<ScenarioTrouble> trouble_with(const runtime::sim::Scenario& scenario);

}  // namespace weir::cli
