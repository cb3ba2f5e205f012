// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/upkeep.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace weir::protocol::chord {

using Phase = RingMember::Phase;

void Upkeep::start(const Turn& turn) {
  contacts_.start();
  next_stabilise_ = member_.after(member_.options.stabilise_interval);
  next_probe_ = member_.after(member_.options.probe_interval);
  next_fingers_ = member_.after(member_.options.finger_interval);
  if (member_.phase != Phase::kSettledFromStart) {
    member_.phase = Phase::kJoining;
    return join(turn);
  }
  member_.phase = Phase::kMember;
  const RingTable& table = member_.table;
  if (table.predecessor()) member_.by_predecessor = {table.predecessor()->node, turn.now};
  if (table.successor()) member_.by_successor = {table.successor()->node, turn.now};
}

void Upkeep::run_due(const Turn& turn) {
  if (next_stabilise_ <= turn.now) stabilise(turn);
  if (next_fingers_ <= turn.now) {
    next_fingers_ = member_.after(member_.options.finger_interval);
    if (member_.table.successor() && !member_.requests.has(Purpose::kFinger)) fix_finger(turn, 0);
  }
  if (next_probe_ <= turn.now) probe(turn);
}

base::Instant Upkeep::next_wake() const {
  return std::min({next_stabilise_, next_fingers_, next_probe_});
}

void Upkeep::move_items(const Turn& turn) {
  if (hand_over_.go_on(turn)) say_goodbye(turn);
}

void Upkeep::found_ring() {
  if (member_.phase == Phase::kJoining) member_.phase = Phase::kMember;
}

void Upkeep::join(const Turn& turn) {
  if (contacts_.is_founder() || join_attempt_++ == member_.options.join_attempts_max) {
    return found_ring();
  }
  questions_.find(turn, Purpose::kJoin, member_.table.self().id);
}

void Upkeep::stabilise(const Turn& turn) {
  next_stabilise_ = member_.after(member_.options.stabilise_interval);
  if (member_.phase == Phase::kJoining) {
    // Joins again if the member that a contact named did not fit.
    const Requests& requests = member_.requests;
    if (!requests.has(Purpose::kJoin) && !requests.has(Purpose::kNearer)) join(turn);
    return;
  }
  const RingTable& table = member_.table;
  const std::optional<Peer> predecessor = table.predecessor();
  if (const std::optional<Peer> successor = table.successor()) {
    questions_.ask(turn, Purpose::kSuccessor, *successor);
  } else if (!table.fingers().empty()) {
    questions_.ask(turn, Purpose::kNearer, table.fingers().front().peer);
  } else if (predecessor) {
    questions_.ask(turn, Purpose::kNearer, *predecessor);
  }
  const base::Duration silence_max{2 * member_.options.stabilise_interval.nanoseconds};
  if (predecessor && !member_.is_confirmed(member_.by_predecessor, *predecessor, silence_max)) {
    questions_.ask(turn, Purpose::kCheck, *predecessor);
  }
  move_items(turn);
}

// The lookups of one round follow each other: the next finger that can differ from one is the home
// of the first 2^i beyond it.
void Upkeep::fix_finger(const Turn& turn, std::uint64_t farther_than) {
  RingTable& table = member_.table;
  if (!table.successor()) return;
  const Key self = table.self().id;
  const std::uint64_t first = table.ring().distance(self, table.successor()->id);
  farther_than = std::max(farther_than, first);
  const auto bit = static_cast<unsigned>(std::bit_width(farther_than));
  const bool is_round = bit >= table.ring().bits();
  const Key key = table.ring().plus(self, is_round ? 0 : std::uint64_t{1} << bit);
  if (is_round || table.owns(key)) return table.cut_fingers(farther_than);
  questions_.find(turn, Purpose::kFinger, key, farther_than);
}

void Upkeep::found_finger(const Turn& turn, const Request& request, const Finger& finger) {
  RingTable& table = member_.table;
  const Key self = table.self().id;
  const std::uint64_t distance = table.ring().distance(self, finger.peer.id);
  if (distance < table.ring().distance(self, request.key)) {
    return table.cut_fingers(request.farther_than);
  }
  table.set_finger(request.farther_than, finger);
  fix_finger(turn, distance);
}

