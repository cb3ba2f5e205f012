// SPDX-License-Identifier: Apache-2.0
// FilterStats: what became of the events of a run, for `weir filter --stats`.
//
// The outcomes of each filter (passed to duplicate) add up to events - ingest_duplicates.
#pragma once

#include <string>
#include <vector>

#include "cli/filter_loop.h"
#include "engine/engine.h"

namespace weir::cli {

struct FilterStats {
  struct PerFilter {
    std::string text;
    engine::SubscriptionCounters counters;
  };

  StreamCounts stream;
  engine::EngineCounters engine;
  std::vector<PerFilter> filters;
  double cpu_seconds = 0;
};

std::string to_text(const FilterStats& stats);
std::string to_json(const FilterStats& stats);

// What this process has used so far.
double process_cpu_seconds();

}  // namespace weir::cli
