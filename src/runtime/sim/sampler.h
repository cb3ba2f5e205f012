// SPDX-License-Identifier: Apache-2.0
// Sampler: takes samples of a run at intervals, for plots and progress.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "protocol/cost.h"
#include "runtime/sim/report.h"
#include "runtime/sim/scenario.h"
#include "runtime/sim/world.h"

namespace weir::runtime::sim {

class Sampler {
 public:
  using Progress = std::function<void(base::Duration at, std::uint64_t message_count)>;

  Sampler(const Scenario& scenario, World& world, Progress progress);

  void start() { sample_at({}); }
  // Adds the samples to the report.
  void report(Report& report) const;

 private:
  struct Look {
    base::Duration at;
    std::uint64_t up_count = 0;
    std::uint64_t unsettled_count = 0;
    protocol::CostTable costs;
  };

  void sample_at(base::Instant instant);
  void look();
  std::uint64_t unsettled_count();

  const Scenario& scenario_;
  World& world_;
  Progress progress_;
  std::vector<protocol::Key> keys_;
  std::vector<Look> looks_;
};

}  // namespace weir::runtime::sim