void Upkeep::probe(const Turn& turn) {
  next_probe_ = member_.after(member_.table.is_alone() ? member_.options.stabilise_interval
                                                       : member_.options.probe_interval);
  if (member_.phase == Phase::kMember && !member_.requests.has(Purpose::kProbe)) {
    questions_.find(turn, Purpose::kProbe, member_.table.self().id);
  }
}

void Upkeep::consider(const Turn& turn, const Peer& peer) {
  if (member_.table.is_nearer_successor(peer)) questions_.ask(turn, Purpose::kNearer, peer);
}

void Upkeep::adopt_successor(const Turn& turn, const Peer& peer, const Tell& tell) {
  const std::optional<Peer> former = member_.table.successor();
  member_.table.follow(peer, tell.successors);
  if (member_.phase == Phase::kJoining) {
    member_.phase = Phase::kMember;
    next_fingers_ = turn.now + member_.options.stabilise_interval;
  }
  const std::vector<Peer>& list = member_.table.successors();
  if (former && std::ranges::find(list, *former) == list.end()) {
    contacts_.remember(former->node);
    turn.effects.send(peer.node, Introduce{.peer = *former});
  }
  stabilise(turn);
}

void Upkeep::heard_successor(const Turn& turn, const Peer& peer, const Tell& tell) {
  if (member_.table.successor() != peer) return;
  member_.table.follow(peer, tell.successors);
  if (tell.predecessor == member_.table.self() && !tell.is_moving) {
    member_.by_successor = {peer.node, turn.now};
    return;
  }
  if (tell.predecessor) consider(turn, *tell.predecessor);
  next_stabilise_ = std::min(next_stabilise_, turn.now + member_.options.request_timeout);
}

// The predecessor answers, but has not confirmed this member for a while.
void Upkeep::heard_predecessor(const Turn& turn, const Peer& peer, const Tell& tell) {
  const Peer& self = member_.table.self();
  if (!tell.successors.empty() && tell.successors.front() == self) return;
  const Key next = tell.successors.empty() ? peer.id : tell.successors.front().id;
  if (member_.table.ring().is_between(peer.id, self.id, next)) {
    turn.effects.send(peer.node, Introduce{.peer = self});
  } else if (member_.table.is_nearer_predecessor(tell.successors.front())) {
    questions_.ask(turn, Purpose::kNewPredecessor, tell.successors.front());
  }
}

void Upkeep::claimed_by(const Turn& turn, const Peer& peer) {
  if (member_.table.predecessor() == peer) {
    member_.by_predecessor = {peer.node, turn.now};
  } else if (member_.table.is_nearer_predecessor(peer)) {
    questions_.ask(turn, Purpose::kNewPredecessor, peer);
  } else {
    questions_.ask(turn, Purpose::kCheck, *member_.table.predecessor());
  }
  consider(turn, peer);
}

void Upkeep::adopt_predecessor(const Turn& turn, const Peer& peer) {
  member_.table.set_predecessor(peer);
  member_.by_predecessor = {peer.node, turn.now};
  hand_over_.set_predecessors_keys({});
  // The successor may keep items of keys that belong to this member now.
  member_.by_successor.reset();
  member_.requests.remove(Purpose::kSuccessor);
  stabilise(turn);
}

// An unknown member answers for this member's own id, or lies elsewhere on the ring: the member
// before it must know it.
void Upkeep::learned(const Turn& turn, const Peer& peer) {
  const RingTable& table = member_.table;
  if (peer.node == table.self().node || peer == table.successor()) return;
  if (table.is_nearer_successor(peer)) return consider(turn, peer);
  const std::optional<Hop> hop = table.hop_to(peer.id);
  if (hop) turn.effects.send(hop->peer.node, Introduce{.peer = peer});
}

void Upkeep::lose(NodeId node) {
  if (member_.table.remove(node)) contacts_.remember(node);
}

void Upkeep::say_goodbye(const Turn& turn) {
  const RingTable& table = member_.table;
  const Goodbye goodbye{
      .id = table.self().id, .predecessor = table.predecessor(), .successors = table.successors()};
  if (table.predecessor()) turn.effects.send(table.predecessor()->node, goodbye);
  if (table.successor() && table.successor() != table.predecessor()) {
    turn.effects.send(table.successor()->node, goodbye);
  }
  member_.phase = Phase::kGone;
  turn.effects.deliver(Left{});
}

