// SPDX-License-Identifier: Apache-2.0
// Everything on small rings: all member sets, all keys, all destinations.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/chord/chord_testing.h"
#include "protocol/probe/messages.h"

namespace weir::protocol::chord {
namespace {

class SmallRingsTest : public testing::Test {
 protected:
  static constexpr unsigned kBits = 3;
  static constexpr std::uint64_t kKeyCount = 1U << kBits;

  SmallRingsTest() {
    for (std::uint64_t id = 0; id < kKeyCount; ++id) names_.push_back(name_at(ring_, {id}));
  }

  static std::vector<Peer> members_of(std::uint64_t set) {
    std::vector<Peer> members;
    for (std::uint64_t id = 0; id < kKeyCount; ++id) {
      if ((set >> id & 1U) != 0) members.push_back(peer_at(id));
    }
    return members;
  }

  // By definition: the first member at or after the key.
  Peer home_of(std::uint64_t set, Key key) const {
    while ((set >> key.value & 1U) == 0) key = ring_.plus(key, 1);
    return peer_at(key.value);
  }

  // Returns the keys that each member got by a cast; no member gets it twice.
  static std::map<NodeId, std::vector<Key>> arrivals(const Loopback& net) {
    std::map<NodeId, std::vector<Key>> all;
    for (const auto& [node, bytes] : net.delivered) {
      const auto arrived = probe::read<probe::Arrived>(bytes);
      EXPECT_TRUE(arrived && all.emplace(node, arrived->keys).second);
    }
    return all;
  }

  void expect_cast(std::uint64_t set, const Peer& origin, const Destinations& destinations,
                   const std::map<NodeId, std::vector<Key>>& expected, Loopback& net) {
    net.delivered.clear();
    net.send_count = 0;
    net.tell(origin.node, encode(probe::Cast{.destinations = destinations, .text = {}}));
    ASSERT_EQ(arrivals(net), expected) << "members " << set << " from " << origin.id.value;
    ASSERT_LT(net.send_count, members_of(set).size());
  }

  Ring ring_{kBits};
  std::vector<std::string> names_;
};

TEST_F(SmallRingsTest, EveryMemberFindsEveryKeysHome) {
  for (std::uint64_t set = 1; set < 1U << kKeyCount; ++set) {
    Loopback net(ring_, members_of(set), names_);
    for (const Peer& from : members_of(set)) {
      for (std::uint64_t key = 0; key < kKeyCount; ++key) {
        net.delivered.clear();
        net.tell(from.node, encode(Lookup{.key = {key}}));
        ASSERT_EQ(net.delivered.size(), 1U);
        const auto found = read<Found>(net.delivered.front().second);
        ASSERT_TRUE(found.has_value());
        ASSERT_EQ(found->home, home_of(set, {key})) << set << ' ' << from.id.value << ' ' << key;
        ASSERT_LE(found->hops, kBits);
      }
    }
    ASSERT_EQ(net.drop_count, 0U);
  }
}

TEST_F(SmallRingsTest, EveryCastToKeysReachesTheirHomesOnce) {
  for (std::uint64_t set = 1; set < 1U << kKeyCount; ++set) {
    Loopback net(ring_, members_of(set), names_);
    for (const Peer& from : members_of(set)) {
      // Tries every third choice, with another offset each time.
      for (std::uint64_t chosen = 1 + (set + from.id.value) % 3; chosen < 1U << kKeyCount;
           chosen += 3) {
        std::vector<Key> keys;
        std::map<NodeId, std::vector<Key>> expected;
        for (std::uint64_t key = 0; key < kKeyCount; ++key) {
          if ((chosen >> key & 1U) == 0) continue;
          keys.push_back({key});
          expected[home_of(set, {key}).node].push_back({key});
        }
        ASSERT_NO_FATAL_FAILURE(expect_cast(set, from, keys, expected, net));
      }
    }
  }
}

TEST_F(SmallRingsTest, EveryCastToAnArcReachesItsHomesOnce) {
  for (std::uint64_t set = 1; set < 1U << kKeyCount; ++set) {
    Loopback net(ring_, members_of(set), names_);
    for (const Peer& from : members_of(set)) {
      for (std::uint64_t pair = 0; pair < kKeyCount * kKeyCount; ++pair) {
        const KeyArc arc{.after = {pair / kKeyCount}, .last = {pair % kKeyCount}};
        std::map<NodeId, std::vector<Key>> expected;
        for (std::uint64_t key = 0; key < kKeyCount; ++key) {
          if (ring_.contains(arc, {key})) expected[home_of(set, {key}).node];
        }
        ASSERT_NO_FATAL_FAILURE(expect_cast(set, from, arc, expected, net));
      }
    }
  }
}

}  // namespace
}  // namespace weir::protocol::chord
