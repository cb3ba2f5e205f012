// SPDX-License-Identifier: Apache-2.0
// ChordNode: a member of a Chord ring, and the host of an application that is home of keys.
//
// Finds the home of a key in about (log2 N)/2 hops, knows about log2 N others, and sends two
// messages a second, and some lookups of its own, while nothing happens. Heals after successors_max
// failures at a time.
//
// Settled. A member answers for the keys between its predecessor and itself only while both
// neighbours confirm it: the predecessor has taken it for its successor, and the successor has
// taken it for its predecessor and has handed over what it kept for it, both within a lease. On a
// network that loses nothing no two members are settled homes of a key, through joins and orderly
// leaves; for a while after one a key may have none. A home has what was kept for its keys when
// members join and leave one after another; if two do so side by side it may come a little later.
// While members cannot hear each other each side goes on by itself, so that a key may have a
// settled home on each; a member cut off from all others is the home of all keys; and a member that
// does not hear that another has come between answers wrongly for a lease at most. When they hear
// each other again the rings merge, and what was kept on both sides goes to the one home.
//
// Where it differs from Chord as published, which is not correct under concurrent joins and
// failures (P. Zave, How to Make Chord Correct):
// - a neighbour is adopted only after it has itself answered, with its own id and list;
// - a predecessor gives way to one that lies between, or when it does not answer any more;
// - who hears of a member it had not known brings it to the one before it (introduce), and who
//   gets a nearer successor introduces the former one to it: so rings merge like a zip, and
//   loops that pass several times round the ring come apart. What finds them is that each member
//   looks up its own id through its contacts, members once known, and fingers now and then.
//
// Multicast. Algorithms 1 and 2 of paper 002 send a list of members' ids down the tree in which
// finger f[i] is responsible for [f[i], f[i+1]). Ours are keys, and a key's home is the first
// member at or after it. So that all keys of one home stay together, finger f[i] gets the keys
// after the member before f[i] up to the member before f[i+1]: the same tree, over homes. The
// paper's Algorithm 2 has closed intervals, by which a destination f[i+1] would be taken twice;
// ours are half-open. A message also says which part of the ring the receiver is to serve, so that
// a key whose home is a newcomer before the receiver finds it. Each home gets one message when no
// fault hits it; nothing is repeated when one does.
//
// Liars. The runtime vouches for a message's source, and answers carry the number of the request:
// nobody speaks for another, and who does not answer is never a neighbour. An id is not vouched
// for: a member that does answer can claim any place on the ring, for itself, also different ones
// to different members, and then lose what is sent to it, until it stops. Items of a hand-over are
// taken from everyone.
//
// The user's commands are chord.lookup, answered by chord.found (or never, if there is no way), and
// chord.leave, answered by chord.left.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "protocol/application.h"
#include "protocol/chord/messages.h"
#include "protocol/chord/options.h"
#include "protocol/chord/requests.h"
#include "protocol/chord/ring_table.h"
#include "protocol/node.h"
#include "protocol/placement.h"

namespace weir::protocol::chord {

class ChordNode final : public Node, public Placement {
 public:
  ChordNode(const ChordOptions& options, std::uint64_t seed,
            std::unique_ptr<Application> application);

  void on_message(base::Instant now, NodeId source, std::string_view message,
                  Effects& effects) override;
  void on_wake(base::Instant now, Effects& effects) override;

  NodeId self() const override { return options_.self; }
  bool is_home(Key key) const override { return table_.owns(key) && is_settled(); }
  std::optional<NodeId> towards(Key key) const override;
  std::uint64_t distance_to(Key key) const override;

  // Puts the tables as if the ring of these members, ascending by id and this one among them, had
  // stabilised; before the first call.
  void settle(std::span<const Peer> members);

  const RingTable& table() const { return table_; }
  // Both neighbours confirm this member; as of the last call.
  bool is_settled() const;
  bool has_left() const { return state_ == State::kGone; }
  Application& application() { return *application_; }

 private:
  enum class State : std::uint8_t { kNew, kSettledFromStart, kJoining, kMember, kLeaving, kGone };
  struct Confirmation {
    NodeId node;
    base::Instant instant;
  };

