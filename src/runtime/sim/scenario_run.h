// SPDX-License-Identifier: Apache-2.0
// Runs a scenario. The same scenario gives the same report on every machine.
//
//   const Report report = run_scenario(scenario, {});
//   if (!report.holds()) ...
#pragma once

#include <functional>

#include "runtime/sim/report.h"
#include "runtime/sim/scenario.h"
#include "runtime/sim/simulator.h"

namespace weir::runtime::sim {

struct RunOptions {
  // Called at each sample with the progress of the run.
  std::function<void(base::Duration at, std::uint64_t message_count)> on_sample = {};
  Observer* observer = nullptr;
};

Report run_scenario(const Scenario& scenario, const RunOptions& options);

}  // namespace weir::runtime::sim
