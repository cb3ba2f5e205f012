// SPDX-License-Identifier: Apache-2.0
// Reads scenarios from TOML; docs/simulation.md lists all keys.
#pragma once

#include <string_view>

#include "base/result.h"
#include "runtime/sim/scenario.h"

namespace weir::runtime::sim {

// Fails with kConfigSyntax or kConfigKey; the error has the place in the text.
base::Result<Scenario> parse_scenario(std::string_view toml);

}  // namespace weir::runtime::sim
