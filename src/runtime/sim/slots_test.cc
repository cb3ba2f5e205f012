// SPDX-License-Identifier: Apache-2.0
// protocol/slots under faults: safety while they strike, liveness after them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/seed_count_testing.h"
#include "protocol/probe/probe_application.h"
#include "protocol/slots/slot_node.h"
#include "runtime/sim/simulator.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using base::Instant;
using protocol::Key;
using protocol::kSlotCount;
using protocol::NodeId;
using protocol::slots::SlotNode;

namespace probe = protocol::probe;

constexpr std::uint64_t kMembers = 7;

std::unique_ptr<protocol::Node> make_node(NodeId id, std::uint64_t seed) {
  protocol::slots::SlotOptions options;
  options.self = id;
  options.name = fmt::format("m{}", id.value);
  return std::make_unique<SlotNode>(options, seed, std::make_unique<probe::ProbeApplication>());
}

Key key_in(std::uint32_t slot) { return {std::uint64_t{slot} << protocol::kSlotShift}; }

struct Cluster {
  explicit Cluster(std::uint64_t seed, const LinkOptions& link = {})
      : sim({.seed = seed, .link = link}, make_node) {
    sim.on_deliver([this](Instant, NodeId node, const protocol::Deliver& deliver) {
      if (const auto got = probe::read<probe::Got>(deliver.bytes)) gots.push_back(*got);
      if (const auto it = probe::read<probe::Arrived>(deliver.bytes)) {
        ++arrivals[{it->number, node.value}];
      }
      stored_count += probe::read<probe::Stored>(deliver.bytes) ? 1 : 0;
    });
    for (std::uint64_t i = 0; i < kMembers; ++i) sim.add();
  }

  void run_for(Duration duration) { sim.run_until(sim.now() + duration); }

  SlotNode& node(std::uint64_t id) { return dynamic_cast<SlotNode&>(sim.node({id})); }

  // Members that are up and answer for the slot.
  std::vector<std::uint64_t> homes(std::uint32_t slot) {
    std::vector<std::uint64_t> homes;
    for (std::uint64_t id = 1; id <= kMembers; ++id) {
      if (sim.is_up({id}) && node(id).is_home(key_in(slot))) homes.push_back(id);
    }
    return homes;
  }

  Simulator sim;
  std::vector<probe::Got> gots;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> arrivals;  // by cast and member
  int stored_count = 0;
};

void expect_one_home_for_each_slot(Cluster& cluster) {
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    ASSERT_EQ(cluster.homes(slot).size(), 1U) << "slot " << slot;
  }
}

void expect_at_most_one_home(Cluster& cluster) {
  for (std::uint32_t slot = 0; slot < kSlotCount; slot += 16) {
    ASSERT_LE(cluster.homes(slot).size(), 1U) << "slot " << slot;
  }
}

TEST(SlotsTest, AClusterThatStartsAtOnceHasOneHomeForEachSlot) {
  Cluster cluster(1);
  cluster.run_for(Duration::seconds(8));
  expect_one_home_for_each_slot(cluster);
}

TEST(SlotsTest, ACastToAnArcOrToKeysArrivesOnceAtEachHome) {
  Cluster cluster(2);
  cluster.run_for(Duration::seconds(8));
  std::vector<Key> keys;
  for (std::uint32_t slot = 0; slot < kSlotCount; slot += 3) keys.push_back(key_in(slot));
  cluster.sim.tell({1}, probe::encode(probe::Cast{.number = 1, .destinations = keys, .text = ""}));
  cluster.sim.tell(
      {2}, probe::encode(probe::Cast{.number = 2, .destinations = protocol::KeyArc{}, .text = ""}));
  cluster.run_for(Duration::seconds(1));
  for (std::uint64_t id = 1; id <= kMembers; ++id) {
    EXPECT_EQ((cluster.arrivals[{1, id}]), 1) << id;
    EXPECT_EQ((cluster.arrivals[{2, id}]), 1) << id;
  }
  // One message each, and a hop to each of the others.
  const auto cost = cluster.sim.costs().of(protocol::kind_of<probe::Cast>());
  EXPECT_EQ(cost.message_count, 2U);
  EXPECT_EQ(cost.hop_count, 2 * (kMembers - 1));
}

// Every member knows a way that leads to the home, nearer with each hop.
TEST(SlotsTest, EveryStepTowardsAKeyIsNearer) {
  Cluster cluster(3);
  cluster.run_for(Duration::seconds(8));
  for (std::uint32_t slot = 0; slot < kSlotCount; slot += 50) {
    const Key key = key_in(slot);
    for (std::uint64_t id = 1; id <= kMembers; ++id) {
      std::uint64_t at = id;
      while (const auto next = cluster.node(at).towards(key)) {
        ASSERT_LT(cluster.node(next->value).distance_to(key), cluster.node(at).distance_to(key));
        at = next->value;
      }
      EXPECT_TRUE(cluster.node(at).is_home(key));
      EXPECT_EQ(cluster.node(at).distance_to(key), 0U);
    }
  }
}

