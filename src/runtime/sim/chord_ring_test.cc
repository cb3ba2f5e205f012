// SPDX-License-Identifier: Apache-2.0
// A Chord ring in the simulator after joins, leaves and failures.
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
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ChordWorld::Options halves = options(seed);
    // In half of the runs no member has a contact, and members find remembered ones.
    if (seed % 2 == 0) halves.contact_count = 0;
    ChordWorld world(halves);
    world.add_settled(40);
    world.run(Duration::seconds(5));
    for (std::size_t i = 1; i <= 40; ++i) world.sim().network().set_group({i}, i % 2);
    world.run(Duration::seconds(60));
    EXPECT_NE(world.overlap(), "");
    world.sim().network().heal();
    EXPECT_EQ(world.run_until_ideal(Duration::seconds(120)), "") << "seed " << seed;
  }
}

TEST(ChordRingTest, WhoIsCutOffAnswersForALeaseAndThenOnlyWhenItIsAlone) {
  ChordWorld world(options(1));
  world.add_settled(20);
  world.run(Duration::seconds(5));
  const auto members = world.members();
  const auto& lost = world.node(members[4].node);
  const auto& next = world.node(members[5].node);
  world.sim().network().set_group(members[4].node, 1);
  world.run(Duration::seconds(7));
  EXPECT_FALSE(lost.is_settled());
  world.run(Duration::seconds(8));
  EXPECT_TRUE(next.is_home(members[4].id));
  EXPECT_FALSE(lost.is_settled());
  world.run(Duration::seconds(60));
  EXPECT_TRUE(lost.is_home(members[4].id));
  EXPECT_TRUE(lost.is_home(members[9].id));
  world.sim().network().heal();
  EXPECT_EQ(world.run_until_ideal(Duration::seconds(60)), "");
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
