// SPDX-License-Identifier: Apache-2.0
// Scenarios as TOML files; docs/simulation.md has all keys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/failure.h"
#include "runtime/sim/scenario.h"

namespace weir::cli {

inline constexpr std::size_t kScenarioBytesMax = std::size_t{1} << 20U;

// Fails with kConfigSyntax or kConfigKey; the failure has the file's name and text, and the place.
// A scenario without a name has that of its file.
Attempt<runtime::sim::Scenario> read_scenario_file(const std::string& path);
Attempt<runtime::sim::Scenario> parse_scenario(std::string_view toml, const std::string& name);

// All keys, also those that have their defaults: parse_scenario() gives the same scenario again.
std::string scenario_toml(const runtime::sim::Scenario& scenario);

}  // namespace weir::cli