  // chord_node.cc: calls, timers, the application
  void begin(base::Instant now, Effects& effects);
  void finish();
  void start();
  void open(NodeId source, std::string_view message);
  void hear_user(Kind kind, base::ByteReader body);
  void hear(NodeId source, Kind kind, base::ByteReader body);
  template <typename Message>
  void hear(NodeId source, base::ByteReader body);
  void run_due();
  base::Instant next_wake() const;
  base::Instant after(base::Duration interval);
  void drain_application();
  void carry_out(Effect& effect);
  Application::Step step() {
    return {.now = now_, .placement = *this, .effects = from_application_};
  }
  void drop(DropReason reason) { effects_->drop(reason); }
  template <typename Message>
  void send(NodeId target, const Message& message) {
    effects_->send(target, kind_of(Message::kKind), encode(message));
  }

  // chord_node_requests.cc: asking, and what becomes of it
  void ask(Purpose purpose, const Peer& target);
  void find(Purpose purpose, Key key, std::uint64_t farther_than = 0);
  void transmit(Request& request);
  bool transmit_find(Request& request);
  std::optional<Hop> first_hop(const Request& request);
  void retry_or_fail(Request request);
  unsigned attempts_max(Purpose purpose) const;
  void fail(const Request& request);
  void answered(const Request& request, const Home& home, const Peer& peer);
  void answered(const Request& request, const Tell& tell);

  // chord_node_ring.cc: the ring's upkeep
  void found_ring();
  void join();
  void stabilise();
  void fix_finger(std::uint64_t farther_than);
  void found_finger(const Request& request, const Finger& finger);
  void probe();
  std::optional<NodeId> someone_to_probe();
  void consider(const Peer& peer);
  void adopt_successor(const Peer& peer, const Tell& tell);
  void adopt_predecessor(const Peer& peer);
  void heard_successor(const Peer& peer, const Tell& tell);
  void heard_predecessor(const Peer& peer, const Tell& tell);
  void claimed_by(const Peer& peer);
  void learned(const Peer& peer);
  void lose(NodeId node);
  void remember(NodeId node);
  void say_goodbye();
  bool is_member(const Peer& peer) const;
  bool is_list(const Peer& sender, const std::vector<Peer>& successors) const;
  void on(NodeId source, const Ask& message);
  void on(NodeId source, const Tell& message);
  void on(NodeId source, const Introduce& message);
  void on(NodeId source, const Goodbye& message);

  // chord_node_routes.cc: messages on their way to homes
  struct Way {
    bool is_here = false;
    std::optional<Hop> hop;
  };
  Way way_to(Key key, bool is_last) const;
  void on(NodeId source, const Find& message);
  void on(NodeId source, const Home& message);
  void on(NodeId source, const RouteEnvelope& message);
  void on(NodeId source, const MulticastEnvelope& message);
  void begin_route(const Route& route);
  void begin_multicast(Multicast& multicast);
  void pass_on(RouteEnvelope& envelope, MessageKind kind);
  void spread(const MulticastEnvelope& envelope, MessageKind kind);
  struct Onward {
    Peer peer;
    MessageKind kind;
    bool is_relay = false;
  };
  bool spread_part(const MulticastEnvelope& envelope, KeyArc part, const Onward& onward);
  void take_own(const MulticastEnvelope& envelope, KeyArc own);
  std::optional<MessageKind> carried_kind(std::string_view carried);

  // chord_node_items.cc: hand-over
  void move_items();
  void send_chunk(const Peer& target, KeyArc arc);
  std::vector<KeyItem> collect(KeyArc arc) const;
  void on(NodeId source, const Items& message);
  void on(NodeId source, const Kept& message);

  ChordOptions options_;
  base::Prng prng_;
  std::unique_ptr<Application> application_;
  RingTable table_;
  Requests requests_;
  State state_ = State::kNew;

  Effects* effects_ = nullptr;  // of the call that is under way
  Effects from_application_;
  // The node's own time never goes back, whatever the runtime's does.
  base::Instant now_;
  base::Duration behind_;  // the runtime's time is this much behind

  std::optional<Confirmation> by_predecessor_;
  std::optional<Confirmation> by_successor_;
  std::vector<NodeId> remembered_;
  std::size_t probe_turn_ = 0;
  unsigned join_attempt_ = 0;

  std::optional<KeyArc> predecessors_keys_;  // as it said last
  std::vector<KeyItem> chunk_;               // under way

  base::Instant next_stabilise_;
  base::Instant next_fingers_;
  base::Instant next_probe_;
  std::optional<base::Instant> application_wake_;
  std::optional<base::Instant> armed_;  // the wake that was asked for
  std::uint64_t version_told_ = 0;
  bool settled_told_ = false;
};

}  // namespace weir::protocol::chord
