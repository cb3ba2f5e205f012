// SPDX-License-Identifier: Apache-2.0
#include "000/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "000/generator.h"

namespace weir::lab {
namespace {

using testing::ElementsAre;

TEST(WorkloadTest, ReadsClientsAndEvents) {
  const auto workload = parse_workload("log", "a\t/x\nb\t/y z\na\t/x\n", 10);
  ASSERT_TRUE(workload.has_value());
  EXPECT_THAT(workload->clients, ElementsAre("a", "b"));
  ASSERT_EQ(workload->events.size(), 3U);
  EXPECT_EQ(workload->events[0].key, workload->events[2].key);
  EXPECT_EQ(workload->events[1].client_index, 1U);
  EXPECT_THAT(workload->distinct_keys(),
              ElementsAre(workload->events[0].key, workload->events[1].key));
}

TEST(WorkloadTest, StopsAtTheLargestNumberOfEvents) {
  EXPECT_EQ(parse_workload("log", "a\t/x\nb\t/y\nbad", 2)->events.size(), 2U);
}

TEST(WorkloadTest, NamesTheLineThatIsNotAnEvent) {
  const auto workload = parse_workload("log", "a\t/x\nno event\n", 10);
  ASSERT_FALSE(workload.has_value());
  EXPECT_EQ(workload.error().message, "log: line 2 is not `client TAB event`");
  EXPECT_EQ(parse_workload("log", "", 10).error().message, "log: no events");
  EXPECT_FALSE(read_workload("log", "no/such/file", 10).has_value());
}

TEST(WorkloadTest, AClientsPathGoesFromItsNetworkToItself) {
  EXPECT_THAT(client_path("192.0.2.7"), ElementsAre("192", "0", "2", "7"));
  EXPECT_THAT(client_path("a.b.example.ac.uk"), ElementsAre("uk", "ac", "example", "b.a"));
  EXPECT_THAT(client_path("localhost"), ElementsAre("localhost", "", "", ""));
}

TEST(WorkloadTest, RepetitionsHaveOtherKeys) {
  EXPECT_EQ(rekeyed(7, 0), 7U);
  EXPECT_NE(rekeyed(7, 1), rekeyed(7, 2));
}

TEST(GeneratorTest, MakesAboutAsManyDistinctEventsAsAsked) {
  for (const double exponent : {0.0, 1.0}) {
    const Workload workload = make_synthetic({.name = "synthetic",
                                              .event_count = 20'000,
                                              .distinct_count = 4'000,
                                              .exponent = exponent});
    EXPECT_EQ(workload.events.size(), 20'000U);
    EXPECT_NEAR(static_cast<double>(workload.distinct_keys().size()), 4'000, 120) << exponent;
  }
  const Workload log = make_web_log({.event_count = 20'000, .distinct_count = 3'400});
  EXPECT_NEAR(static_cast<double>(log.distinct_keys().size()), 3'400, 200);
}

TEST(GeneratorTest, ItemsOfZipfsLawHaveSharesOfOneOverTheirRank) {
  const Workload workload = make_synthetic(
      {.name = "zipf", .event_count = 50'000, .distinct_count = 2'000, .exponent = 1.0});
  std::map<std::uint64_t, int> counts;
  for (const WorkloadEvent& event : workload.events) ++counts[event.key];
  std::vector<int> by_rank;
  for (const auto& [key, count] : counts) by_rank.push_back(count);
  std::ranges::sort(by_rank, std::greater{});
  EXPECT_NEAR(static_cast<double>(by_rank[0]) / by_rank[9], 10, 1.5);
}

TEST(GeneratorTest, TheSameSeedGivesTheSameLog) {
  const WebLogOptions options{.event_count = 2'000, .distinct_count = 500, .client_count = 50};
  const Workload one = make_web_log(options);
  const Workload two = make_web_log(options);
  EXPECT_EQ(one.clients, two.clients);
  EXPECT_TRUE(std::ranges::equal(one.events, two.events, [](auto& a, auto& b) {
    return a.key == b.key && a.client_index == b.client_index;
  }));
}

}  // namespace
}  // namespace weir::lab
