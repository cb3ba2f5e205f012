// SPDX-License-Identifier: Apache-2.0
#include "002/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "002/generator.h"

namespace weir::lab {
namespace {

using testing::ElementsAre;

Stream one_walk(Law law, std::size_t length) {
  return make_walks({.name = "walk", .law = law, .stream_count = 1, .length = length}).streams[0];
}

TEST(StreamWorkloadTest, ReadsOneStreamPerLine) {
  const auto workload = parse_workload("w", "4 8 -9\n7\n");
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  EXPECT_THAT(workload->streams, ElementsAre(ElementsAre(4, 8, -9), ElementsAre(7)));
}

TEST(StreamWorkloadTest, NamesTheLineThatItCannotRead) {
  for (const char* bad : {"", "x", "1 2.5", "1  2", "1099511627777", "-1099511627777"}) {
    const auto workload = parse_workload("w", std::string("1 2\n") + bad + "\n3\n");
    ASSERT_FALSE(workload.has_value()) << bad;
    EXPECT_EQ(workload.error().message,
              "w: line 2 is not integers from -1099511627776 to 1099511627776");
  }
  EXPECT_EQ(parse_workload("w", "").error().message, "w: no streams");
  EXPECT_EQ(read_workload("w", "no/such/file").error().message, "cannot read no/such/file");
}

TEST(WalkTest, TheSameSeedGivesTheSameWalksAndAnotherGivesOthers) {
  const WalkOptions options{.name = "w", .stream_count = 3, .length = 50};
  WalkOptions other = options;
  other.seed = 2;
  EXPECT_EQ(make_walks(options).streams, make_walks(options).streams);
  EXPECT_NE(make_walks(options).streams, make_walks(other).streams);
  EXPECT_NE(make_walks(options).streams[0], make_walks(options).streams[1]);
}

TEST(WalkTest, StepsAreAsTheLawsSay) {
  const auto steps_of = [](Law law) {
    const Stream walk = one_walk(law, 5'000);
    std::multiset<Value> steps;
    for (std::size_t i = 1; i < walk.size(); ++i) steps.insert(walk[i] - walk[i - 1]);
    return steps;
  };
  const auto unit = steps_of(Law::kUnit);
  EXPECT_EQ(unit.count(-1) + unit.count(1), 4'999U);
  EXPECT_NEAR(static_cast<double>(unit.count(1)), 2'500, 150);
  const auto uniform = steps_of(Law::kUniform);
  EXPECT_EQ(*uniform.begin(), -3);
  EXPECT_EQ(*uniform.rbegin(), 3);
  EXPECT_NEAR(static_cast<double>(uniform.count(0)), 4'999.0 / 7, 100);
  const auto jumps = steps_of(Law::kJumps);
  EXPECT_NEAR(static_cast<double>(jumps.count(0)), 4'999 * 0.75, 120);
  EXPECT_GT(std::max(std::abs(*jumps.begin()), *jumps.rbegin()), 20);
  EXPECT_NEAR(static_cast<double>(steps_of(Law::kTrend).count(1)), 4'999 * 0.75, 120);
}

TEST(WalkTest, SomeStayAroundALevel) {
  const Stream reverting = one_walk(Law::kReverting, 5'000);
  const auto [low, high] = std::ranges::minmax(reverting);
  EXPECT_GT(low, -150);
  EXPECT_LT(high, 150);
  EXPECT_GT(high - low, 100);
  const Stream level = one_walk(Law::kLevel, 5'000);
  EXPECT_EQ(std::ranges::min(level), -30);
  EXPECT_EQ(std::ranges::max(level), 30);
  const Stream noisy = one_walk(Law::kNoisy, 5'000);
  Value longest = 0;
  for (std::size_t i = 1; i < noisy.size(); ++i) {
    longest = std::max(longest, std::abs(noisy[i] - noisy[i - 1]));
  }
  EXPECT_EQ(longest, 11);  // from one end of the error to the other, and a step
}

}  // namespace
}  // namespace weir::lab
