// SPDX-License-Identifier: Apache-2.0
// Router: brings the application's messages to the homes of keys, in envelopes.
//
// One copy of an envelope is on its way to a home at any time. A member that knows another owner
// passes it on, and a repeated one is recognised.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "protocol/hosted_application.h"
#include "protocol/slots/membership.h"
#include "protocol/slots/messages.h"
#include "protocol/slots/recent_arrivals.h"
#include "protocol/turn.h"

namespace weir::protocol::slots {

class Router {
 public:
  Router(NodeId self, const Membership& members, HostedApplication& application)
      : self_(self), members_(members), application_(application) {}

  // Carries out the waiting effects of the application.
  void drain_application(const Turn& turn);
  // Gives the application the messages that have arrived, and carries out what follows from them.
  void deliver_arrivals(const Turn& turn);

  void on(const Turn& turn, NodeId source, const Envelope& envelope);

 private:
  void set_out(const Turn& turn, Route& route);
  void set_out(const Turn& turn, Multicast& multicast);
  Envelope new_envelope(std::string message);
  void pass_on(const Turn& turn, const Envelope& envelope);
  void arrive(const Turn& turn, Envelope& envelope);
  bool is_first_arrival(const Envelope& envelope, std::uint32_t slot);

  NodeId self_;
  const Membership& members_;
  HostedApplication& application_;
  RecentArrivals recent_;
  std::deque<Envelope> arrivals_;  // at this member, within a turn
  std::uint64_t envelope_number_ = 0;
};

}  // namespace weir::protocol::slots
