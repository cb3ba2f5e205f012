// SPDX-License-Identifier: Apache-2.0
// ChordNode: a member of a Chord ring, and the host of an application that is home of keys.
//
// Finds the home of a key in about (log2 N)/2 hops and knows about log2 N other members. While
// nothing happens it sends two messages a second and a few lookups. Heals after up to
// successors_max failures at a time.
//
// Settled. A member answers for the keys between its predecessor and itself only while both
// neighbours confirm it: within one lease, the predecessor has taken it for its successor, and the
// successor has taken it for its predecessor and has handed over all items of its keys. On a
// network that loses nothing, no two members are settled homes of one key, through joins and
// orderly leaves; a key may have no settled home for a while after one. A home has the items of its
// keys when members join and leave one after another; when two do so side by side, items may come
// later. While members cannot hear each other, each side continues alone, so a key may have a
// settled home on each side; a member cut off from all others is the home of all keys. A member
// that does not hear of a newcomer before it answers wrongly for one lease at most. When the sides
// hear each other again, their rings merge, and the items of both sides go to the one home.
//
// Differences from Chord as published, which is not correct under concurrent joins and failures
// (P. Zave, How to Make Chord Correct):
// - a member adopts a neighbour only after it has answered itself, with its own id and list;
// - a predecessor gives way to a member that lies between, or when it stops answering;
// - a member that learns of an unknown member introduces it to the one before it, and a member that
//   gets a nearer successor introduces the former one to it. So rings merge like a zip, and loops
//   that pass several times round the ring come apart. To find such rings and loops, each member
//   now and then looks up its own id through its contacts, remembered members and fingers.
//
// Liars. The runtime vouches for a message's source, and answers carry the number of the request:
// nobody speaks for another member, and a member that does not answer never becomes a neighbour.
// Nobody vouches for an id: a member that answers can claim any place on the ring for itself, also
// different ones to different members, and lose messages sent to it, until it stops. Items of a
// hand-over are accepted from everyone.
//
// Parts. A call is a Turn; each message goes to the part that has a handler for it:
//
//   Upkeep     the place on the ring     Questions  requests and their answers
//   Router     messages to homes         HandOver   items to their homes
//   Contacts   members to ask            RingMember the state that all parts share
//
// The user's commands are chord.lookup, answered by chord.found (or never, if no way is known), and
// chord.leave, answered by chord.left.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/application.h"
#include "protocol/chord/contacts.h"
#include "protocol/chord/hand_over.h"
#include "protocol/chord/messages.h"
#include "protocol/chord/options.h"
#include "protocol/chord/questions.h"
#include "protocol/chord/ring_member.h"
#include "protocol/chord/router.h"
#include "protocol/chord/upkeep.h"
#include "protocol/hosted_application.h"
#include "protocol/node.h"
#include "protocol/placement.h"
#include "protocol/turn.h"

namespace weir::protocol::chord {

class ChordNode final : public Node, public Placement {
 public:
  ChordNode(const ChordOptions& options, std::uint64_t seed,
            std::unique_ptr<Application> application);

  void on_message(base::Instant now, NodeId source, std::string_view message,
                  Effects& effects) override;
  void on_wake(base::Instant now, Effects& effects) override;

  NodeId self() const override { return member_.options.self; }
  bool is_home(Key key) const override { return member_.table.owns(key) && is_settled(); }
  std::optional<NodeId> towards(Key key) const override;
  std::uint64_t distance_to(Key key) const override;

  // Sets the tables as if the ring of these members had stabilised. They ascend by id and include
  // this one. Requires that no call was made before.
  void settle(std::span<const Peer> members);

  const RingTable& table() const { return member_.table; }
  // Both neighbours confirm this member, as of the last call.
  bool is_settled() const { return member_.is_settled(); }
  bool has_left() const { return member_.phase == RingMember::Phase::kGone; }
  Application& application() { return application_.get(); }

 private:
  Turn begin_turn(base::Instant now, Effects& effects);
  // Tells the application of a changed placement, carries out its effects, and asks for a wake.
  void end_turn(const Turn& turn);
  void run_due(const Turn& turn);
  base::Instant next_wake() const;
  void open(const Turn& turn, NodeId source, std::string_view message);
  template <typename Message>
  void hear(const Turn& turn, NodeId source, const Message& message);
  void drain_application(const Turn& turn);

  void obey(const Turn& turn, const Lookup& command);
  void obey(const Turn& turn, const Leave& command);
  void on(const Turn& turn, NodeId source, const Home& message);
  void on(const Turn& turn, NodeId source, const Kept& message);

  RingMember member_;
  HostedApplication application_;
  Contacts contacts_;
  Questions questions_;
  HandOver hand_over_;
  Upkeep upkeep_;
  Router router_;

  std::optional<base::Instant> asked_wake_;  // the last WakeAt, by the member's own clock
  std::uint64_t version_told_ = 0;
  bool settled_told_ = false;
};

}  // namespace weir::protocol::chord
