// SPDX-License-Identifier: Apache-2.0
// Writes scenarios as TOML.
#pragma once

#include <string>

#include "runtime/sim/scenario.h"

namespace weir::runtime::sim {

// Returns all keys, defaults included. parse_scenario() reads the same scenario from them.
std::string scenario_toml(const Scenario& scenario);

}  // namespace weir::runtime::sim
