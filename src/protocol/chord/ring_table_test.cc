// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/ring_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

#include "base/prng.h"
#include "base/seed_count_testing.h"

namespace weir::protocol::chord {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Peer peer(std::uint64_t id) { return {.node = {id + 1}, .id = {id}}; }

Finger finger(std::uint64_t id, std::uint64_t predecessor) {
  return {.peer = peer(id), .predecessor = {predecessor}};
}

std::vector<Peer> members_of(std::uint64_t bits_set) {
  std::vector<Peer> members;
  for (std::uint64_t id = 0; id < 64; ++id) {
    if ((bits_set >> id & 1U) != 0) members.push_back(peer(id));
  }
  return members;
}

// The home by definition: the first member clockwise from the key.
Peer home_of(const Ring& ring, std::uint64_t bits_set, Key key) {
  while ((bits_set >> key.value & 1U) == 0) key = ring.plus(key, 1);
  return peer(key.value);
}

// From every member to every key: the home is found, within as many steps as the ring has bits.
void expect_ways(const Ring& ring, std::uint64_t bits_set) {
  const std::vector<Peer> members = members_of(bits_set);
  std::vector<RingTable> tables;
  std::vector<std::size_t> table_at(64);
  for (const Peer& member : members) {
    table_at[member.id.value] = tables.size();
    tables.emplace_back(ring, member, 2);
    tables.back().settle(members);
  }
  for (const RingTable& from : tables) {
    for (std::uint64_t value = 0; value <= ring.mask(); ++value) {
      const RingTable* at = &from;
      unsigned steps = 0;
      bool is_last = false;
      for (; !at->owns({value}) && steps <= ring.bits(); ++steps) {
        const std::optional<Hop> hop = at->hop_to({value});
        ASSERT_TRUE(hop.has_value());
        ASSERT_FALSE(is_last);
        is_last = hop->is_last;
        at = &tables[table_at[hop->peer.id.value]];
      }
      ASSERT_EQ(at->self(), home_of(ring, bits_set, {value})) << bits_set << ' ' << value;
      ASSERT_LE(steps, ring.bits());
    }
  }
}

TEST(RingTableTest, EveryWayIsRightOnEverySmallRing) {
  for (const unsigned bits : {1U, 2U, 3U}) {
    const std::uint64_t set_count = std::uint64_t{1} << (std::uint64_t{1} << bits);
    for (std::uint64_t set = 1; set < set_count; ++set) expect_ways(Ring(bits), set);
  }
  const std::uint64_t step = 1000 / base::seed_count({.quick = 100, .full = 1000});
  for (std::uint64_t set = 1; set < 1U << 16U; set += step) expect_ways(Ring(4), set);
  base::Prng prng(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t set = prng.next() & prng.next();
    expect_ways(Ring(5), (set & 0xFFFF'FFFFU) | 1U);
  }
}

TEST(RingTableTest, SettlesAsDefined) {
  const Ring ring(4);
  for (std::uint64_t set = 1; set < 1U << 16U; set += 2) {  // member 0 and any others
    const std::vector<Peer> members = members_of(set);
    RingTable table(ring, peer(0), 3);
    table.settle(members);
    std::set<Peer> fingers;
    for (unsigned i = 0; i < 4; ++i) fingers.insert(home_of(ring, set, {std::uint64_t{1} << i}));
    fingers.erase(peer(0));
    std::set<Peer> kept;
    for (const Finger& each : table.fingers()) {
      kept.insert(each.peer);
      const auto before = static_cast<std::uint64_t>(
          std::bit_width(set & ((std::uint64_t{1} << each.peer.id.value) - 1)) - 1);
      ASSERT_EQ(each.predecessor.value, before);
    }
    if (table.successor()) kept.insert(*table.successor());
    ASSERT_EQ(kept, fingers) << set;
    ASSERT_EQ(table.is_alone(), set == 1);
  }
}

class RingTableOfOneTest : public testing::Test {
 protected:
  RingTable table_{Ring(6), peer(10), 3};
};

TEST_F(RingTableOfOneTest, AloneItOwnsEverythingAndEverybodyIsNearer) {
  EXPECT_TRUE(table_.is_alone());
  EXPECT_TRUE(table_.owns({11}));
  EXPECT_FALSE(table_.hop_to({11}).has_value());
  EXPECT_TRUE(table_.is_nearer_successor(peer(9)));
  EXPECT_TRUE(table_.is_nearer_predecessor(peer(11)));
  EXPECT_FALSE(table_.is_nearer_successor({.node = {99}, .id = {10}}));
  EXPECT_THAT(table_.children(), IsEmpty());
}

TEST_F(RingTableOfOneTest, AListEndsWhereItComesRound) {
  const std::vector<Peer> list{peer(30), peer(50), peer(5), peer(7)};
  table_.follow(peer(20), list);
  EXPECT_THAT(table_.successors(), ElementsAre(peer(20), peer(30), peer(50)));
  table_.follow(peer(50), std::vector<Peer>{peer(5), peer(10), peer(20)});
  EXPECT_THAT(table_.successors(), ElementsAre(peer(50), peer(5)));
  table_.follow(peer(50), std::vector<Peer>{peer(20)});
  EXPECT_THAT(table_.successors(), ElementsAre(peer(50)));
}

TEST_F(RingTableOfOneTest, AFingerReplacesThoseBeforeIt) {
  table_.follow(peer(12), {});
  table_.set_finger(2, finger(15, 12));
  table_.set_finger(5, finger(30, 15));
  table_.set_finger(20, finger(50, 30));
  table_.set_finger(5, finger(20, 16));
  EXPECT_THAT(table_.fingers(),
              ElementsAre(finger(15, 12), finger(20, 16), finger(30, 15), finger(50, 30)));
  table_.set_finger(5, finger(31, 20));
  EXPECT_THAT(table_.fingers(), ElementsAre(finger(15, 12), finger(31, 20), finger(50, 30)));
  table_.cut_fingers(21);
  EXPECT_THAT(table_.fingers(), ElementsAre(finger(15, 12), finger(31, 20)));
  table_.follow(peer(16), {});
  EXPECT_THAT(table_.fingers(), ElementsAre(finger(31, 20)));
}

TEST_F(RingTableOfOneTest, FurtherAttemptsTakeOtherWays) {
  table_.follow(peer(12), std::vector<Peer>{peer(14)});
  table_.set_finger(2, finger(14, 12));
  table_.set_finger(4, finger(20, 14));
  EXPECT_EQ(table_.hop_to({12}), (Hop{.peer = peer(12), .is_last = true}));
  EXPECT_EQ(table_.hop_to({40}), Hop{.peer = peer(20)});
  EXPECT_EQ(table_.hop_to({40}, 1), Hop{.peer = peer(14)});
  EXPECT_EQ(table_.hop_to({40}, 2), Hop{.peer = peer(12)});
  EXPECT_EQ(table_.hop_to({40}, 3), Hop{.peer = peer(20)});
  EXPECT_EQ(table_.hop_to({20}), Hop{.peer = peer(14)});
}

TEST_F(RingTableOfOneTest, ChildrenDoNotBelieveAnOldPredecessor) {
  table_.follow(peer(12), {});
  table_.set_finger(2, finger(20, 16));
  table_.set_finger(10, finger(40, 11));
  EXPECT_THAT(table_.children(), ElementsAre(finger(12, 10), finger(20, 16), finger(40, 20)));
}

TEST_F(RingTableOfOneTest, ForgetsAMemberEverywhereAndCorrectsItsId) {
  table_.set_predecessor(peer(40));
  table_.follow(peer(12), std::vector<Peer>{peer(40)});
  table_.set_finger(2, finger(40, 12));
  const std::uint64_t version = table_.version();
  table_.correct(peer(40));
  EXPECT_FALSE(table_.remove(peer(41).node));
  EXPECT_EQ(table_.version(), version);
  table_.correct({.node = peer(12).node, .id = {13}});
  EXPECT_THAT(table_.successors(), ElementsAre(peer(40)));
  EXPECT_GT(table_.version(), version);
  EXPECT_TRUE(table_.remove(peer(40).node));
  EXPECT_TRUE(table_.is_alone());
}

}  // namespace
}  // namespace weir::protocol::chord
