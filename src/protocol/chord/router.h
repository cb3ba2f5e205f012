// SPDX-License-Identifier: Apache-2.0
// Router: brings messages to the homes of keys, hop by hop: lookups, and the messages that the
// application routes and multicasts.
//
// Multicast. Algorithms 1 and 2 of paper 002 send a list of members' ids down the tree in which
// finger f[i] is responsible for [f[i], f[i+1]). Our lists hold keys, and a key's home is the first
// member at or after it. To keep all keys of one home together, finger f[i] gets the keys after the
// member before f[i] up to the member before f[i+1]: the same tree, over homes. The paper's
// Algorithm 2 has closed intervals, which would take a destination f[i+1] twice; ours are
// half-open. A message also names the range of the ring that the receiver serves, so a key whose
// home is a newcomer before the receiver finds it. Each home gets one message if no fault hits it;
// nothing is repeated after a fault.
#pragma once

#include <optional>

#include "protocol/chord/messages.h"
#include "protocol/chord/ring_member.h"
#include "protocol/hosted_application.h"
#include "protocol/turn.h"

namespace weir::protocol::chord {

class Router {
 public:
  Router(RingMember& member, HostedApplication& application)
      : member_(member), application_(application) {}

  // A message of this member's application sets out.
  void set_out(const Turn& turn, const Route& route);
  void set_out(const Turn& turn, Multicast& multicast);

  void on(const Turn& turn, NodeId source, const Find& message);
  void on(const Turn& turn, NodeId source, const RouteEnvelope& message);
  void on(const Turn& turn, NodeId source, const MulticastEnvelope& message);

 private:
  // The next step to a key: it ends here, or goes to the hop; neither if no way is known.
  struct Step {
    bool is_here = false;
    std::optional<Hop> hop;
  };
  struct Onward {
    Peer peer;
    MessageKind kind;
    bool is_relay = false;
  };

  Step step_to(Key key, bool is_last) const;
  void pass_on(const Turn& turn, RouteEnvelope& envelope, MessageKind kind);
  void spread(const Turn& turn, const MulticastEnvelope& envelope, MessageKind kind);
  // Returns true if the part has destinations and was sent.
  bool spread_part(const Turn& turn, const MulticastEnvelope& envelope, KeyArc part,
                   const Onward& onward);
  void arrive(const Turn& turn, const MulticastEnvelope& envelope, KeyArc own);
  void arrive(const Turn& turn, const Routed& routed);

  RingMember& member_;
  HostedApplication& application_;
};

}  // namespace weir::protocol::chord
