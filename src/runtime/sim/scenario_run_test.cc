// SPDX-License-Identifier: Apache-2.0
// Runs of small scenarios: their measurements, and that each check can fail.
#include "runtime/sim/scenario_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/sim/checks.h"
#include "runtime/sim/key_trace.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Fraction kAll{.numerator = 1, .denominator = 1};

// Thirty members and five seconds of all kinds of work.
Scenario small() {
  Scenario scenario;
  scenario.name = "small";
  scenario.members.count = 30;
  scenario.settle = Duration::seconds(20);
  scenario.drain = Duration::seconds(15);
  scenario.work.until = Duration::seconds(5);
  scenario.work.lookups = 40;
  scenario.work.puts = 10;
  scenario.work.gets = 10;
  scenario.work.casts = 4;
  scenario.work.arc_casts = 4;
  scenario.checks.owners = 50;
  scenario.checks.ring = true;
  scenario.checks.lookups_right = kAll;
  scenario.checks.hops_min = {.numerator = 1, .denominator = 2};
  scenario.checks.hops_max = {.numerator = 3, .denominator = 2};
  scenario.checks.casts_exact = true;
  scenario.checks.items_kept = kAll;
  scenario.checks.no_drops = {protocol::DropReason::kMalformed};
  return scenario;
}

Fault fault(FaultKind kind, std::uint64_t member_count, Duration at) {
  Fault fault;
  fault.kind = kind;
  fault.at = at;
  fault.members = Amount{.count = member_count};
  return fault;
}

std::vector<std::string> failing(const Report& report) {
  std::vector<std::string> names;
  for (const Verdict& verdict : report.verdicts) {
    if (!verdict.holds) names.push_back(verdict.check);
  }
  return names;
}

TEST(ScenarioRunTest, AllChecksHoldWhereNothingHappens) {
  const Report report = run_scenario(small(), {});
  EXPECT_THAT(failing(report), IsEmpty());
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.verdicts.size(), 9U);
  EXPECT_EQ(report.lookups.calm_right, 200U);
  EXPECT_EQ(report.puts.answered, 50U);
  EXPECT_GT(report.gets.calm_right, 50U);
  EXPECT_EQ(report.casts.calm_right, 40U);
  EXPECT_EQ(report.samples.size(), 21U);
  EXPECT_EQ(report.samples.back().up_count, 30U);
}

TEST(ScenarioRunTest, TheSameSeedGivesTheSameHash) {
  Scenario scenario = small();
  scenario.faults.push_back(fault(FaultKind::kCrash, 3, Duration::seconds(1)));
  scenario.work.until = Duration::seconds(30);
  const std::uint64_t hash = run_scenario(scenario, {}).hash;
  EXPECT_EQ(run_scenario(scenario, {}).hash, hash);
  scenario.seed = 2;
  EXPECT_NE(run_scenario(scenario, {}).hash, hash);
}

TEST(ScenarioRunTest, FaultsStrikeAsOftenAsTheySayAndAreUndone) {
  Scenario scenario = small();
  scenario.work = {};
  scenario.checks = {};
  scenario.sample_every = Duration::milliseconds(500);
  Fault crash = fault(FaultKind::kCrash, 2, Duration::seconds(1));
  crash.every = Duration::seconds(1);
  crash.until = Duration::seconds(3);
  crash.lasts = Duration::seconds(10);
  Fault join = fault(FaultKind::kJoin, 5, Duration::seconds(4));
  Fault leave = fault(FaultKind::kLeave, 4, Duration::seconds(5));
  scenario.faults = {crash, join, leave};
  const Report report = run_scenario(scenario, {});
  EXPECT_EQ(scenario.faults_end(), Duration::seconds(13));
  EXPECT_EQ(report.member_count, 35U);
  EXPECT_EQ(report.samples[3].up_count, 28U);
  EXPECT_EQ(report.samples[7].up_count, 24U);
  EXPECT_EQ(report.samples[9].up_count, 29U);
  EXPECT_EQ(report.up_count, 31U);
}

TEST(ScenarioRunTest, SomebodyStaysUpWhateverStrikes) {
  Scenario scenario = small();
  scenario.faults.push_back(fault(FaultKind::kCrash, 1000, Duration::seconds(1)));
  scenario.work = {};
  scenario.checks = {};
  EXPECT_EQ(run_scenario(scenario, {}).up_count, 1U);
}

TEST(ScenarioRunTest, APartitionThatStaysLeavesTwoHomesAndABrokenRing) {
  Scenario scenario = small();
  scenario.faults.push_back(fault(FaultKind::kPartition, 10, Duration::seconds(1)));
  scenario.work = {};
  scenario.checks = {.owners = 50, .ring = true};
  const Report report = run_scenario(scenario, {});
  EXPECT_THAT(failing(report), AllOf(Contains("owners after settling"), Contains("owners"),
                                     Contains("ring after settling"), Contains("ring")));
  EXPECT_THAT(report.verdicts[0].detail, HasSubstr("keys are wrong; key "));
  EXPECT_GT(report.samples.back().unsettled_count, 0U);
}

