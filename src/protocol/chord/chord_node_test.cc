// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/chord_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/chord/chord_testing.h"
#include "protocol/probe/messages.h"

namespace weir::protocol::chord {
namespace {

using base::Duration;
using base::Instant;
using testing::ElementsAre;
using testing::IsEmpty;

// A member with id 100 on a ring of 8 bits; addresses are ids plus one.
class ChordNodeTest : public testing::Test {
 protected:
  void start(std::vector<NodeId> contacts, std::vector<std::uint64_t> settled = {}) {
    ChordOptions options{.self = peer_at(100).node, .name = name_at(Ring(8), {100})};
    options.ring_bits = 8;
    options.contacts = std::move(contacts);
    options.successors_max = 3;
    node_ = std::make_unique<ChordNode>(options, 1, std::make_unique<probe::ProbeApplication>());
    std::vector<Peer> members;
    for (const std::uint64_t id : settled) members.push_back(peer_at(id));
    if (!members.empty()) node_->settle(members);
    wake();
  }

  // Wakes the node at the instant that it asked for.
  void wake() {
    if (wake_) now_ = std::max(now_, *wake_);
    node_->on_wake(now_, effects_);
    note_wake();
  }
  template <typename Message>
  void hear(std::uint64_t source_id, const Message& message) {
    hear_bytes(peer_at(source_id).node, encode(message));
  }
  void hear_bytes(NodeId source, const std::string& bytes) {
    node_->on_message(now_, source, bytes, effects_);
    note_wake();
  }
  void note_wake() {
    for (const Effect& effect : effects_.list()) {
      if (const auto* at = std::get_if<WakeAt>(&effect)) wake_ = at->instant;
    }
  }

  // Returns the messages of one kind since the last call, with the ids of their targets; keeps
  // others.
  template <typename Message>
  std::vector<std::pair<std::uint64_t, Message>> sent() {
    std::vector<std::pair<std::uint64_t, Message>> all;
    std::erase_if(effects_.list(), [&](const Effect& effect) {
      const auto* send = std::get_if<Send>(&effect);
      const auto message = send != nullptr ? read<Message>(send->bytes) : std::nullopt;
      if (message) all.emplace_back(send->target.value - 1, *message);
      return message.has_value();
    });
    return all;
  }
  std::vector<DropReason> dropped() {
    std::vector<DropReason> reasons;
    for (const Effect& effect : effects_.list()) {
      if (const auto* drop = std::get_if<Drop>(&effect)) reasons.push_back(drop->reason);
    }
    effects_.clear();
    return reasons;
  }
  // Answers the last Ask to that member.
  void answer(std::uint64_t id, Tell tell) {
    for (const auto& [target, ask] : sent<Ask>()) {
      if (target != id) continue;
      tell.number = ask.number;
      tell.id = {id};
      hear(id, tell);
      return;
    }
    FAIL() << id << " was not asked";
  }

  const RingTable& table() const { return node_->table(); }
  probe::ProbeApplication& probe() const {
    return dynamic_cast<probe::ProbeApplication&>(node_->application());
  }