TEST(SlotsTest, WhatAnOrderlyLeaverKeptIsFound) {
  Cluster cluster(4);
  cluster.run_for(Duration::seconds(8));
  constexpr int kKeys = 200;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    cluster.sim.tell({1 + i % kMembers},
                     probe::encode(probe::Put{.key = {i << 55U}, .text = std::to_string(i)}));
  }
  cluster.run_for(Duration::seconds(1));
  ASSERT_EQ(cluster.stored_count, kKeys);
  for (const std::uint64_t id : {2U, 3U, 4U}) {
    cluster.sim.tell({id}, encode(protocol::slots::Leave{}));
  }
  cluster.run_for(Duration::seconds(8));
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    cluster.sim.tell({1}, probe::encode(probe::Get{.key = {i << 55U}}));
  }
  cluster.run_for(Duration::seconds(1));
  ASSERT_EQ(cluster.gots.size(), static_cast<std::size_t>(kKeys));
  for (const probe::Got& got : cluster.gots) {
    EXPECT_EQ(got.text, std::to_string(got.key.value >> 55U));
  }
}

// Crashes with and without state, partitions, slow members and clocks that jump, at random.
void strike(Cluster& cluster, base::Prng& prng) {
  const NodeId node{1 + prng.below(kMembers)};
  switch (prng.below(5)) {
    case 0:
      if (cluster.sim.is_up(node)) cluster.sim.crash(node);
      break;
    case 1:
      if (!cluster.sim.is_up(node)) cluster.sim.restart(node, prng.chance(0.5));
      break;
    case 2:
      cluster.sim.network().set_group(node, static_cast<std::uint32_t>(prng.below(3)));
      break;
    case 3:
      cluster.sim.set_slowness(node, Duration::milliseconds(static_cast<int>(prng.below(20))));
      break;
    default:
      cluster.sim.set_clock_offset(
          node, Duration::milliseconds(static_cast<int>(prng.below(4000)) - 2000));
      break;
  }
}

void end_faults(Cluster& cluster) {
  cluster.sim.network().heal();
  cluster.sim.network().options() = {};
  for (std::uint64_t id = 1; id <= kMembers; ++id) {
    cluster.sim.set_slowness({id}, {});
    if (!cluster.sim.is_up({id})) cluster.sim.restart({id}, false);
  }
}

std::uint64_t run_with_faults(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  const LinkOptions rough{.latency_min = Duration::milliseconds(1),
                          .latency_max = Duration::milliseconds(60),
                          .loss = {.numerator = 1, .denominator = 20},
                          .duplication = {.numerator = 1, .denominator = 20},
                          .reordering = {.numerator = 1, .denominator = 10}};
  Cluster cluster(seed, rough);
  base::Prng prng(seed);
  for (int i = 0; i < 40; ++i) {
    strike(cluster, prng);
    const NodeId teller{1 + prng.below(kMembers)};
    cluster.sim.tell(teller, probe::encode(probe::Put{.key = {prng.next()}, .text = "t"}));
    cluster.run_for(Duration::milliseconds(static_cast<int>(prng.below(1500))));
  }
  end_faults(cluster);
  // Once all members have heard each other again, no two answer for one slot.
  cluster.run_for(Duration::milliseconds(700));
  for (int i = 0; i < 100; ++i) {
    expect_at_most_one_home(cluster);
    cluster.run_for(Duration::milliseconds(100));
  }
  expect_one_home_for_each_slot(cluster);
  return cluster.sim.hash();
}

TEST(SlotsTest, AfterFaultsEverySlotHasOneSettledHome) {
  for (std::uint64_t seed = 1; seed <= base::seed_count() && !testing::Test::HasFatalFailure();
       ++seed) {
    const std::uint64_t hash = run_with_faults(seed);
    if (seed % 10 == 0) {
      EXPECT_EQ(run_with_faults(seed), hash) << seed;
    }
  }
}

// Without crashes, every stored text is kept, and is at its home once faults have ended.
TEST(SlotsTest, NothingIsLostWithoutCrashes) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Cluster cluster(seed, {.latency_max = Duration::milliseconds(60),
                           .loss = {.numerator = 1, .denominator = 20},
                           .duplication = {.numerator = 1, .denominator = 10}});
    base::Prng prng(seed);
    cluster.run_for(Duration::seconds(8));
    for (std::uint64_t i = 0; i < 100; ++i) {
      if (i == 30) cluster.sim.tell({3}, encode(protocol::slots::Leave{}));
      if (i == 50) cluster.sim.network().set_group({5}, 1);
      if (i == 70) cluster.sim.network().heal();
      cluster.sim.tell({1 + prng.below(2)},
                       probe::encode(probe::Put{.key = {i << 56U}, .text = std::to_string(i)}));
      cluster.run_for(Duration::milliseconds(100));
    }
    cluster.run_for(Duration::seconds(20));
    EXPECT_EQ(cluster.stored_count, 100) << seed;
    for (std::uint64_t i = 0; i < 100; ++i) {
      cluster.sim.tell({6}, probe::encode(probe::Get{.key = {i << 56U}}));
    }
    cluster.run_for(Duration::seconds(20));
    EXPECT_EQ(cluster.gots.size(), 100U);
    for (const probe::Got& got : cluster.gots) {
      EXPECT_EQ(got.text, std::to_string(got.key.value >> 56U)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace weir::runtime::sim
