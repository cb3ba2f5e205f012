// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/membership.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/slots/options.h"

namespace weir::protocol::slots {
namespace {

using News = Membership::News;
using base::Duration;
using base::Instant;

constexpr Duration kLease = Duration::seconds(1);

Heartbeat beat(std::string name, std::uint64_t incarnation, std::uint64_t number,
               MemberState state = MemberState::kActive) {
  return {.name = std::move(name),
          .incarnation = incarnation,
          .beat = number,
          .state = state,
          .view = 0};
}

void add(Membership& members, std::uint64_t id) {
  members.hear({}, {id}, beat(fmt::format("m{}", id), 1, 1));
}

TEST(MembershipTest, AGreaterIncarnationIsTheSameMemberAfterARestart) {
  Membership members;
  EXPECT_EQ(members.hear({}, {5}, beat("a", 10, 1)), News::kNew);
  EXPECT_EQ(members.hear({}, {5}, beat("a", 10, 2)), News::kKnown);
  EXPECT_EQ(members.hear({}, {5}, beat("a", 10, 2)), News::kStale);
  EXPECT_EQ(members.hear({}, {5}, beat("a", 11, 1)), News::kNew);
  EXPECT_EQ(members.hear({}, {5}, beat("a", 10, 3)), News::kStale);
  EXPECT_EQ(members.all().size(), 1U);
}

TEST(MembershipTest, WhoWasNotHeardForALeaseIsGone) {
  Membership members;
  members.hear({}, {5}, beat("a", 10, 1));
  members.hear({}, {6}, beat("b", 10, 1));
  const Instant later = Instant{} + kLease;
  members.expire(later, kLease, {5});
  EXPECT_EQ(members.all().size(), 2U);
  members.expire(later + Duration{1}, kLease, {5});
  EXPECT_NE(members.find({5}), nullptr);
  EXPECT_EQ(members.find({6}), nullptr);
}

TEST(MembershipTest, HasALimit) {
  Membership members;
  for (std::uint64_t id = 1; id <= kMembersMax; ++id) add(members, id);
  EXPECT_EQ(members.hear({}, {9999}, beat("x", 1, 1)), News::kTooMany);
  EXPECT_EQ(members.hear({}, {1}, beat("m1", 1, 2)), News::kKnown);
}

TEST(MembershipTest, WhoComesTakesOnlyItsShare) {
  Membership members;
  for (std::uint64_t id = 1; id <= 9; ++id) add(members, id);
  ASSERT_TRUE(members.update_view());
  EXPECT_FALSE(members.update_view());
  std::vector<NodeId> before;
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) before.push_back(*members.owner(slot));
  add(members, 10);
  ASSERT_TRUE(members.update_view());
  std::size_t taken = 0;
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    if (members.owner(slot) == before[slot]) continue;
    EXPECT_EQ(members.owner(slot), NodeId{10});
    ++taken;
  }
  // A tenth, give or take five standard deviations.
  EXPECT_NEAR(static_cast<double>(taken), kSlotCount / 10.0, 48);
}

TEST(MembershipTest, TheSameMembersHaveTheSameOwnersWhateverWasHeardFirst) {
  Membership one;
  Membership other;
  for (std::uint64_t id = 1; id <= 5; ++id) add(one, id);
  for (std::uint64_t id = 5; id >= 1; --id) add(other, id);
  one.update_view();
  other.update_view();
  EXPECT_EQ(one.view(), other.view());
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    EXPECT_EQ(one.owner(slot), other.owner(slot));
  }
}

TEST(MembershipTest, OnlyActiveMembersOwnSlots) {
  Membership members;
  EXPECT_FALSE(members.owner(0));
  members.hear({}, {1}, beat("a", 1, 1, MemberState::kJoining));
  EXPECT_FALSE(members.update_view());
  members.hear({}, {2}, beat("b", 1, 1));
  EXPECT_TRUE(members.update_view());
  EXPECT_EQ(members.owner(0), NodeId{2});
  members.hear({}, {2}, beat("b", 1, 2, MemberState::kLeaving));
  EXPECT_TRUE(members.update_view());
  EXPECT_FALSE(members.owner(0));
}

}  // namespace
}  // namespace weir::protocol::slots