  std::unique_ptr<ChordNode> node_;
  Instant now_{Duration::seconds(1000).nanoseconds};
  std::optional<Instant> wake_;
  Effects effects_;
};

TEST_F(ChordNodeTest, WithoutAContactItIsTheHomeOfEverything) {
  start({peer_at(100).node});
  EXPECT_TRUE(node_->is_settled());
  EXPECT_TRUE(node_->is_home({101}));
  EXPECT_EQ(node_->distance_to({101}), 0U);
  EXPECT_FALSE(node_->towards({101}).has_value());
  hear_bytes(kUser, encode(Lookup{.key = {7}}));
  EXPECT_THAT(sent<Find>(), IsEmpty());
}

TEST_F(ChordNodeTest, JoinsThroughAContactAndIsSettledWhenBothNeighboursSaySo) {
  start({peer_at(30).node});
  auto finds = sent<Find>();
  ASSERT_EQ(finds.size(), 1U);
  EXPECT_EQ(finds[0].first, 30U);
  EXPECT_EQ(finds[0].second.key.value, 100U);
  EXPECT_TRUE(finds[0].second.is_hint);
  hear(150, Home{.number = finds[0].second.number, .key = {100}, .id = {150}, .predecessor = {90}});
  EXPECT_THAT(table().successors(), IsEmpty());
  answer(150, {.id = {}, .predecessor = peer_at(90), .successors = {peer_at(200), peer_at(90)}});
  EXPECT_THAT(table().successors(), ElementsAre(peer_at(150), peer_at(200), peer_at(90)));
  EXPECT_FALSE(node_->is_settled());

  hear(90, Ask{.number = 5, .id = {90}, .is_predecessor = true});
  EXPECT_FALSE(table().predecessor().has_value());
  answer(90, {.id = {}, .successors = {peer_at(100)}});
  EXPECT_EQ(table().predecessor(), peer_at(90));
  EXPECT_FALSE(node_->is_settled());
  // It asks again, now with its predecessor; the successor has no items of its keys any more.
  answer(150, {.id = {}, .predecessor = peer_at(100), .successors = {peer_at(200)}});
  EXPECT_TRUE(node_->is_settled());
  EXPECT_TRUE(node_->is_home({91}));
  EXPECT_FALSE(node_->is_home({90}));
}

TEST_F(ChordNodeTest, IsNotSettledWhileItsSuccessorKeepsSomethingOfIt) {
  start({}, {90, 100, 150});
  now_ = now_ + Duration::seconds(6);
  wake();
  EXPECT_FALSE(node_->is_settled());
  hear(90, Ask{.number = 5, .id = {90}, .is_predecessor = true});
  answer(150, {.id = {}, .is_moving = true, .predecessor = peer_at(100)});
  EXPECT_FALSE(node_->is_settled());
  wake();
  answer(150, {.id = {}, .predecessor = peer_at(100)});
  EXPECT_TRUE(node_->is_settled());
}

TEST_F(ChordNodeTest, FoundsARingWhenNobodyLetsItIn) {
  start({peer_at(30).node, peer_at(40).node});
  std::vector<std::uint64_t> asked;
  for (int i = 0; i < 40 && !node_->is_settled(); ++i) {
    for (const auto& [target, find] : sent<Find>()) asked.push_back(target);
    wake();
  }
  EXPECT_TRUE(node_->is_settled());
  EXPECT_THAT(asked, testing::Contains(30U));
  EXPECT_THAT(asked, testing::Contains(40U));
}

TEST_F(ChordNodeTest, ANearerSuccessorIsAdoptedOnlyWhenItAnswers) {
  start({}, {90, 100, 150});
  hear(90, Introduce{.peer = peer_at(120)});
  EXPECT_EQ(table().successor(), peer_at(150));
  answer(120, {.id = {}, .successors = {peer_at(130)}});
  EXPECT_EQ(table().successor(), peer_at(120));
  // The list of the new successor lacks the former one, so it is introduced.
  const auto introduced = sent<Introduce>();
  ASSERT_EQ(introduced.size(), 1U);
  EXPECT_EQ(introduced[0].first, 120U);
  EXPECT_EQ(introduced[0].second.peer, peer_at(150));
}

TEST_F(ChordNodeTest, WhoIsNotBetweenIsBroughtOn) {
  start({}, {90, 100, 150, 180});
  hear(90, Introduce{.peer = peer_at(190), .hops = 2});
  const auto introduced = sent<Introduce>();
  ASSERT_EQ(introduced.size(), 1U);
  EXPECT_EQ(introduced[0].first, 180U);
  EXPECT_EQ(introduced[0].second.hops, 3U);
  EXPECT_THAT(sent<Ask>(), IsEmpty());
}

TEST_F(ChordNodeTest, ASuccessorThatDoesNotAnswerGivesWayToTheNext) {
  start({}, {90, 100, 150, 180});
  for (int i = 0; i < 30 && table().successor() == peer_at(150); ++i) wake();
  EXPECT_EQ(table().successor(), peer_at(180));
  const auto asks = sent<Ask>();
  EXPECT_EQ(
      std::count_if(asks.begin(), asks.end(),
                    [](const auto& ask) { return ask.first == 150U && ask.second.is_predecessor; }),
      4);
  EXPECT_TRUE(std::any_of(asks.begin(), asks.end(), [](const auto& ask) {
    return ask.first == 180U && ask.second.is_predecessor;
  }));
}

TEST_F(ChordNodeTest, APredecessorGivesWayOnlyToOneBetweenOrWhenItIsGone) {
  start({}, {90, 100, 150});
  hear(95, Ask{.number = 5, .id = {95}, .is_predecessor = true});
  EXPECT_EQ(table().predecessor(), peer_at(90));
  answer(95, {.id = {}, .successors = {peer_at(100)}});
  EXPECT_EQ(table().predecessor(), peer_at(95));
  // A claim of a farther member makes it check its predecessor.
  hear(90, Ask{.number = 6, .id = {90}, .is_predecessor = true});
  EXPECT_EQ(table().predecessor(), peer_at(95));
  const auto asks = sent<Ask>();
  EXPECT_TRUE(std::any_of(asks.begin(), asks.end(), [](const auto& ask) {
    return ask.first == 95U && !ask.second.is_predecessor;
  }));
  for (int i = 0; i < 20 && table().predecessor(); ++i) wake();
  EXPECT_FALSE(table().predecessor().has_value());
}

TEST_F(ChordNodeTest, APredecessorThatHasAnotherSuccessorHearsOfThisOne) {
  start({}, {90, 100, 150});
  now_ = now_ + Duration::seconds(6);
  wake();
  answer(90, {.id = {}, .successors = {peer_at(150)}});
  const auto introduced = sent<Introduce>();
  ASSERT_EQ(introduced.size(), 1U);
  EXPECT_EQ(introduced[0].first, 90U);
  EXPECT_EQ(introduced[0].second.peer, peer_at(100));
}

TEST_F(ChordNodeTest, ALookupIsRepeatedByOtherWaysAndGivenUp) {
  start({}, {90, 100, 101, 102, 104, 116, 132, 164});
  effects_.clear();
  hear_bytes(kUser, encode(Lookup{.key = {200}}));
  std::vector<std::uint64_t> first_hops;
  std::vector<DropReason> drops;
  for (int i = 0; i < 30 && drops.empty(); ++i) {
    for (const auto& [target, find] : sent<Find>()) {
      if (find.key.value == 200) first_hops.push_back(target);
    }
    drops = dropped();
    now_ = now_ + Duration::milliseconds(501);
    node_->on_wake(now_, effects_);
  }
  EXPECT_THAT(first_hops, ElementsAre(164U, 132U, 116U, 104U));
  EXPECT_THAT(drops, ElementsAre(DropReason::kHomeless));
}

TEST_F(ChordNodeTest, AHomeAnswersForItsKeysOnlyWhileItIsSettled) {
  start({}, {90, 100, 150});
  const Find find{.number = 3, .asker = {44}, .key = {95}, .hops = 2, .is_last = true};
  hear(90, find);
  const auto homes = sent<Home>();
  ASSERT_EQ(homes.size(), 1U);
  EXPECT_EQ(homes[0].first, 43U);
  EXPECT_EQ(homes[0].second.predecessor.value, 90U);
  EXPECT_EQ(homes[0].second.hops, 2U);
  now_ = now_ + Duration::seconds(6);
  effects_.clear();
  hear(90, find);
  EXPECT_THAT(sent<Home>(), IsEmpty());
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kHomeless));
  // A newcomer lies between and is asked instead.
  hear(90, Find{.number = 3, .asker = {44}, .key = {80}, .hops = 2, .is_last = true});
  const auto relayed = sent<Find>();
  ASSERT_EQ(relayed.size(), 1U);
  EXPECT_EQ(relayed[0].first, 90U);
}

