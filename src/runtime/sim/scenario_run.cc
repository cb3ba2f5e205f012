// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/scenario_run.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "runtime/sim/checks.h"
#include "runtime/sim/faults.h"
#include "runtime/sim/sampler.h"
#include "runtime/sim/work.h"
#include "runtime/sim/world.h"

namespace weir::runtime::sim {

namespace {

void measure(World& world, const Work& work, Report& report) {
  Simulator& sim = world.sim();
  report.hash = sim.hash();
  report.message_count = sim.message_count();
  report.member_count = sim.node_count();
  report.up_count = world.up().size();
  report.costs = sim.costs();
  work.report(report);
}

}  // namespace

Report run_scenario(const Scenario& scenario, const RunOptions& options) {
  World world(scenario);
  Work work(scenario, world);
  Faults faults(scenario, world);
  Sampler sampler(scenario, world, options.on_sample);
  world.sim().watch(options.observer);
  world.sim().on_deliver([&](base::Instant, protocol::NodeId node, const protocol::Deliver& what) {
    work.on_deliver(node, what);
    world.on_deliver(node, what);
  });
  world.on_forget([&](protocol::NodeId node) { work.forget(node); });
  world.start(scenario.members);
  faults.start();
  work.start();
  sampler.start();

  Report report;
  report.name = scenario.name;
  report.seed = scenario.seed;
  report.length = scenario.end();
  world.sim().run_until(base::Instant{} + scenario.calm_from());
  report.verdicts = check_settled(scenario, world);
  world.sim().run_until(base::Instant{} + scenario.end());
  measure(world, work, report);
  sampler.report(report);
  std::ranges::move(check_end(scenario, world, work, report), std::back_inserter(report.verdicts));
  return report;
}

}  // namespace weir::runtime::sim