void Upkeep::on_found(const Turn& turn, const Request& request, const Finger& home) {
  switch (request.purpose) {
    case Purpose::kJoin:
      return consider(turn, home.peer);
    case Purpose::kProbe:
      return learned(turn, home.peer);
    default:
      return found_finger(turn, request, home);
  }
}

void Upkeep::on_failed(const Turn& turn, const Request& request) {
  switch (request.purpose) {
    case Purpose::kSuccessor:
      lose(request.target.node);
      return stabilise(turn);
    case Purpose::kNearer:
      lose(request.target.node);
      if (member_.phase == Phase::kJoining) join(turn);
      return;
    case Purpose::kCheck:
      return lose(request.target.node);
    case Purpose::kJoin:
      return found_ring();
    case Purpose::kNewPredecessor:
    case Purpose::kProbe:
    case Purpose::kFinger:
    case Purpose::kItemsHome:
    case Purpose::kChunk:
    case Purpose::kLookup:
      return;
  }
}

void Upkeep::on(const Turn& turn, NodeId source, const Ask& message) {
  const RingTable& table = member_.table;
  const Peer peer{.node = source, .id = message.id};
  if (!table.is_other(peer) || (message.predecessor && !table.ring().has(*message.predecessor))) {
    return turn.effects.drop(DropReason::kNonsense);
  }
  if (member_.phase == Phase::kJoining) return turn.effects.drop(DropReason::kHomeless);
  const KeyArc keys{.after = message.predecessor.value_or(peer.id), .last = peer.id};
  const bool has_keys = message.is_predecessor && !table.ring().contains(keys, table.self().id);
  const bool is_moving = has_keys && hand_over_.has_items_of(keys);
  if (has_keys && table.predecessor() == peer) hand_over_.set_predecessors_keys(keys);
  turn.effects.send(source, Tell{.number = message.number,
                                 .id = table.self().id,
                                 .is_moving = is_moving,
                                 .predecessor = table.predecessor(),
                                 .successors = table.successors()});
  if (message.is_predecessor) claimed_by(turn, peer);
  if (is_moving) move_items(turn);
}

void Upkeep::on(const Turn& turn, NodeId source, const Tell& message) {
  const std::optional<Request> request = questions_.take(turn, source, message);
  if (!request) return;
  const Peer& peer = request->target;
  switch (request->purpose) {
    case Purpose::kSuccessor:
      return heard_successor(turn, peer, message);
    case Purpose::kNearer:
      if (member_.table.is_nearer_successor(peer)) adopt_successor(turn, peer, message);
      return;
    case Purpose::kNewPredecessor:
      if (member_.table.is_nearer_predecessor(peer)) adopt_predecessor(turn, peer);
      return;
    default:
      if (peer == member_.table.predecessor()) heard_predecessor(turn, peer, message);
  }
}

void Upkeep::on(const Turn& turn, NodeId /*source*/, const Introduce& message) {
  const RingTable& table = member_.table;
  if (message.peer == table.self()) return;
  if (!table.is_other(message.peer)) return turn.effects.drop(DropReason::kNonsense);
  if (member_.phase == Phase::kJoining) return turn.effects.drop(DropReason::kHomeless);
  if (table.is_nearer_successor(message.peer)) return consider(turn, message.peer);
  if (table.successor() == message.peer) return;
  if (message.hops >= member_.options.hops_max) return turn.effects.drop(DropReason::kTooFar);
  const std::optional<Hop> hop = table.hop_to(message.peer.id);
  if (!hop || hop->is_last) return turn.effects.drop(DropReason::kStale);
  turn.effects.relay(hop->peer.node, Introduce{.peer = message.peer, .hops = message.hops + 1});
}

void Upkeep::on(const Turn& turn, NodeId source, const Goodbye& message) {
  RingTable& table = member_.table;
  const Peer peer{.node = source, .id = message.id};
  if (!table.is_other(peer) || !table.is_list_of(peer, message.successors)) {
    return turn.effects.drop(DropReason::kNonsense);
  }
  const bool was_successor = table.successor() == peer;
  const bool was_predecessor = table.predecessor() == peer;
  table.remove(source);
  contacts_.forget(source);
  if (was_successor && !message.successors.empty()) consider(turn, message.successors.front());
  if (was_successor) stabilise(turn);
  if (was_predecessor && message.predecessor && table.is_other(*message.predecessor)) {
    questions_.ask(turn, Purpose::kNewPredecessor, *message.predecessor);
  }
}

}  // namespace weir::protocol::chord
