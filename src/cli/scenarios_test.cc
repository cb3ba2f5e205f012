// SPDX-License-Identifier: Apache-2.0
// The scenarios of tests/scenarios: fast ones each time, slow and rare ones where WEIR_FULL=1.
//
// What the members did is the same on every machine and with every compiler: the hashes are those
// of tests/scenarios/hashes.txt. A change of a protocol changes them; `weir sim
// tests/scenarios/*/*.toml` prints the new ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/seed_count_testing.h"
#include "base/source_file_testing.h"
#include "cli/scenario_file.h"
#include "runtime/sim/scenario_run.h"

namespace weir::cli {
namespace {

namespace sim = runtime::sim;

// Tests are run in the source root.
constexpr const char* kFolder = "tests/scenarios";

std::vector<std::string> names_in(const std::string& speed) {
  std::vector<std::string> names;
  const std::filesystem::path folder = std::filesystem::path(kFolder) / speed;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

sim::Scenario read(const std::string& speed, const std::string& name) {
  auto scenario = read_scenario_file(fmt::format("{}/{}/{}.toml", kFolder, speed, name));
  if (scenario) return *std::move(scenario);
  ADD_FAILURE() << scenario.error().what << ": " << scenario.error().error.to_string();
  return {};
}

std::string troubles(const sim::Report& report) {
  std::string text = fmt::format("{}, seed {}:", report.name, report.seed);
  for (const sim::Verdict& verdict : report.verdicts) {
    if (!verdict.holds) text += fmt::format("\n  {}: {}", verdict.check, verdict.detail);
  }
  return text;
}

// "churn 42504cba10178178"
std::map<std::string, std::string> expected_hashes() {
  std::istringstream lines(base::read_source_file("tests/scenarios/hashes.txt"));
  std::map<std::string, std::string> hashes;
  std::string name;
  std::string hash;
  while (lines >> name >> hash) hashes[name] = hash;
  return hashes;
}

TEST(ScenariosTest, FastOnesHoldAndDoWhatTheyDidEverywhere) {
  std::map<std::string, std::string> hashes;
  for (const std::string& name : names_in("fast")) {
    const sim::Report report = run_scenario(read("fast", name), {});
    EXPECT_TRUE(report.holds()) << troubles(report);
    hashes[name] = fmt::format("{:016x}", report.hash);
  }
  EXPECT_EQ(hashes, expected_hashes());
}

// A tenth of the runs is run twice.
void run_seeds(const std::string& speed, std::uint64_t seed_count) {
  for (const std::string& name : names_in(speed)) {
    sim::Scenario scenario = read(speed, name);
    for (std::uint64_t i = 0; i < seed_count; ++i, ++scenario.seed) {
      const sim::Report report = run_scenario(scenario, {});
      EXPECT_TRUE(report.holds()) << troubles(report);
      if (i % 10 == 0) {
        EXPECT_EQ(run_scenario(scenario, {}).hash, report.hash) << name << " " << scenario.seed;
      }
    }
  }
}

TEST(ScenariosTest, FastOnesHoldForOtherSeeds) {
  run_seeds("fast", base::seed_count({.quick = 2, .full = 100}));
}

TEST(ScenariosTest, SlowAndRareOnesHoldWhereThereIsTime) {
  const std::uint64_t seed_count = base::seed_count({.quick = 0, .full = 1});
  run_seeds("slow", seed_count);
  run_seeds("rare", seed_count);
}

TEST(ScenariosTest, AllOfThemCanBeRead) {
  for (const char* speed : {"fast", "slow", "rare"}) {
    for (const std::string& name : names_in(speed)) {
      const sim::Scenario scenario = read(speed, name);
      EXPECT_EQ(scenario.name, name);
    }
  }
}

}  // namespace
}  // namespace weir::cli