TEST(ScenarioRunTest, WorkOverADeadNetworkFailsItsChecks) {
  Scenario scenario = small();
  scenario.link.loss = {.numerator = 9, .denominator = 10};
  const Report report = run_scenario(scenario, {});
  EXPECT_THAT(failing(report), AllOf(Contains("lookups_right"), Contains("casts_exact")));
}

TEST(ScenarioRunTest, WhatIsStoredAtMembersThatCrashIsNotKept) {
  Scenario scenario = small();
  Fault crash = fault(FaultKind::kCrash, 15, Duration::seconds(6));
  crash.lasts = Duration::seconds(5);
  crash.keeps_state = false;
  scenario.faults.push_back(crash);
  scenario.work.lookups = scenario.work.casts = scenario.work.arc_casts = 0;
  scenario.checks = {.owners = 50, .ring = true, .items_kept = kAll};
  const Report report = run_scenario(scenario, {});
  EXPECT_THAT(failing(report), testing::ElementsAre("items_kept"));
  scenario.faults[0].keeps_state = true;
  EXPECT_THAT(failing(run_scenario(scenario, {})), IsEmpty());
}

TEST(ScenarioRunTest, TheSumIsExactOnceAllHearEachOther) {
  Scenario scenario = small();
  scenario.work = {};
  scenario.work.until = Duration::seconds(20);
  scenario.work.adds = 10;
  scenario.checks = {.sum = true};
  scenario.settle = Duration::seconds(40);
  scenario.drain = Duration::seconds(40);
  scenario.faults.push_back(fault(FaultKind::kCrash, 3, Duration::seconds(5)));
  EXPECT_THAT(failing(run_scenario(scenario, {})), IsEmpty());
  scenario.faults.push_back(fault(FaultKind::kPartition, 10, Duration::seconds(10)));
  const Report parted = run_scenario(scenario, {});
  EXPECT_THAT(failing(parted), testing::ElementsAre("sum"));
  EXPECT_THAT(parted.verdicts[0].detail, HasSubstr("of 27 members"));
}

TEST(ScenarioRunTest, HopsOutsideTheirBoundsFail) {
  Scenario scenario = small();
  scenario.checks.hops_max = {.numerator = 1, .denominator = 10};
  EXPECT_THAT(failing(run_scenario(scenario, {})), testing::ElementsAre("hops"));
  scenario.checks.hops_max.reset();
  scenario.checks.hops_min = {.numerator = 3, .denominator = 1};
  EXPECT_THAT(failing(run_scenario(scenario, {})), testing::ElementsAre("hops"));
}

TEST(ScenarioRunTest, DropsAreCountedByTheirReason) {
  Report report;
  using enum protocol::DropReason;
  EXPECT_TRUE(check_drops(report, {kMalformed, kUnknown}).holds);
  report.costs.add(kStale);
  EXPECT_TRUE(check_drops(report, {kMalformed, kUnknown}).holds);
  report.costs.add(kUnknown);
  const Verdict verdict = check_drops(report, {kMalformed, kUnknown});
  EXPECT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.detail, "messages dropped: 1 unknown");
}

TEST(ScenarioRunTest, AChecksOfNothingFails) {
  const Report nothing;
  EXPECT_FALSE(check_lookups(nothing, kAll).holds);
  EXPECT_FALSE(check_items(nothing, kAll).holds);
  EXPECT_FALSE(check_casts(nothing).holds);
  EXPECT_FALSE(check_hops(nothing, std::nullopt, kAll).holds);
}

TEST(ScenarioRunTest, ATraceFollowsOneKey) {
  Scenario scenario = small();
  scenario.work = {};
  scenario.work.until = Duration::seconds(1);
  scenario.work.lookups = 1;
  scenario.checks = {};
  // The first run finds a key that is looked up; the second traces it.
  class FirstLookup : public Observer {
   public:
    void on_hear(base::Instant, protocol::NodeId, protocol::NodeId,
                 std::string_view message) override {
      if (const auto lookup = protocol::read<protocol::chord::Lookup>(message)) key = lookup->key;
    }
    void on_effect(base::Instant, protocol::NodeId, const protocol::Effect&) override {}
    void on_crash(base::Instant, protocol::NodeId) override {}
    void on_restart(base::Instant, protocol::NodeId, bool) override {}
    protocol::Key key;
  };
  FirstLookup first;
  const std::uint64_t hash = run_scenario(scenario, {.on_sample = {}, .observer = &first}).hash;
  std::vector<std::string> lines;
  KeyTrace trace(protocol::kRingBitsMax, first.key,
                 [&](std::string line) { lines.push_back(std::move(line)); });
  EXPECT_EQ(run_scenario(scenario, {.on_sample = {}, .observer = &trace}).hash, hash);
  ASSERT_GE(lines.size(), 4U);
  EXPECT_THAT(lines[0], HasSubstr("hears chord.lookup from its user"));
  EXPECT_THAT(lines[1], HasSubstr("sends chord.find to "));
  EXPECT_THAT(lines.back(),
              AllOf(HasSubstr("delivers chord.found to its user"), HasSubstr(" hops")));
}

}  // namespace
}  // namespace weir::runtime::sim