TEST_F(ChordNodeTest, ARoutedMessageIsChargedToWhatItCarries) {
  start({}, {90, 100, 150, 180});
  hear_bytes(kUser, encode(probe::Get{.key = {170}}));
  ASSERT_FALSE(effects_.list().empty());
  std::vector<Send> sends;
  for (const Effect& effect : effects_.list()) {
    const auto* send = std::get_if<Send>(&effect);
    if (send != nullptr && read<RouteEnvelope>(send->bytes)) sends.push_back(*send);
  }
  ASSERT_EQ(sends.size(), 1U);
  EXPECT_EQ(sends[0].kind, kind_of<probe::Fetch>());
  EXPECT_FALSE(sends[0].is_relay);
  effects_.clear();
  hear_bytes(peer_at(90).node, sends[0].bytes);
  const auto& relayed = std::get<Send>(effects_.list().front());
  EXPECT_TRUE(relayed.is_relay);
  EXPECT_EQ(read<RouteEnvelope>(relayed.bytes)->hops, 2U);
}

TEST_F(ChordNodeTest, WhatIsTooLargeOrTooFarIsDropped) {
  start({}, {90, 100, 150});
  effects_.clear();
  const std::string carried = encode(probe::Get{.key = {170}});
  hear(90, RouteEnvelope{.origin = {9}, .key = {170}, .hops = 64, .carried = carried});
  hear(90, MulticastEnvelope{.origin = {9},
                             .hops = 64,
                             .range = {.after = {90}, .last = {90}},
                             .destinations = std::vector<Key>{{170}},
                             .carried = carried});
  hear(90, Find{.number = 3, .asker = {44}, .key = {170}, .hops = 64});
  hear(90, Introduce{.peer = peer_at(190), .hops = 64});
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kTooFar, DropReason::kTooFar, DropReason::kTooFar,
                                     DropReason::kTooFar));
}

