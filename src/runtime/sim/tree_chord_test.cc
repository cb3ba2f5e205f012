// SPDX-License-Identifier: Apache-2.0
// The tree and the probe's sums over Chord rings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/seed_count_testing.h"
#include "protocol/probe/messages.h"
#include "protocol/tree/messages.h"
#include "protocol/tree/sum_summary.h"
#include "runtime/sim/chord_testing.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using protocol::NodeId;
using protocol::chord::Peer;
using protocol::probe::Add;
using protocol::tree::Aggregation;
using protocol::tree::SumSummary;

constexpr Duration kHealingMax = Duration::seconds(120);
// Time for leases of former parents to end, and for changes to go up and down.
constexpr Duration kSettling = Duration::seconds(20);

const Aggregation& aggregation(const ChordWorld& world, NodeId node) {
  return world.probe(node).aggregation();
}

void add(ChordWorld& world, NodeId node, std::int64_t amount) {
  world.sim().tell(node, encode(Add{.amount = amount}));
}

// Every member knows the number of members and the sum of their amounts.
void expect_exact(const ChordWorld& world) {
  const std::vector<Peer> members = world.members();
  std::int64_t wanted = 0;
  for (const Peer& member : members) wanted += world.probe(member.node).added();
  for (const Peer& member : members) {
    const auto& result = aggregation(world, member.node).result();
    ASSERT_TRUE(result) << "member " << member.node.value;
    ASSERT_EQ(result->member_count, members.size()) << "member " << member.node.value;
    ASSERT_EQ(SumSummary::read(result->summary).sum, wanted) << "member " << member.node.value;
  }
}

// Checks after every call that accepted links form no cycle. A call changes only the links of its
// own member, so a new cycle passes through it.
class CycleObserver : public Observer {
 public:
  explicit CycleObserver(ChordWorld& world) : world_(world) {}

  void on_hear(base::Instant /*at*/, NodeId node, NodeId /*source*/,
               std::string_view /*message*/) override {
    look_at(node);
  }
  void on_effect(base::Instant /*at*/, NodeId node, const protocol::Effect& /*effect*/) override {
    look_at(node);
  }
  void on_crash(base::Instant /*at*/, NodeId node) override { look_at(node); }
  void on_restart(base::Instant /*at*/, NodeId node, bool /*keeps_state*/) override {
    look_at(node);
  }

  std::uint64_t link_count() const { return link_count_; }

 private:
  // The current node, and the one before, whose call has ended.
  void look_at(NodeId node) {
    const NodeId before = std::exchange(last_, node);
    if (before != node && before != protocol::kUser) look_for_cycle(before);
    look_for_cycle(node);
  }

  void look_for_cycle(NodeId begin) {
    NodeId node = begin;
    for (std::size_t i = 0; is_accepted(node); ++i, ++link_count_) {
      node = *aggregation(world_, node).place().parent;
      ASSERT_NE(node, begin) << "a cycle through member " << begin.value;
      ASSERT_LT(i, world_.sim().node_count()) << "a cycle above member " << begin.value;
    }
  }

  bool is_accepted(NodeId node) const {
    const Aggregation& child = aggregation(world_, node);
    if (!child.place().parent) return false;
    const auto& listed = aggregation(world_, *child.place().parent).children().map();
    const auto found = listed.find(node);
    return found != listed.end() && !found->second.is_gone &&
           found->second.session == child.session();
  }

  ChordWorld& world_;
  NodeId last_ = protocol::kUser;
  std::uint64_t link_count_ = 0;
};

class Schedule {
 public:
  explicit Schedule(std::uint64_t seed)
      : prng_(seed),
        world_({.sim = {.seed = seed, .link = {.latency_max = Duration::milliseconds(60)}},
                .chord = {},
                .probe = {}}),
        observer_(world_) {
    world_.add_settled(3 + prng_.next() % 20);
    world_.sim().watch(&observer_);
  }

  ChordWorld& world() { return world_; }

  void run() {
    for (int i = 0; i < 30; ++i) {
      strike();
      world_.run(Duration::milliseconds(static_cast<std::int64_t>(prng_.next() % 3000)));
    }
    // A member without a live contact cannot find a ring.
    if (!world_.sim().is_up({1})) world_.sim().restart({1}, true);
    world_.sim().network().heal();
    world_.sim().network().options().loss = {};
    world_.sim().network().options().duplication = {};
    world_.sim().network().options().reordering = {};
    ASSERT_EQ(world_.run_until_ideal(kHealingMax), "");
    world_.run(kSettling);
  }

