// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/slot_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "protocol/probe/probe_application.h"

namespace weir::protocol::slots {
namespace {

using base::Duration;
using base::Instant;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr NodeId kSelf{1};
constexpr NodeId kOther{2};

template <typename T>
std::vector<T> all_of(const Effects& effects) {
  std::vector<T> found;
  for (const Effect& effect : effects.list()) {
    if (const auto* it = std::get_if<T>(&effect)) found.push_back(*it);
  }
  return found;
}

// One member; the test plays all others.
class SlotNodeTest : public testing::Test {
 protected:
  SlotNodeTest()
      : node_({.self = kSelf, .name = "one"}, 7, std::make_unique<probe::ProbeApplication>()) {}

  void run_for(Duration duration) {
    const Instant end = now_ + duration;
    while (wake_ <= end) {
      now_ = std::max(now_, wake_);
      wake_ = {std::numeric_limits<std::int64_t>::max()};
      Effects effects;
      node_.on_wake(now_, effects);
      follow(effects);
      for (Effect& effect : effects.list()) effects_.add(std::move(effect));
    }
    now_ = end;
  }

  // Returns the effects of a message.
  Effects hear(NodeId source, const std::string& message) {
    Effects effects;
    node_.on_message(now_, source, message, effects);
    follow(effects);
    return effects;
  }

  Effects hear_beat(NodeId source, MemberState state, std::uint64_t incarnation = 1) {
    return hear(source, encode(Heartbeat{.name = "other",
                                         .incarnation = incarnation,
                                         .beat = ++beat_,
                                         .state = state,
                                         .view = node_.members().view()}));
  }

  void follow(const Effects& effects) {
    for (const WakeAt& wake : all_of<WakeAt>(effects)) wake_ = wake.instant;
  }

  std::vector<DropReason> drops(const Effects& effects) {
    std::vector<DropReason> reasons;
    for (const Drop& drop : all_of<Drop>(effects)) reasons.push_back(drop.reason);
    return reasons;
  }

  // Returns a key of a slot that the member owns.
  Key key_of(NodeId owner, std::uint64_t start = 0) {
    for (std::uint64_t slot = start; slot < kSlotCount; ++slot) {
      const Key key{slot << kSlotShift};
      if (node_.members().owner(slot_of(key)) == owner) return key;
    }
    ADD_FAILURE() << "owns nothing";
    return {};
  }

  // Makes the other member active, known to both.
  void be_two() {
    run_for(Duration::seconds(2));
    hear_beat(kOther, MemberState::kActive);
    effects_.clear();
  }

  Envelope envelope_to(std::vector<Key> keys, std::uint64_t number = 1) {
    const probe::Cast cast{.number = number, .destinations = keys, .text = "x"};
    return {.origin = kOther,
            .incarnation = 1,
            .number = number,
            .hops = 1,
            .destination = std::move(keys),
            .message = probe::encode(cast)};
  }

  std::vector<std::vector<Key>> arrived(const Effects& effects) {
    std::vector<std::vector<Key>> keys;
    for (const Deliver& deliver : all_of<Deliver>(effects)) {
      if (const auto it = probe::read<probe::Arrived>(deliver.bytes)) keys.push_back(it->keys);
    }
    return keys;
  }