TEST_F(ChordNodeTest, LookupsAndCandidatesAreLimited) {
  start({}, {90, 100, 150});
  effects_.clear();
  for (int i = 0; i < 65; ++i) hear_bytes(kUser, encode(Lookup{.key = {120}}));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kLimit));
  for (std::uint64_t id = 101; id < 110; ++id) hear(90, Introduce{.peer = peer_at(id)});
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kLimit));
}

// An application that routes and casts more than a message can carry.
class Glutton : public probe::ProbeApplication {
 public:
  void on_message(const Step& step, NodeId /*source*/, std::string_view /*message*/) override {
    const MessageKind kind = kind_of<probe::Store>();
    const std::string large(kMessageBytesMax, 'x');
    step.effects.route({170}, kind, large);
    step.effects.multicast(std::vector<Key>{{170}}, kind, large);
    std::vector<Key> keys;
    for (std::uint64_t i = 0; i <= kDestinationKeysMax; ++i) keys.push_back({i});
    step.effects.multicast(keys, kind, "x");
    step.effects.route({256}, kind, "x");
    step.effects.multicast(std::vector<Key>{{1}, {256}}, kind, "x");
    step.effects.multicast(std::vector<Key>{}, kind, "x");
  }
};

TEST_F(ChordNodeTest, WhatTheApplicationSendsIsLimited) {
  ChordOptions options{.self = {1}, .name = "1"};
  options.ring_bits = 8;
  node_ = std::make_unique<ChordNode>(options, 1, std::make_unique<Glutton>());
  wake();
  effects_.clear();
  hear_bytes(kUser, encode(probe::Get{.key = {1}}));
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kLimit, DropReason::kLimit, DropReason::kLimit,
                                     DropReason::kNonsense, DropReason::kNonsense));
}

