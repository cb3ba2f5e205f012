// SPDX-License-Identifier: Apache-2.0
// The services of a Chord ring in the simulator: lookups in few hops, multicasts over the pruned
// tree, items that stay with their homes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/seed_count_testing.h"
#include "protocol/chord/messages.h"
#include "protocol/probe/messages.h"
#include "runtime/sim/chord_testing.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using protocol::Destinations;
using protocol::Key;
using protocol::KeyArc;
using protocol::NodeId;
using protocol::Ring;
using protocol::chord::Found;
using protocol::chord::Peer;
namespace chord = protocol::chord;
namespace probe = protocol::probe;

// Members that send nothing on their own for a long time.
ChordWorld::Options quiet(std::uint64_t seed) {
  return {.sim = {.seed = seed, .link = {}},
          .chord = {.stabilise_interval = Duration::seconds(1'000'000),
                    .finger_interval = Duration::seconds(1'000'000),
                    .probe_interval = Duration::seconds(1'000'000),
                    .lease = Duration::seconds(5'000'000)}};
}

double mean_hops(std::size_t member_count, std::size_t lookup_count) {
  ChordWorld world(quiet(member_count));
  world.add_settled(member_count);
  world.run({});
  const std::vector<Peer> members = world.members();
  std::uint64_t hops = 0;
  std::uint64_t answers = 0;
  world.sim().on_deliver([&](base::Instant, NodeId, const protocol::Deliver& deliver) {
    const auto found = chord::read<Found>(deliver.bytes);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->home, members[home_index(members, found->key)]);
    hops += found->hops;
    ++answers;
  });
  base::Prng prng(7);
  for (std::size_t i = 0; i < lookup_count; ++i) {
    const NodeId asker{1 + prng.next() % member_count};
    world.sim().tell(asker, encode(chord::Lookup{.key = {prng.next()}}));
    world.run(Duration::seconds(1));
  }
  EXPECT_EQ(answers, lookup_count);
  return static_cast<double>(hops) / static_cast<double>(answers);
}

