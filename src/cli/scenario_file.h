// SPDX-License-Identifier: Apache-2.0
// Reads the files of scenarios.
#pragma once

#include <cstddef>
#include <string>

#include "cli/failure.h"
#include "runtime/sim/scenario.h"

namespace weir::cli {

inline constexpr std::size_t kScenarioBytesMax = std::size_t{1} << 20U;

// Fails with the error of the file or of parse_scenario(); the failure has the file's name and, if
// the text was read, the text. A scenario without a name gets the name of its file.
Attempt<runtime::sim::Scenario> read_scenario_file(const std::string& path);

}  // namespace weir::cli
