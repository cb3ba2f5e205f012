// SPDX-License-Identifier: Apache-2.0
// A Chord ring with a member that sends well-formed nonsense.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "protocol/chord/messages.h"
#include "protocol/probe/messages.h"
#include "runtime/sim/chord_testing.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using base::Instant;
using protocol::Effects;
using protocol::Key;
using protocol::MessageKind;
using protocol::NodeId;
using protocol::chord::Peer;
namespace chord = protocol::chord;

constexpr std::size_t kMemberCount = 20;

// Sends a hundred messages a second to members whose ids it knows.
class Liar : public protocol::Node {
 public:
  Liar(std::vector<Peer> members, bool answers) : members_(std::move(members)), answers_(answers) {}

  void on_wake(Instant now, Effects& effects) override {
    for (int i = 0; i < 5; ++i) lie(anyone(), effects);
    effects.wake_at(now + Duration::milliseconds(50));
  }

  // Claims to everyone to be the member just before them.
  void on_message(Instant /*now*/, NodeId source, std::string_view message,
                  Effects& effects) override {
    const auto ask = chord::read<chord::Ask>(message);
    if (!ask || !answers_) return;
    const Peer asker{.node = source, .id = ask->id};
    send(source, chord::Tell{.number = ask->number, .id = before(asker), .predecessor = {}},
         effects);
  }

 private:
  template <typename Message>
  void send(NodeId target, const Message& message, Effects& effects) {
    effects.send(target, message);
  }

  const Peer& anyone() { return members_[prng_.next() % members_.size()]; }
  static Key before(const Peer& peer) { return {peer.id.value - 1}; }
  Peer somebody_false() {
    const std::uint64_t node = prng_.next() % (2 * kMemberCount);
    return {.node = {node + 1}, .id = {prng_.next()}};
  }

  void lie(const Peer& target, Effects& effects) {
    const NodeId node = target.node;
    const std::uint64_t number = prng_.next();
    const std::vector<Peer> list{somebody_false(), target, somebody_false()};
    switch (prng_.next() % 14) {
      case 0:
      case 1:
        return send(node,
                    chord::Ask{.number = number,
                               .id = before(target),
                               .is_predecessor = true,
                               .predecessor = target.id},
                    effects);
      case 2:
        return send(
            node,
            chord::Ask{
                .number = number, .id = target.id, .is_predecessor = true, .predecessor = {}},
            effects);
      case 3:
        return send(
            node,
            chord::Tell{
                .number = number, .id = before(target), .predecessor = target, .successors = list},
            effects);
      case 4:
        return send(
            node,
            chord::Home{
                .number = number, .key = target.id, .id = target.id, .predecessor = target.id},
            effects);
      case 5:
        return send(node, chord::Introduce{.peer = somebody_false()}, effects);
      case 6:
        return send(node, chord::Introduce{.peer = {.node = anyone().node, .id = before(target)}},
                    effects);
      case 7:
        return send(node,
                    chord::Goodbye{.id = anyone().id,
                                   .predecessor = somebody_false(),
                                   .successors = {somebody_false()}},
                    effects);
      case 8:
        return send(node,
                    chord::Items{.number = number, .items = {{.key = {number}, .bytes = "?"}}},
                    effects);
      case 9:
        return send(node, chord::Kept{.number = number}, effects);
      case 10:
        return send(
            node,
            chord::Find{.number = number, .asker = anyone().node, .key = {number}, .hops = 64},
            effects);
      case 11:
        return send(node, chord::RouteEnvelope{.origin = node, .key = {number}, .carried = "?"},
                    effects);
      case 12:
        return send(node,
                    chord::MulticastEnvelope{.origin = node,
                                             .hops = 1,
                                             .range = {.after = target.id, .last = {number}},
                                             .destinations = std::vector<Key>{{1}, {number}},
                                             .carried = "?"},
                    effects);
      default:
        return send(node, chord::Leave{}, effects);
    }
  }

  base::Prng prng_{5};
  std::vector<Peer> members_;
  bool answers_;
};

class ChordLiarsTest : public testing::Test {
 protected:
  ChordLiarsTest() : world_({.sim = {.seed = 9, .link = {}}, .chord = {}}) {
    world_.add_settled(kMemberCount);
    world_.run(Duration::seconds(3));
  }

  NodeId add_liar(bool answers) {
    return world_.add_stranger(std::make_unique<Liar>(world_.members(), answers));
  }

  ChordWorld world_;
};

TEST_F(ChordLiarsTest, WhoDoesNotAnswerChangesNothing) {
  add_liar(false);
  for (int i = 0; i < 60; ++i) {
    world_.run(Duration::seconds(1));
    ASSERT_EQ(world_.fault(), "") << i;
  }
  using protocol::DropReason;
  for (const DropReason reason :
       {DropReason::kMalformed, DropReason::kNonsense, DropReason::kStale, DropReason::kTooFar}) {
    EXPECT_GT(world_.sim().costs().dropped(reason), 0U) << to_string(reason);
  }
}

TEST_F(ChordLiarsTest, WhoAnswersAndIsEverybodysPredecessorBreaksNothingForEver) {
  const NodeId liar = add_liar(true);
  world_.run(Duration::seconds(30));
  EXPECT_NE(world_.fault(), "");
  world_.sim().crash(liar);
  EXPECT_EQ(world_.run_until_ideal(Duration::seconds(60)), "");
}

}  // namespace
}  // namespace weir::runtime::sim