TEST(ChordWorkTest, ALookupTakesHalfTheLogarithmOfTheMembersInHops) {
  for (const std::size_t count : {100U, 1000U, 10'000U}) {
    const double half_log = std::log2(static_cast<double>(count)) / 2;
    const double mean = mean_hops(count, 2000);
    RecordProperty(fmt::format("mean_hops_{}", count), fmt::format("{:.2f}", mean));
    EXPECT_NEAR(mean, half_log, half_log / 10) << count << " members";
  }
}

// The tree by which a member reaches all others, by definition and global knowledge: each hop is
// the farthest finger that is not beyond the target. A multicast uses the branches that lead to a
// home.
class PrunedTree {
 public:
  explicit PrunedTree(std::vector<Peer> members) : members_(std::move(members)) {}

  void add(const Peer& root, const Peer& home) {
    unsigned hops = 0;
    for (Peer at = root; at != home; ++hops) {
      const Peer next = step(at, home);
      edges_.insert({at, next});
      at = next;
    }
    hops_[home.node] = hops;
  }

  std::size_t edge_count() const { return edges_.size(); }
  const std::map<NodeId, unsigned>& hops() const { return hops_; }

 private:
  Peer step(const Peer& from, const Peer& to) const {
    Peer best = from;
    for (unsigned i = 0; i < ring_.bits(); ++i) {
      const Key key = ring_.plus(from.id, std::uint64_t{1} << i);
      const Peer finger = members_[home_index(members_, key)];
      const std::uint64_t distance = ring_.distance(from.id, finger.id);
      if (distance <= ring_.distance(from.id, to.id) &&
          distance > ring_.distance(from.id, best.id)) {
        best = finger;
      }
    }
    return best;
  }

  Ring ring_;
  std::vector<Peer> members_;
  std::set<std::pair<Peer, Peer>> edges_;
  std::map<NodeId, unsigned> hops_;
};

class ChordMulticastTest : public testing::Test {
 protected:
  ChordMulticastTest() : world_(quiet(3)) {
    world_.add_settled(200);
    world_.run({});
    members_ = world_.members();
    world_.sim().on_deliver([this](base::Instant, NodeId node, const protocol::Deliver& deliver) {
      const auto arrived = probe::read<probe::Arrived>(deliver.bytes);
      ASSERT_TRUE(arrived.has_value());
      EXPECT_TRUE(keys_.emplace(node, arrived->keys).second) << node.value << " twice";
      hops_[node] = arrived->hops;
    });
  }

  // Casts from a member, and checks the keys and the hops at each home.
  void cast(const Peer& origin, const Destinations& destinations,
            const std::map<NodeId, std::vector<Key>>& expected) {
    keys_.clear();
    hops_.clear();
    const std::uint64_t before = hop_count();
    world_.sim().tell(origin.node, encode(probe::Cast{.destinations = destinations, .text = "x"}));
    world_.run(Duration::seconds(2));
    EXPECT_EQ(keys_, expected);
    PrunedTree tree(members_);
    for (const Peer& member : members_) {
      if (expected.contains(member.node)) tree.add(origin, member);
    }
    EXPECT_EQ(hop_count() - before, tree.edge_count());
    EXPECT_EQ(hops_, tree.hops());
  }

  std::uint64_t hop_count() {
    return world_.sim().costs().of(protocol::kind_of<probe::Cast>()).hop_count;
  }

  ChordWorld world_;
  std::vector<Peer> members_;
  std::map<NodeId, std::vector<Key>> keys_;
  std::map<NodeId, unsigned> hops_;
  base::Prng prng_{11};
};

TEST_F(ChordMulticastTest, ReachesEachHomeOfKeysOnceOverThePrunedTree) {
  for (int round = 0; round < 60; ++round) {
    std::set<Key> keys;
    const std::uint64_t count = 1 + prng_.next() % 100;
    while (keys.size() < count) {
      // Some keys are ids of members or their neighbours.
      const Key near{members_[prng_.next() % members_.size()].id.value + prng_.next() % 3 - 1};
      keys.insert(prng_.next() % 3 == 0 ? near : Key{prng_.next()});
    }
    std::map<NodeId, std::vector<Key>> expected;
    for (const Key key : keys) expected[members_[home_index(members_, key)].node].push_back(key);
    const Peer& origin = members_[prng_.next() % members_.size()];
    cast(origin, std::vector<Key>(keys.begin(), keys.end()), expected);
  }
  // One message each, however many hops.
  EXPECT_LE(world_.sim().costs().of(protocol::kind_of<probe::Cast>()).message_count, 60U);
}

TEST_F(ChordMulticastTest, ReachesEachHomeOfAnArcOnceOverThePrunedTree) {
  const Ring ring;
  for (int round = 0; round < 60; ++round) {
    const Key after{prng_.next()};
    const unsigned shift = static_cast<unsigned>(prng_.next() % 64);
    KeyArc arc{.after = after, .last = ring.plus(after, prng_.next() >> shift)};
    if (round == 0) arc.last = arc.after;
    if (round == 1) arc = {.after = members_[7].id, .last = members_[90].id};
    if (round == 2) arc = {.after = members_[9].id, .last = {members_[9].id.value - 5}};
    std::map<NodeId, std::vector<Key>> expected;
    expected[members_[home_index(members_, arc.last)].node];
    for (const Peer& member : members_) {
      if (ring.contains(arc, member.id)) expected[member.node];
    }
    cast(members_[prng_.next() % members_.size()], arc, expected);
  }
}

// A ring that keeps items of many keys.
class ChordItemsTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kItemCount = 60;

  static Key key_of(std::uint64_t item) { return Ring().key_of(fmt::format("item {}", item)); }
  static std::string text_of(std::uint64_t item) {
    return fmt::format("{}{}", item, std::string(item * 20, '.'));
  }

  void start(std::uint64_t seed) {
    // Small chunks, so that a hand-over takes several.
    world_.emplace(ChordWorld::Options{
        .sim = {.seed = seed, .link = {.latency_max = Duration::milliseconds(40)}},
        .chord = {.successors_max = 4, .chunk_bytes_max = 2000}});
    prng_ = base::Prng(seed);
    world_->add_settled(6);
    world_->run(Duration::seconds(3));
    for (std::uint64_t i = 0; i < kItemCount; ++i) {
      world_->sim().tell(anyone(), encode(probe::Put{.key = key_of(i), .text = text_of(i)}));
    }
    world_->run(Duration::seconds(3));
    world_->sim().on_deliver([this](base::Instant, NodeId, const protocol::Deliver& deliver) {
      const auto got = probe::read<probe::Got>(deliver.bytes);
      if (!got) return;
      ++answer_count_;
      if (!got->text) ++empty_count_;
    });
  }

  NodeId anyone() {
    const std::vector<Peer> members = world_->members();
    return members[prng_.next() % members.size()].node;
  }

  // A member joins or leaves. Contacts stay: a newcomer without one would found its own ring.
  void churn() {
    const NodeId leaver = anyone();
    if (leaver.value > 2 && world_->members().size() > 4 && prng_.next() % 2 == 0) {
      world_->sim().tell(leaver, encode(chord::Leave{}));
    } else if (world_->sim().node_count() < 30) {
      world_->add();
    }
  }

  void ask_for_items() {
    for (int i = 0; i < 60; ++i) {
      const Key key = key_of(prng_.next() % kItemCount);
      world_->sim().tell(anyone(), encode(probe::Get{.key = key}));
      world_->run(Duration::milliseconds(static_cast<std::int64_t>(prng_.next() % 100)));
      EXPECT_EQ(world_->overlap(), "");
    }
  }

  void disturb() {
    LinkOptions& link = world_->sim().network().options();
    link.loss = {.numerator = static_cast<std::uint32_t>(prng_.next() % 10), .denominator = 100};
    link.duplication = {.numerator = 10, .denominator = 100};
    link.reordering = {.numerator = 10, .denominator = 100};
  }

  // A member crashes for a while, and restarts with its state.
  void faint() {
    const NodeId node = anyone();
    world_->sim().crash(node);
    const Duration length = Duration::milliseconds(static_cast<std::int64_t>(prng_.next() % 9000));
    world_->sim().at(world_->sim().now() + length,
                     [this, node] { world_->sim().restart(node, true); });
  }

  // Every item is at its home, and nowhere else.
  void expect_items_at_home() {
    const std::vector<Peer> members = world_->members();
    std::size_t kept_count = 0;
    for (const Peer& member : members) kept_count += world_->probe(member.node).items().size();
    EXPECT_EQ(kept_count, kItemCount);
    for (std::uint64_t i = 0; i < kItemCount; ++i) {
      const Peer& home = members[home_index(members, key_of(i))];
      const auto& items = world_->probe(home.node).items();
      const auto item = items.find(key_of(i));
      ASSERT_TRUE(item != items.end()) << "item " << i;
      EXPECT_EQ(item->second.text, text_of(i));
    }
  }

  std::optional<ChordWorld> world_;
  base::Prng prng_{1};
  std::uint64_t answer_count_ = 0;
  std::uint64_t empty_count_ = 0;
};

