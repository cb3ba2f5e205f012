// SPDX-License-Identifier: Apache-2.0
// The plots of a simulated run, as SVG documents.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/sim/report.h"

namespace weir::cli {

struct SimPlot {
  std::string file_name;  // "churn-1-members.svg"
  std::string svg;
};

// Members that are up, messages a second by kind, keys without a settled home, and how many hops
// lookups took; the last only where there were lookups.
std::vector<SimPlot> sim_plots(const runtime::sim::Report& report);

// Into a directory, which is made if it is not there. Fails with kCliFile.
base::Result<void> write_sim_plots(const runtime::sim::Report& report,
                                   const std::string& directory);

}  // namespace weir::cli
