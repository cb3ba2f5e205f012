// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace weir::runtime::sim {
namespace {

using base::Duration;
using base::Instant;
using protocol::NodeId;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Fraction kAlways{.numerator = 1, .denominator = 1};
constexpr int kMessageCount = 1000;

Instant at_ms(std::int64_t ms) { return Instant{} + Duration::milliseconds(ms); }

class NetworkTest : public testing::Test {
 protected:
  // Returns the arrivals of a message that is sent now.
  std::vector<Instant> carry(Network& network, NodeId from, NodeId to, Instant now = {}) {
    std::vector<Instant> arrivals;
    network.carry(from, to, now, prng_, arrivals);
    return arrivals;
  }

  // Sends one message per millisecond.
  std::vector<Instant> stream(Network& network) {
    std::vector<Instant> all;
    for (int i = 0; i < kMessageCount; ++i) {
      for (const Instant arrival : carry(network, {1}, {2}, at_ms(i))) all.push_back(arrival);
    }
    return all;
  }

  base::Prng prng_{7};
};

TEST_F(NetworkTest, LatencyIsUniformBetweenItsBounds) {
  Network network({.latency_min = Duration::milliseconds(5),
                   .latency_max = Duration::milliseconds(9),
                   .keeps_order = false});
  std::set<std::int64_t> milliseconds;
  for (int i = 0; i < kMessageCount; ++i) {
    const auto arrivals = carry(network, {1}, {2});
    ASSERT_EQ(arrivals.size(), 1U);
    milliseconds.insert(arrivals[0].nanoseconds / 1'000'000);
    ASSERT_LE(arrivals[0], at_ms(9));
  }
  EXPECT_THAT(milliseconds, testing::AllOf(testing::Contains(5), testing::Contains(8),
                                           testing::Each(testing::Ge(5))));
}

TEST_F(NetworkTest, ALinkKeepsItsOrderOnlyIfItIsToldTo) {
  const LinkOptions wild{.latency_max = Duration::milliseconds(50), .keeps_order = false};
  LinkOptions tame = wild;
  tame.keeps_order = true;
  Network unordered(wild);
  EXPECT_FALSE(std::ranges::is_sorted(stream(unordered)));
  Network ordered(tame);
  EXPECT_TRUE(std::ranges::is_sorted(stream(ordered)));
}

TEST_F(NetworkTest, AReorderedMessageIsOvertaken) {
  Network network({.reordering = {.numerator = 1, .denominator = 10}});
  const std::vector<Instant> arrivals = stream(network);
  EXPECT_EQ(arrivals.size(), static_cast<std::size_t>(kMessageCount));
  EXPECT_FALSE(std::ranges::is_sorted(arrivals));
}

TEST_F(NetworkTest, MembersOfSitesHaveTheMeasuredLatency) {
  const auto ms = [](std::int64_t count) { return Duration::milliseconds(count); };
  LinkOptions options{
      .sites = {.site_count = 2, .round_trips = {ms(2), ms(80), ms(100), ms(4)}, .jitter = {}}};
  Network network(options);
  EXPECT_THAT(carry(network, {1}, {3}), ElementsAre(at_ms(1)));
  EXPECT_THAT(carry(network, {1}, {2}), ElementsAre(at_ms(40)));
  EXPECT_THAT(carry(network, {4}, {5}), ElementsAre(at_ms(50)));
  EXPECT_THAT(carry(network, {4}, {2}), ElementsAre(at_ms(2)));
  options.sites.jitter = {.numerator = 1, .denominator = 10};
  Network shaky(options);
  const std::vector<Instant> arrivals = stream(shaky);
  Duration longest;
  for (int i = 0; i < kMessageCount; ++i) {
    const Duration took = arrivals[static_cast<std::size_t>(i)] - at_ms(i);
    ASSERT_TRUE(took >= ms(40) && took <= ms(44)) << took.nanoseconds;
    longest = std::max(longest, took);
  }
  EXPECT_GT(longest, ms(43));
}

TEST_F(NetworkTest, AMemberOrOneDirectionOfALinkLosesMore) {
  Network network(LinkOptions{});
  network.set_loss({3}, kAlways);
  EXPECT_THAT(carry(network, {3}, {1}), IsEmpty());
  EXPECT_THAT(carry(network, {1}, {3}), IsEmpty());
  network.set_loss({3}, Fraction{});
  EXPECT_EQ(carry(network, {1}, {3}).size(), 1U);
  network.set_loss({1}, {2}, kAlways);
  EXPECT_THAT(carry(network, {1}, {2}), IsEmpty());
  EXPECT_EQ(carry(network, {2}, {1}).size(), 1U);
  network.set_loss({1}, {2}, {.numerator = 1, .denominator = 2});
  const std::size_t count = stream(network).size();
  EXPECT_TRUE(count > 400 && count < 600) << count;
}

TEST_F(NetworkTest, LossAndDuplicationStrikeAsOftenAsTheySay) {
  Network lossy({.loss = {.numerator = 1, .denominator = 4}});
  const std::size_t left = stream(lossy).size();
  EXPECT_TRUE(left > 690 && left < 810) << left;
  Network twice({.duplication = {.numerator = 1, .denominator = 4}});
  const std::size_t more = stream(twice).size();
  EXPECT_TRUE(more > 1190 && more < 1310) << more;
}

}  // namespace
}  // namespace weir::runtime::sim