  std::uint64_t link_count() const { return observer_.link_count(); }

 private:
  NodeId any() { return {1 + prng_.next() % world_.sim().node_count()}; }

  void strike() {
    LinkOptions& link = world_.sim().network().options();
    switch (prng_.next() % 7) {
      case 0:
        return crash_or_restart(any());
      case 1:
        for (std::size_t i = 1; i <= world_.sim().node_count(); ++i) {
          const auto group = static_cast<std::uint32_t>(prng_.next() % 2);
          world_.sim().network().set_group({i}, group);
        }
        return;
      case 2:
        return world_.sim().network().heal();
      case 3:
        link.loss = {.numerator = 1, .denominator = 10};
        link.duplication = {.numerator = 1, .denominator = 10};
        link.reordering = {.numerator = 1, .denominator = 5};
        return;
      case 4:
        world_.add();
        return;
      default:
        return add_at(any());
    }
  }

  void crash_or_restart(NodeId node) {
    if (world_.sim().is_up(node)) {
      world_.sim().crash(node);
    } else {
      world_.sim().restart(node, prng_.next() % 2 == 0);
    }
  }

  void add_at(NodeId node) {
    if (world_.sim().is_up(node)) {
      add(world_, node, static_cast<std::int64_t>(prng_.next() % 1000) - 300);
    }
  }

  base::Prng prng_;
  ChordWorld world_;
  CycleObserver observer_;
};

TEST(TreeOverChordTest, HasNoCycleUnderFaultsAndSumsAreExactAfterThem) {
  std::uint64_t link_count = 0;
  for (std::uint64_t seed = 1; seed <= base::seed_count(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Schedule schedule(seed);
    schedule.run();
    expect_exact(schedule.world());
    if (testing::Test::HasFailure()) return;
    link_count += schedule.link_count();
  }
  // Over all seeds, since a small ring has few links.
  EXPECT_GT(link_count, 1000 * base::seed_count());
}

TEST(TreeOverChordTest, TheSameSeedGivesTheSameRun) {
  const auto hash = [](std::uint64_t seed) {
    Schedule schedule(seed);
    schedule.run();
    return schedule.world().sim().hash();
  };
  for (std::uint64_t seed = 1; seed <= base::seed_count() / 10; ++seed) {
    EXPECT_EQ(hash(seed), hash(seed)) << "seed " << seed;
  }
}

// Returns the longest way to the root by accepted links; nullopt if a member has none.
std::optional<std::size_t> height(const ChordWorld& world) {
  std::size_t height = 0;
  for (const Peer& member : world.members()) {
    NodeId node = member.node;
    std::size_t depth = 0;
    for (; aggregation(world, node).place().parent; ++depth) {
      const NodeId parent = *aggregation(world, node).place().parent;
      if (!aggregation(world, parent).children().map().contains(node)) return {};
      node = parent;
    }
    height = std::max(height, depth);
  }
  return height;
}

TEST(TreeOverChordTest, AThousandMembersHaveALowTreeAndCostOneRenewalEach) {
  constexpr std::size_t kCount = 1000;
  ChordWorld world({.sim = {.seed = 7, .link = {}}, .chord = {}, .probe = {}});
  world.add_settled(kCount);
  for (std::size_t i = 1; i <= kCount; ++i) add(world, {i}, static_cast<std::int64_t>(i));
  world.run(Duration::seconds(60));
  expect_exact(world);
  EXPECT_LE(height(world), 12U);  // log2 of 1 000, and some

  const auto messages = [&](protocol::MessageKind kind) {
    return world.sim().costs().of(kind).message_count;
  };
  const std::uint64_t renewals = messages(protocol::kind_of<protocol::tree::Renew>());
  const std::uint64_t reports = messages(protocol::kind_of<protocol::tree::Report>());
  const std::uint64_t results = messages(protocol::kind_of<protocol::tree::Result>());
  world.run(Duration::seconds(20));
  EXPECT_EQ(messages(protocol::kind_of<protocol::tree::Renew>()) - renewals, 10 * (kCount - 1));
  EXPECT_EQ(messages(protocol::kind_of<protocol::tree::Report>()), reports);
  add(world, {500}, 1);
  world.run(Duration::seconds(2));
  expect_exact(world);
  EXPECT_LE(messages(protocol::kind_of<protocol::tree::Report>()) - reports, *height(world));
  EXPECT_EQ(messages(protocol::kind_of<protocol::tree::Result>()) - results, kCount - 1);
}

}  // namespace
}  // namespace weir::runtime::sim
