// SPDX-License-Identifier: Apache-2.0
// A Chord ring in the simulator: what it becomes after joins, leaves and failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "runtime/sim/chord_testing.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using protocol::NodeId;

ChordWorld::Options options(std::uint64_t seed) {
  return {.sim = {.seed = seed, .link = {.latency_max = Duration::milliseconds(40)}}, .chord = {}};
}

TEST(ChordRingTest, JoinsOneByOneEndInTheIdealRing) {
  ChordWorld world(options(1));
  for (int i = 0; i < 40; ++i) {
    world.add();
    world.run(Duration::seconds(1));
    EXPECT_EQ(world.overlap(), "");
  }
  EXPECT_EQ(world.run_until_ideal(Duration::seconds(60)), "");
}

TEST(ChordRingTest, JoinsAllAtOnceEndInTheIdealRing) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ChordWorld world(options(seed));
    for (int i = 0; i < 100; ++i) world.add();
    EXPECT_EQ(world.run_until_ideal(Duration::seconds(90)), "") << "seed " << seed;
  }
}

TEST(ChordRingTest, FailuresUpToTheListsLengthHeal) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ChordWorld world(options(seed));
    world.add_settled(50);
    world.run(Duration::seconds(5));
    const auto members = world.members();
    for (std::size_t i = 0; i < 8; ++i) world.sim().crash(members[(seed * 5 + i) % 50].node);
    EXPECT_EQ(world.run_until_ideal(Duration::seconds(90)), "") << "seed " << seed;
  }
}

TEST(ChordRingTest, HalvesMergeAgain) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ChordWorld world(options(seed));
    world.add_settled(40);
    world.run(Duration::seconds(5));
    for (std::size_t i = 1; i <= 40; ++i) world.sim().network().set_group({i}, i % 2);
    world.run(Duration::seconds(60));
    world.sim().network().heal();
    EXPECT_EQ(world.run_until_ideal(Duration::seconds(120)), "") << "seed " << seed;
  }
}

TEST(ChordRingTest, ALoopThatPassesSeveralTimesRoundComesApart) {
  for (const std::size_t turn_count : {2U, 3U}) {
    ChordWorld::Options alone = options(turn_count);
    alone.contact_count = 0;
    ChordWorld world(alone);
    world.add_loop(24, turn_count);
    world.run({});
    EXPECT_NE(world.overlap(), "");
    EXPECT_EQ(world.run_until_ideal(Duration::seconds(120)), "") << turn_count << " turns";
  }
}

}  // namespace
}  // namespace weir::runtime::sim