TEST_F(ChordItemsTest, NobodyMissesAnItemWhileOneJoinsOrLeavesAfterAnother) {
  for (std::uint64_t seed = 1; seed <= base::seed_count({.quick = 5, .full = 100}); ++seed) {
    start(seed);
    for (int i = 0; i < 12; ++i) {
      churn();
      ask_for_items();
      EXPECT_EQ(world_->run_until_ideal(Duration::seconds(60)), "");
    }
    expect_items_at_home();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(answer_count_, 3000U);
  EXPECT_EQ(empty_count_, 0U);
}

TEST_F(ChordItemsTest, ItemsSurviveJoinsLeavesAndFaultsThatLoseNoState) {
  for (std::uint64_t seed = 1; seed <= base::seed_count({.quick = 10, .full = 300}); ++seed) {
    start(seed);
    disturb();
    for (int i = 0; i < 30; ++i) {
      churn();
      if (i % 4 == 0) faint();
      world_->run(Duration::milliseconds(static_cast<std::int64_t>(prng_.next() % 3000)));
    }
    world_->run(Duration::seconds(9));
    world_->sim().network().options() = {};
    EXPECT_EQ(world_->run_until_ideal(Duration::seconds(60)), "");
    world_->run(Duration::seconds(10));
    expect_items_at_home();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weir::runtime::sim