  SlotNode node_;
  Effects effects_;
  Instant now_{Duration::seconds(100).nanoseconds};
  Instant wake_{};
  std::uint64_t beat_ = 0;
};

TEST_F(SlotNodeTest, TheFirstMemberListensToAllSlotsAndIsSettledAfterALease) {
  run_for(Duration::milliseconds(900));
  EXPECT_THAT(all_of<Listen>(effects_), IsEmpty());
  run_for(Duration::milliseconds(600));
  EXPECT_EQ(all_of<Listen>(effects_).size(), kSlotCount);
  EXPECT_FALSE(node_.is_home({1}));
  run_for(Duration::milliseconds(4000));
  EXPECT_TRUE(node_.is_home({1}));
}

TEST_F(SlotNodeTest, ListensBeforeItSaysThatItIsActive) {
  run_for(Duration::seconds(2));
  const auto& list = effects_.list();
  const auto last_listen = std::find_if(list.rbegin(), list.rend(), [](const Effect& it) {
    return std::holds_alternative<Listen>(it);
  });
  const auto says_active = [](const Effect& it) {
    const auto* multicast = std::get_if<Multicast>(&it);
    if (multicast == nullptr) return false;
    const auto beat = read<Heartbeat>(multicast->bytes);
    return beat && beat->state == MemberState::kActive;
  };
  const auto first_active = std::ranges::find_if(list, says_active);
  ASSERT_NE(first_active, list.end());
  EXPECT_LE(last_listen.base(), first_active);
}

TEST_F(SlotNodeTest, WhoIsNewIsAnsweredAtOnceAndOnce) {
  run_for(Duration::seconds(2));
  EXPECT_EQ(all_of<Send>(hear_beat(kOther, MemberState::kJoining)).size(), 1U);
  EXPECT_THAT(all_of<Send>(hear_beat(kOther, MemberState::kJoining)), IsEmpty());
  EXPECT_EQ(all_of<Send>(hear_beat(kOther, MemberState::kJoining, 2)).size(), 1U);
}

TEST_F(SlotNodeTest, AnotherViewUnsettles) {
  run_for(Duration::seconds(10));
  ASSERT_TRUE(node_.is_home({1}));
  hear_beat(kOther, MemberState::kJoining);
  EXPECT_TRUE(node_.is_home({1}));
  hear_beat(kOther, MemberState::kActive);
  EXPECT_FALSE(node_.is_home(key_of(kSelf)));
}

TEST_F(SlotNodeTest, WhoSleptLongerThanALeaseJoinsAgain) {
  run_for(Duration::seconds(10));
  effects_.clear();
  now_ = now_ + Duration::seconds(60);
  node_.on_wake(now_, effects_);
  EXPECT_FALSE(node_.is_home({1}));
  const auto listens = all_of<Listen>(effects_);
  EXPECT_EQ(listens.size(), kSlotCount);
  EXPECT_TRUE(std::ranges::none_of(listens, &Listen::is_on));
}

TEST_F(SlotNodeTest, AMessageThatIsRepeatedArrivesOnce) {
  be_two();
  const std::string bytes = encode(envelope_to({key_of(kSelf)}));
  EXPECT_THAT(arrived(hear(kOther, bytes)), ElementsAre(ElementsAre(key_of(kSelf))));
  const Effects again = hear(kOther, bytes);
  EXPECT_THAT(arrived(again), IsEmpty());
  EXPECT_THAT(drops(again), ElementsAre(DropReason::kStale));
}

TEST_F(SlotNodeTest, WhatIsNotItsOwnGoesOnToTheOwner) {
  be_two();
  std::vector<Key> keys{key_of(kSelf), key_of(kOther)};
  std::ranges::sort(keys);
  const Effects effects = hear(kOther, encode(envelope_to(keys)));
  EXPECT_THAT(arrived(effects), ElementsAre(ElementsAre(key_of(kSelf))));
  const auto sends = all_of<Send>(effects);
  ASSERT_EQ(sends.size(), 1U);
  EXPECT_EQ(sends[0].target, kOther);
  EXPECT_TRUE(sends[0].is_relay);
  EXPECT_EQ(sends[0].kind, kind_of<probe::Cast>());
  const auto passed = read<Envelope>(sends[0].bytes);
  ASSERT_TRUE(passed);
  EXPECT_EQ(std::get<std::vector<Key>>(passed->destination), std::vector<Key>{key_of(kOther)});
  EXPECT_EQ(passed->hops, 2U);
}

// A piece of a cast for another slot is new; a second piece for an arc is not.
TEST_F(SlotNodeTest, PiecesOfOneCastArriveForEachKeyOnceAndForAnArcOnce) {
  be_two();
  const Key first = key_of(kSelf);
  const Key second = key_of(kSelf, slot_of(first) + 1);
  EXPECT_EQ(arrived(hear(kOther, encode(envelope_to({first})))).size(), 1U);
  EXPECT_THAT(arrived(hear(kOther, encode(envelope_to({first, second})))),
              ElementsAre(ElementsAre(second)));
  Envelope envelope = envelope_to({first}, 2);
  ArcSlots part{.arc = {}, .slots = {}};
  part.slots.set(slot_of(first));
  envelope.destination = part;
  EXPECT_EQ(arrived(hear(kOther, encode(envelope))).size(), 1U);
  part.slots.set(slot_of(second));
  envelope.destination = part;
  EXPECT_THAT(arrived(hear(kOther, encode(envelope))), IsEmpty());
}

TEST_F(SlotNodeTest, AMessageIsRelayedOnlySoOften) {
  be_two();
  Envelope envelope = envelope_to({key_of(kOther)});
  envelope.hops = kHopsMax;
  EXPECT_THAT(drops(hear(kOther, encode(envelope))), ElementsAre(DropReason::kTooFar));
}

TEST_F(SlotNodeTest, WithoutAnybodyActiveThereIsNoHome) {
  run_for({});
  EXPECT_THAT(drops(hear(kUser, probe::encode(probe::Get{.key = {1}}))),
              ElementsAre(DropReason::kHomeless));
}

TEST_F(SlotNodeTest, NonsenseIsDropped) {
  be_two();
  EXPECT_THAT(drops(hear(kOther, "")), ElementsAre(DropReason::kMalformed));
  EXPECT_THAT(drops(hear(kOther, "\2\4\37")), ElementsAre(DropReason::kUnknown));
  EXPECT_THAT(drops(hear(kOther, "\2\4\1")), ElementsAre(DropReason::kMalformed));
  EXPECT_THAT(drops(hear(kOther, encode(Leave{}))), ElementsAre(DropReason::kNonsense));
  EXPECT_THAT(drops(hear(kUser, encode(Taken{.number = 1}))), ElementsAre(DropReason::kNonsense));
  EXPECT_THAT(drops(hear(kOther, encode(Taken{.number = 77}))), ElementsAre(DropReason::kStale));
  Envelope inside_out = envelope_to({key_of(kSelf)});
  inside_out.message = encode(Leave{});
  EXPECT_THAT(drops(hear(kOther, encode(inside_out))), ElementsAre(DropReason::kNonsense));
  inside_out.message = "";
  EXPECT_THAT(drops(hear(kOther, encode(inside_out))), ElementsAre(DropReason::kMalformed));
  const std::string items =
      encode(Items{.number = 1, .items = {{.key = key_of(kSelf), .bytes = "not an item"}}});
  EXPECT_THAT(drops(hear(kOther, items)), ElementsAre(DropReason::kMalformed));
  EXPECT_THAT(drops(hear({99}, items)), ElementsAre(DropReason::kStale));
}

TEST_F(SlotNodeTest, HandsOverInChunksAndForgetsWhatWasTaken) {
  run_for(Duration::seconds(2));
  constexpr std::uint64_t kCount = kSlotCount * 2;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    hear(kUser, probe::encode(probe::Put{.key = {i << (kSlotShift - 1)}, .text = "t"}));
  }
  auto& application = dynamic_cast<probe::ProbeApplication&>(node_.application());
  ASSERT_EQ(application.items().size(), kCount);
  hear_beat(kOther, MemberState::kActive);
  effects_.clear();
  run_for(Duration::milliseconds(500));
  std::vector<Send> sends = all_of<Send>(effects_);
  ASSERT_EQ(sends.size(), 1U);
  std::size_t moved = 0;
  while (!sends.empty()) {
    const auto items = read<Items>(sends.back().bytes);
    ASSERT_TRUE(items);
    EXPECT_LE(items->items.size(), kChunkItemsMax);
    moved += items->items.size();
    sends = all_of<Send>(hear(kOther, encode(Taken{.number = items->number})));
  }
  EXPECT_GT(moved, kChunkItemsMax);
  EXPECT_EQ(application.items().size(), kCount - moved);
  for (const auto& [key, item] : application.items()) {
    EXPECT_EQ(node_.members().owner(slot_of(key)), kSelf);
  }
}

TEST_F(SlotNodeTest, WhatWasNotTakenIsSentAgainAndTakenOnce) {
  be_two();
  const probe::Item item{.version = {.number = 1, .origin = kOther}, .text = "t"};
  const std::string items =
      encode(Items{.number = 1, .items = {{.key = key_of(kSelf), .bytes = encode_fields(item)}}});
  for (int i = 0; i < 2; ++i) {
    const auto sends = all_of<Send>(hear(kOther, items));
    ASSERT_EQ(sends.size(), 1U);
    EXPECT_EQ(sends[0].kind, kind_of<Taken>());
  }
  EXPECT_EQ(dynamic_cast<probe::ProbeApplication&>(node_.application()).items().size(), 1U);
}

TEST_F(SlotNodeTest, LeavesWhenAllIsHandedOver) {
  be_two();
  hear(kUser, probe::encode(probe::Put{.key = key_of(kSelf), .text = "t"}));
  const Effects effects = hear(kUser, encode(Leave{}));
  const auto sends = all_of<Send>(effects);
  ASSERT_EQ(sends.size(), 1U);
  EXPECT_THAT(all_of<Listen>(effects), IsEmpty());
  run_for(Duration::seconds(2));
  EXPECT_THAT(all_of<Listen>(effects_), IsEmpty());
  const auto items = read<Items>(sends[0].bytes);
  ASSERT_TRUE(items);
  hear(kOther, encode(Taken{.number = items->number}));
  effects_.clear();
  run_for(Duration::seconds(1));
  EXPECT_FALSE(all_of<Listen>(effects_).empty());
  const auto delivers = all_of<Deliver>(effects_);
  ASSERT_FALSE(delivers.empty());
  const auto left = read<Left>(delivers.back().bytes);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->unmoved_count, 0U);
  EXPECT_THAT(drops(hear_beat(kOther, MemberState::kActive)), ElementsAre(DropReason::kStale));
}

TEST_F(SlotNodeTest, WhoLeavesAloneSaysWhatIsLost) {
  run_for(Duration::seconds(2));
  hear(kUser, probe::encode(probe::Put{.key = {1}, .text = "t"}));
  hear(kUser, encode(Leave{}));
  effects_.clear();
  run_for(Duration::seconds(2));
  const auto left = read<Left>(all_of<Deliver>(effects_).back().bytes);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->unmoved_count, 1U);
}

}  // namespace
}  // namespace weir::protocol::slots
