// SPDX-License-Identifier: Apache-2.0
// Questions: sends the requests of a member, sends them again, and matches answers with them.
//
// The number of a request is random, so only a recipient of the request can answer it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/chord/contacts.h"
#include "protocol/chord/messages.h"
#include "protocol/chord/ring_member.h"
#include "protocol/turn.h"

namespace weir::protocol::chord {

class Questions {
 public:
  Questions(RingMember& member, Contacts& contacts) : member_(member), contacts_(contacts) {}

  // Asks a member for its neighbours. Does nothing if it was asked for this purpose already; drops
  // kLimit beyond candidates_max.
  void ask(const Turn& turn, Purpose purpose, const Peer& target);
  // Looks up the home of a key. Drops kLimit beyond lookups_max.
  void find(const Turn& turn, Purpose purpose, Key key, std::uint64_t farther_than = 0);
  // Sends items to their home. Requires that no chunk is on its way.
  void send_chunk(const Turn& turn, const Peer& target, std::vector<KeyItem> items);

  // Sends an expired request again. Returns false if it has failed instead.
  bool retry(const Turn& turn, Request request);

  // Each returns what an answer belongs to and ends the request; drops the answer and returns
  // nullopt if it is late or false.
  std::optional<Request> take(const Turn& turn, const Home& home);
  std::optional<Request> take(const Turn& turn, NodeId source, const Tell& tell);
  std::optional<std::vector<KeyItem>> take(const Turn& turn, NodeId source, const Kept& kept);

 private:
  void transmit(const Turn& turn, Request& request);
  bool transmit_find(const Turn& turn, Request& request);
  std::optional<Hop> first_hop(const Request& request);
  unsigned attempts_max(Purpose purpose) const;

  RingMember& member_;
  Contacts& contacts_;
  std::vector<KeyItem> chunk_;  // on its way
};

}  // namespace weir::protocol::chord
