// SPDX-License-Identifier: Apache-2.0
// A Chord ring under random schedules of faults: once they have ended, every key has one settled
// home, the right one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "base/seed_count_testing.h"
#include "protocol/chord/messages.h"
#include "runtime/sim/chord_testing.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using protocol::Key;
using protocol::NodeId;
using protocol::chord::Peer;

constexpr std::size_t kContactCount = 2;
constexpr std::size_t kMembersMax = 40;
constexpr Duration kHealingMax = Duration::seconds(90);

class Schedule {
 public:
  explicit Schedule(std::uint64_t seed)
      : prng_(seed ^ 0x5EEDU),
        world_({.sim = {.seed = seed, .link = {.latency_max = Duration::milliseconds(60)}},
                .chord = {.successors_max = 2 + prng_.next() % 8},
                .contact_count = kContactCount}) {}

  // Runs faults for about a minute, then none.
  void run() {
    const std::uint64_t count = 3 + prng_.next() % 20;
    for (std::uint64_t i = 0; i < count; ++i) {
      world_.add();
      if (one_in(2)) pause();
    }
    const std::uint64_t step_count = 10 + prng_.next() % 30;
    for (std::uint64_t i = 0; i < step_count; ++i) {
      strike();
      pause();
    }
    // A member without a live contact cannot find a ring.
    restart({1 + prng_.next() % kContactCount});
    world_.sim().network().heal();
    world_.sim().network().options().loss = {};
    world_.sim().network().options().duplication = {};
    world_.sim().network().options().reordering = {};
  }

  ChordWorld& world() { return world_; }

 private:
  bool one_in(std::uint64_t count) { return prng_.next() % count == 0; }
  void pause() {
    world_.run(Duration::milliseconds(static_cast<std::int64_t>(prng_.next() % 4000)));
  }
  Fraction up_to(std::uint32_t percent) {
    return {.numerator = static_cast<std::uint32_t>(prng_.next() % (percent + 1)),
            .denominator = 100};
  }
  NodeId anyone() { return {1 + prng_.next() % world_.sim().node_count()}; }

  void strike() {
    switch (prng_.next() % 10) {
      case 0:
      case 1:
        return crash_some();
      case 2:
      case 3:
      case 4:
        return restart(anyone());
      case 5:
        return join_some();
      case 6:
        return leave_one();
      case 7:
        return divide();
      case 8:
        return disturb();
      default:
        return shift_a_clock();
    }
  }

  void crash_some() {
    const std::uint64_t count = 1 + prng_.next() % 4;
    for (std::uint64_t i = 0; i < count; ++i) {
      const NodeId node = anyone();
      if (world_.is_member(node) && world_.members().size() > 1) world_.sim().crash(node);
    }
  }

  // A member that left restarts without state.
  void restart(NodeId node) {
    if (world_.is_member(node)) return;
    const bool has_left = world_.node(node).has_left();
    if (world_.sim().is_up(node)) world_.sim().crash(node);
    world_.sim().restart(node, !has_left && one_in(2));
  }

  void join_some() {
    const std::uint64_t count = 1 + prng_.next() % 4;
    for (std::uint64_t i = 0; i < count && world_.sim().node_count() < kMembersMax; ++i) {
      world_.add();
    }
  }

  void leave_one() {
    const NodeId node = anyone();
    if (!world_.is_member(node) || world_.members().size() < 2) return;
    world_.sim().tell(node, encode(protocol::chord::Leave{}));
  }

  void divide() {
    if (one_in(2)) return world_.sim().network().heal();
    const std::uint64_t group_count = 2 + prng_.next() % 2;
    for (std::size_t i = 1; i <= world_.sim().node_count(); ++i) {
      world_.sim().network().set_group({i}, static_cast<std::uint32_t>(prng_.next() % group_count));
    }
  }

  void disturb() {
    LinkOptions& link = world_.sim().network().options();
    link.loss = up_to(20);
    link.duplication = up_to(20);
    link.reordering = up_to(30);
    link.reordering_delay_max =
        Duration::milliseconds(static_cast<std::int64_t>(100 + prng_.next() % 900));
  }

  void shift_a_clock() {
    const auto seconds = static_cast<std::int64_t>(prng_.next() % 21) - 10;
    world_.sim().set_clock_offset(anyone(), Duration::seconds(seconds));
  }

  base::Prng prng_;
  ChordWorld world_;
};

std::uint64_t homes_of(const ChordWorld& world, const std::vector<Peer>& members, Key key) {
  return static_cast<std::uint64_t>(
      std::count_if(members.begin(), members.end(),
                    [&](const Peer& peer) { return world.node(peer.node).is_home(key); }));
}

void expect_one_home_for_every_key(ChordWorld& world, base::Prng& prng) {
  const std::vector<Peer> members = world.members();
  for (int i = 0; i < 100; ++i) {
    const Key key{prng.next()};
    EXPECT_EQ(homes_of(world, members, key), 1U);
    EXPECT_TRUE(world.node(members[home_index(members, key)].node).is_home(key));
  }
  for (const Peer& member : members) EXPECT_EQ(homes_of(world, members, member.id), 1U);
}

TEST(ChordFaultsTest, EveryKeyHasItsOneHomeOnceTheFaultsHaveEnded) {
  const std::uint64_t count = base::seed_count();
  std::int64_t longest = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    base::set_check_seed(seed);
    Schedule schedule(seed);
    schedule.run();
    const base::Instant ended = schedule.world().sim().now();
    ASSERT_EQ(schedule.world().run_until_ideal(kHealingMax), "") << "seed " << seed;
    longest = std::max(longest, (schedule.world().sim().now() - ended).nanoseconds);
    base::Prng prng(seed);
    expect_one_home_for_every_key(schedule.world(), prng);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  RecordProperty("healed_seconds_max", std::to_string(longest / 1'000'000'000));
}

TEST(ChordFaultsTest, ARunCanBeRepeated) {
  const auto hash = [](std::uint64_t seed) {
    Schedule schedule(seed);
    schedule.run();
    return schedule.world().sim().hash();
  };
  for (std::uint64_t seed = 1; seed <= base::seed_count({.quick = 5, .full = 100}); ++seed) {
    EXPECT_EQ(hash(seed), hash(seed)) << "seed " << seed;
  }
  EXPECT_NE(hash(1), hash(2));
  // To compare between compilers.
  RecordProperty("hash", std::to_string(hash(1)));
}

}  // namespace
}  // namespace weir::runtime::sim
