// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/progress.h"
#include "cli/scenario_file.h"
#include "cli/sim_plots.h"
#include "cli/sim_report.h"
#include "runtime/sim/key_trace.h"
#include "runtime/sim/scenario_run.h"
#include "runtime/sim/scenario_writer.h"

namespace weir::cli {

namespace sim = runtime::sim;

namespace {

// One in this many runs is run twice.
constexpr std::size_t kRepeatEvery = 10;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class SimCommand {
 public:
  SimCommand(const SimOptions& options, Streams& streams)
      : options_(options),
        streams_(streams),
        progress_(streams.err, {.enabled = !options.json && ::isatty(STDERR_FILENO) != 0,
                                .events = "messages",
                                .written = "runs done"}) {}

  Attempt<void> run() {
    auto scenarios = read_all();
    if (!scenarios) return tl::unexpected(std::move(scenarios.error()));
    run_count_ = scenarios->size() * options_.seed_count;
    for (sim::Scenario& scenario : *scenarios) {
      // What is needed to run it again comes first, should the rest not come.
      write(fmt::format("# {} seed{} from {} on\n{}\n", options_.seed_count,
                        options_.seed_count == 1 ? "" : "s", scenario.seed,
                        runtime::sim::scenario_toml(scenario)));
      streams_.out.flush();
      for (std::uint64_t i = 0; i < options_.seed_count; ++i, ++scenario.seed) {
        auto done = run_one(scenario);
        if (!done) return done;
      }
    }
    streams_.out.append(options_.json ? to_json(runs_) : "");
    if (run_count_ > 1) write("\n" + summary_text(runs_));
    return {};
  }

  bool holds() const { return std::ranges::all_of(runs_, &SimRun::holds); }

 private:
  Attempt<std::vector<sim::Scenario>> read_all() const {
    std::vector<sim::Scenario> scenarios;
    for (const std::string& path : options_.paths) {
      auto scenario = read_scenario_file(path);
      if (!scenario) return tl::unexpected(std::move(scenario.error()));
      scenario->seed = options_.seed.value_or(scenario->seed);
      scenarios.push_back(std::move(*scenario));
    }
    return scenarios;
  }

  Attempt<void> run_one(const sim::Scenario& scenario) {
    SimRun run = measure(scenario);
    progress_.clear();
    if (!options_.svg_directory.empty()) {
      auto written = write_sim_plots(run.report, options_.svg_directory);
      if (!written) return tl::unexpected(Failure{.error = std::move(written.error())});
    }
    if (run_count_ == 1 || !run.holds()) write(details_text(run));
    if (run_count_ == 1) write(fmt::format("\nhash {:016x}\n", run.report.hash));
    runs_.push_back(std::move(run));
    return {};
  }

  SimRun measure(const sim::Scenario& scenario) {
    SimRun run;
    sim::RunOptions options;
    options.on_sample = [this](base::Duration, std::uint64_t message_count) {
      progress_.show(steady_now(), {.event_count = messages_before_ + message_count,
                                    .written_count = runs_.size()});
    };
    std::unique_ptr<sim::KeyTrace> trace;
    if (options_.trace_key) {
      trace = std::make_unique<sim::KeyTrace>(
          static_cast<unsigned>(scenario.members.ring_bits), *options_.trace_key,
          [&](std::string line) { keep_or_write(std::move(line), run.trace); });
      options.observer = trace.get();
    }
    const double begun = cpu_seconds();
    run.report = run_scenario(scenario, options);
    run.cpu_seconds = cpu_seconds() - begun;
    messages_before_ += run.report.message_count;
    repeat_some(scenario, run);
    return run;
  }

  void repeat_some(const sim::Scenario& scenario, SimRun& run) {
    run.is_repeated = run_count_ > 1 && runs_.size() % kRepeatEvery == 0;
    if (run.is_repeated) run.is_same = run_scenario(scenario, {}).hash == run.report.hash;
  }

  void keep_or_write(std::string line, std::vector<std::string>& kept) {
    if (options_.json) {
      kept.push_back(std::move(line));
    } else {
      streams_.out.append(line + "\n");
    }
  }

  void write(const std::string& text) {
    if (!options_.json) streams_.out.append(text);
  }

  const SimOptions& options_;
  Streams& streams_;
  Progress progress_;
  std::size_t run_count_ = 0;
  std::uint64_t messages_before_ = 0;
  std::vector<SimRun> runs_;
};

}  // namespace

int run_sim(const SimOptions& options, Streams& streams) {
  SimCommand command(options, streams);
  const auto done = command.run();
  if (!done) {
    streams.out.flush();
    return report(done.error(), options.json, streams.err);
  }
  return finish(command.holds() ? kExitOk : kExitNo, options.json, streams);
}

}  // namespace weir::cli