TEST_F(ChordNodeTest, NonsenseIsDropped) {
  start({}, {90, 100, 150});
  effects_.clear();
  const auto reason = [&](NodeId source, const std::string& bytes) {
    hear_bytes(source, bytes);
    const auto reasons = dropped();
    return reasons.size() == 1 ? std::optional(reasons[0]) : std::nullopt;
  };
  const NodeId other = peer_at(90).node;
  const std::string probe = encode(probe::Get{.key = {170}});
  EXPECT_EQ(reason(other, "\2\2\37"), DropReason::kUnknown);
  EXPECT_EQ(reason(other, encode(Ask{.id = {90}}).substr(0, 5)), DropReason::kMalformed);
  EXPECT_EQ(reason(other, encode(Leave{})), DropReason::kNonsense);
  EXPECT_EQ(reason(other, encode(Left{})), DropReason::kNonsense);
  EXPECT_EQ(reason(kUser, encode(Ask{.id = {90}})), DropReason::kNonsense);
  EXPECT_EQ(reason(kUser, encode(Lookup{.key = {256}})), DropReason::kNonsense);
  EXPECT_EQ(reason(other, encode(Ask{.id = {256}})), DropReason::kNonsense);
  EXPECT_EQ(reason(other, encode(Ask{.id = {100}})), DropReason::kNonsense);
  EXPECT_EQ(reason(other, encode(Tell{.number = 77, .id = {90}})), DropReason::kStale);
  EXPECT_EQ(reason(other, encode(Kept{.number = 77})), DropReason::kStale);
  EXPECT_EQ(reason(other, encode(Home{.number = 77, .key = {1}, .id = {90}, .predecessor = {2}})),
            DropReason::kStale);
  EXPECT_EQ(reason(other, encode(Introduce{.peer = {.node = {7}, .id = {256}}})),
            DropReason::kNonsense);
  EXPECT_EQ(reason(other, encode(Goodbye{.id = {90}, .successors = {peer_at(90)}})),
            DropReason::kNonsense);
  EXPECT_EQ(reason(other, encode(Items{.number = 1, .items = {{.key = {256}, .bytes = ""}}})),
            DropReason::kNonsense);
  EXPECT_EQ(reason(other, encode(RouteEnvelope{.origin = {7}, .key = {256}, .carried = probe})),
            DropReason::kNonsense);
  const std::string nested = encode(Leave{});
  EXPECT_EQ(reason(other, encode(RouteEnvelope{.origin = {7}, .key = {1}, .carried = nested})),
            DropReason::kNonsense);
  EXPECT_EQ(reason(other, encode(MulticastEnvelope{.origin = {7},
                                                   .hops = 1,
                                                   .range = {.after = {110}, .last = {120}},
                                                   .destinations = std::vector<Key>{{115}},
                                                   .carried = probe})),
            DropReason::kNonsense);
  EXPECT_EQ(table().predecessor(), peer_at(90));
  EXPECT_EQ(table().successor(), peer_at(150));
}

TEST_F(ChordNodeTest, AnAnswerWithAFalseListOrIdIsNotBelieved) {
  start({}, {90, 100, 150, 180});
  hear(90, Introduce{.peer = {.node = peer_at(180).node, .id = {120}}});
  auto asks = sent<Ask>();
  ASSERT_EQ(asks.back().first, 180U);
  hear(180, Tell{.number = asks.back().second.number, .id = {180}});
  EXPECT_EQ(table().successor(), peer_at(150));
  EXPECT_THAT(table().successors(), testing::Contains(peer_at(180)));
  hear(90, Introduce{.peer = peer_at(120)});
  answer(120, {.id = {}, .successors = {peer_at(140), peer_at(130)}});
  EXPECT_EQ(table().successor(), peer_at(150));
}

