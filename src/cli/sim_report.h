// SPDX-License-Identifier: Apache-2.0
// Reports of simulated runs for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "runtime/sim/report.h"

namespace weir::cli {

struct SimRun {
  runtime::sim::Report report;
  bool is_repeated = false;  // it was run twice
  bool is_same = true;       // and both gave the same hash
  double cpu_seconds = 0;
  std::vector<std::string> trace;

  bool holds() const { return is_same && report.holds(); }
};

// What was asked and answered, what it cost, and the verdicts.
std::string details_text(const SimRun& run);
// One line for each run.
std::string summary_text(const std::vector<SimRun>& runs);
// One object for all of them.
std::string to_json(const std::vector<SimRun>& runs);

}  // namespace weir::cli