TEST_F(ChordNodeTest, ItemsOfThePredecessorAreRepeatedUntilTheyAreKept) {
  start({}, {90, 100, 150});
  const std::string bytes =
      encode_fields(probe::Item{.version = {.number = 1, .origin = {1}}, .text = "x"});
  hear(150,
       Items{.number = 8, .items = {{.key = {85}, .bytes = bytes}, {.key = {95}, .bytes = bytes}}});
  EXPECT_EQ(sent<Kept>().size(), 1U);
  hear(90, Ask{.number = 5, .id = {90}, .is_predecessor = true, .predecessor = Key{80}});
  EXPECT_TRUE(sent<Tell>().back().second.is_moving);
  auto chunks = sent<Items>();
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0].first, 90U);
  ASSERT_EQ(chunks[0].second.items.size(), 1U);
  now_ = now_ + Duration::milliseconds(501);
  wake();
  const auto again = sent<Items>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].second.number, chunks[0].second.number);
  EXPECT_EQ(probe().items().size(), 2U);
  hear(150, Kept{.number = chunks[0].second.number});  // not from the receiver of the chunk
  EXPECT_EQ(probe().items().size(), 2U);
  hear(90, Kept{.number = chunks[0].second.number});
  EXPECT_EQ(probe().items().size(), 1U);
  hear(90, Ask{.number = 6, .id = {90}, .is_predecessor = true, .predecessor = Key{80}});
  EXPECT_FALSE(sent<Tell>().back().second.is_moving);
}

TEST_F(ChordNodeTest, LeavesWhenItsItemsAreKept) {
  start({}, {90, 100, 150});
  const std::string bytes =
      encode_fields(probe::Item{.version = {.number = 1, .origin = {1}}, .text = "x"});
  hear(150, Items{.number = 8, .items = {{.key = {95}, .bytes = bytes}}});
  hear_bytes(kUser, encode(Leave{}));
  EXPECT_FALSE(node_->is_home({95}));
  EXPECT_FALSE(node_->has_left());
  const auto chunks = sent<Items>();
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0].first, 150U);
  hear(150, Kept{.number = chunks[0].second.number});
  EXPECT_TRUE(node_->has_left());
  const auto goodbyes = sent<Goodbye>();
  ASSERT_EQ(goodbyes.size(), 2U);
  EXPECT_EQ(goodbyes[0].first, 90U);
  EXPECT_EQ(goodbyes[1].first, 150U);
  EXPECT_TRUE(std::holds_alternative<Deliver>(effects_.list().back()));
  effects_.clear();
  hear(90, Ask{.number = 6, .id = {90}});
  EXPECT_THAT(dropped(), ElementsAre(DropReason::kStale));
}

TEST_F(ChordNodeTest, AGoodbyeClosesTheGap) {
  start({}, {90, 100, 150, 180});
  hear(150, Goodbye{.id = {150}, .predecessor = peer_at(100), .successors = {peer_at(180)}});
  EXPECT_EQ(table().successor(), peer_at(180));
  hear(90, Goodbye{.id = {90}, .predecessor = peer_at(180), .successors = {peer_at(100)}});
  EXPECT_FALSE(table().predecessor().has_value());
  const auto asks = sent<Ask>();
  EXPECT_EQ(asks.back().first, 180U);
}

TEST_F(ChordNodeTest, AClockThatGoesBackStopsNothing) {
  start({}, {90, 100, 150});
  effects_.clear();
  now_ = {now_.nanoseconds - Duration::seconds(500).nanoseconds};
  hear(90, Ask{.number = 5, .id = {90}, .is_predecessor = true});
  ASSERT_TRUE(std::holds_alternative<WakeAt>(effects_.list().back()));
  EXPECT_LE(std::get<WakeAt>(effects_.list().back()).instant, now_ + Duration::seconds(2));
}

}  // namespace
}  // namespace weir::protocol::chord
