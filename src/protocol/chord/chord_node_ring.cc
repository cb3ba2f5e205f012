// SPDX-License-Identifier: Apache-2.0
// The ring's upkeep: joining, stabilising, fingers, merging, leaving.
#include <algorithm>
#include <bit>
#include <vector>

#include "protocol/chord/chord_node.h"

namespace weir::protocol::chord {

void ChordNode::found_ring() {
  if (state_ == State::kJoining) state_ = State::kMember;
}

void ChordNode::join() {
  const auto is_other = [&](NodeId node) { return node != options_.self; };
  const std::vector<NodeId>& contacts = options_.contacts;
  if (std::none_of(contacts.begin(), contacts.end(), is_other) ||
      contacts.front() == options_.self || join_attempt_++ == options_.join_attempts_max) {
    return found_ring();
  }
  find(Purpose::kJoin, table_.self().id);
}

void ChordNode::stabilise() {
  next_stabilise_ = after(options_.stabilise_interval);
  if (state_ == State::kJoining) {
    // Whom a contact named was not fit.
    if (!requests_.has(Purpose::kJoin) && !requests_.has(Purpose::kNearer)) join();
    return;
  }
  const std::optional<Peer> predecessor = table_.predecessor();
  if (const std::optional<Peer> successor = table_.successor()) {
    ask(Purpose::kSuccessor, *successor);
  } else if (!table_.fingers().empty()) {
    ask(Purpose::kNearer, table_.fingers().front().peer);
  } else if (predecessor) {
    ask(Purpose::kNearer, *predecessor);
  }
  const base::Duration silence_max{2 * options_.stabilise_interval.nanoseconds};
  const bool is_heard = by_predecessor_ && predecessor &&
                        by_predecessor_->node == predecessor->node &&
                        now_ - by_predecessor_->instant <= silence_max;
  if (predecessor && !is_heard) ask(Purpose::kCheck, *predecessor);
  move_items();
}

// The lookups of one round follow each other: the next finger that can differ from one is the home
// of the first 2^i beyond it.
void ChordNode::fix_finger(std::uint64_t farther_than) {
  if (!table_.successor()) return;
  const Key self = table_.self().id;
  const std::uint64_t first = table_.ring().distance(self, table_.successor()->id);
  farther_than = std::max(farther_than, first);
  const auto bit = static_cast<unsigned>(std::bit_width(farther_than));
  const bool is_round = bit >= table_.ring().bits();
  const Key key = table_.ring().plus(self, is_round ? 0 : std::uint64_t{1} << bit);
  if (is_round || table_.owns(key)) return table_.cut_fingers(farther_than);
  find(Purpose::kFinger, key, farther_than);
}

void ChordNode::found_finger(const Request& request, const Finger& finger) {
  const Key self = table_.self().id;
  const std::uint64_t distance = table_.ring().distance(self, finger.peer.id);
  if (distance < table_.ring().distance(self, request.key)) {
    return table_.cut_fingers(request.farther_than);
  }
  table_.set_finger(request.farther_than, finger);
  fix_finger(distance);
}

void ChordNode::probe() {
  next_probe_ = after(table_.is_alone() ? options_.stabilise_interval : options_.probe_interval);
  if (state_ == State::kMember && !requests_.has(Purpose::kProbe)) {
    find(Purpose::kProbe, table_.self().id);
  }
}

// In turn: a contact, then one of the members once known and the fingers, so that none waits for
// ever. While joining only contacts are known.
std::optional<NodeId> ChordNode::someone_to_probe() {
  std::vector<NodeId> contacts;
  for (const NodeId contact : options_.contacts) {
    if (contact != options_.self) contacts.push_back(contact);
  }
  std::vector<NodeId> others = remembered_;
  for (const Finger& finger : table_.fingers()) others.push_back(finger.peer.node);
  const std::size_t turn = probe_turn_++;
  const bool is_contacts_turn = turn % 2 == 0 || others.empty();
  const std::vector<NodeId>& chosen = is_contacts_turn && !contacts.empty() ? contacts : others;
  if (chosen.empty()) return std::nullopt;
  return chosen[(others.empty() ? turn : turn / 2) % chosen.size()];
}

// Whoever may be a nearer successor is asked first.
void ChordNode::consider(const Peer& peer) {
  if (table_.is_nearer_successor(peer)) ask(Purpose::kNearer, peer);
}

void ChordNode::adopt_successor(const Peer& peer, const Tell& tell) {
  const std::optional<Peer> former = table_.successor();
  table_.follow(peer, tell.successors);
  if (state_ == State::kJoining) {
    state_ = State::kMember;
    next_fingers_ = now_ + options_.stabilise_interval;
  }
  const std::vector<Peer>& list = table_.successors();
  if (former && std::find(list.begin(), list.end(), *former) == list.end()) {
    remember(former->node);
    send(peer.node, Introduce{.peer = *former});
  }
  stabilise();
}

void ChordNode::heard_successor(const Peer& peer, const Tell& tell) {
  if (table_.successor() != peer) return;
  table_.follow(peer, tell.successors);
  if (tell.predecessor == table_.self() && !tell.is_moving) {
    by_successor_ = {peer.node, now_};
    return;
  }
  if (tell.predecessor) consider(*tell.predecessor);
  next_stabilise_ = std::min(next_stabilise_, now_ + options_.request_timeout);
}

// It answers, but has not taken this member for its successor for a while.
void ChordNode::heard_predecessor(const Peer& peer, const Tell& tell) {
  const Peer& self = table_.self();
  if (!tell.successors.empty() && tell.successors.front() == self) return;
  const Key next = tell.successors.empty() ? peer.id : tell.successors.front().id;
  if (table_.ring().is_between(peer.id, self.id, next)) {
    send(peer.node, Introduce{.peer = self});
  } else if (table_.is_nearer_predecessor(tell.successors.front())) {
    ask(Purpose::kNewPredecessor, tell.successors.front());
  }
}

void ChordNode::claimed_by(const Peer& peer) {
  if (table_.predecessor() == peer) {
    by_predecessor_ = {peer.node, now_};
  } else if (table_.is_nearer_predecessor(peer)) {
    ask(Purpose::kNewPredecessor, peer);
  } else {
    ask(Purpose::kCheck, *table_.predecessor());
  }
  consider(peer);
}

void ChordNode::adopt_predecessor(const Peer& peer) {
  table_.set_predecessor(peer);
  by_predecessor_ = {peer.node, now_};
  predecessors_keys_.reset();
  // The successor may keep something of the keys that are this member's now.
  by_successor_.reset();
  requests_.remove(Purpose::kSuccessor);
  stabilise();
}

// A member that this one had not known answers for this one's id elsewhere, or is another way
// round: the member before it must know it.
void ChordNode::learned(const Peer& peer) {
  if (peer.node == options_.self || peer == table_.successor()) return;
  if (table_.is_nearer_successor(peer)) return consider(peer);
  const std::optional<Hop> hop = table_.hop_to(peer.id);
  if (hop) send(hop->peer.node, Introduce{.peer = peer});
}

void ChordNode::lose(NodeId node) {
  if (table_.remove(node)) remember(node);
}

void ChordNode::remember(NodeId node) {
  if (std::find(remembered_.begin(), remembered_.end(), node) != remembered_.end()) return;
  if (remembered_.size() == options_.remembered_max) {
    remembered_.erase(remembered_.begin() +
                      static_cast<std::ptrdiff_t>(prng_.next() % remembered_.size()));
  }
  remembered_.push_back(node);
}

void ChordNode::say_goodbye() {
  const Goodbye goodbye{.id = table_.self().id,
                        .predecessor = table_.predecessor(),
                        .successors = table_.successors()};
  if (table_.predecessor()) send(table_.predecessor()->node, goodbye);
  if (table_.successor() && table_.successor() != table_.predecessor()) {
    send(table_.successor()->node, goodbye);
  }
  state_ = State::kGone;
  effects_->deliver(kind_of(Kind::kLeft), encode(Left{}));
}

bool ChordNode::is_member(const Peer& peer) const {
  return peer.node != options_.self && peer.id != table_.self().id && table_.ring().has(peer.id);
}

// A list goes clockwise from its owner, which is not in it.
bool ChordNode::is_list(const Peer& sender, const std::vector<Peer>& successors) const {
  std::uint64_t last = 0;
  for (const Peer& peer : successors) {
    const std::uint64_t distance = table_.ring().distance(sender.id, peer.id);
    if (!table_.ring().has(peer.id) || peer.node == sender.node || distance <= last) return false;
    last = distance;
  }
  return true;
}

void ChordNode::on(NodeId source, const Ask& message) {
  const Peer peer{.node = source, .id = message.id};
  const Ring& ring = table_.ring();
  if (!is_member(peer) || (message.predecessor && !ring.has(*message.predecessor))) {
    return drop(DropReason::kNonsense);
  }
  if (state_ == State::kJoining) return drop(DropReason::kHomeless);
  const KeyArc keys{.after = message.predecessor.value_or(peer.id), .last = peer.id};
  const bool has_keys = message.is_predecessor && !ring.contains(keys, table_.self().id);
  const bool is_moving = has_keys && !collect(keys).empty();
  if (has_keys && table_.predecessor() == peer) predecessors_keys_ = keys;
  send(source, Tell{.number = message.number,
                    .id = table_.self().id,
                    .is_moving = is_moving,
                    .predecessor = table_.predecessor(),
                    .successors = table_.successors()});
  if (message.is_predecessor) claimed_by(peer);
  if (is_moving) move_items();
}

void ChordNode::on(NodeId source, const Tell& message) {
  const Request* pending = requests_.find(message.number);
  if (pending == nullptr || is_find(pending->purpose) || pending->target.node != source) {
    return drop(DropReason::kStale);
  }
  const Request request = *pending;
  requests_.remove(request.number);
  const Peer peer{.node = source, .id = message.id};
  if (!is_member(peer) || !is_list(peer, message.successors)) {
    table_.remove(source);
    return drop(DropReason::kNonsense);
  }
  table_.correct(peer);
  if (peer != request.target) return drop(DropReason::kNonsense);
  answered(request, message);
}

void ChordNode::on(NodeId /*source*/, const Introduce& message) {
  if (message.peer == table_.self()) return;
  if (!is_member(message.peer)) return drop(DropReason::kNonsense);
  if (state_ == State::kJoining) return drop(DropReason::kHomeless);
  if (table_.is_nearer_successor(message.peer)) return consider(message.peer);
  if (table_.successor() == message.peer) return;
  if (message.hops >= options_.hops_max) return drop(DropReason::kTooFar);
  const std::optional<Hop> hop = table_.hop_to(message.peer.id);
  if (!hop || hop->is_last) return drop(DropReason::kStale);
  effects_->relay(hop->peer.node, kind_of(Kind::kIntroduce),
                  encode(Introduce{.peer = message.peer, .hops = message.hops + 1}));
}

void ChordNode::on(NodeId source, const Goodbye& message) {
  const Peer peer{.node = source, .id = message.id};
  if (!is_member(peer) || !is_list(peer, message.successors)) {
    return drop(DropReason::kNonsense);
  }
  const bool was_successor = table_.successor() == peer;
  const bool was_predecessor = table_.predecessor() == peer;
  table_.remove(source);
  std::erase(remembered_, source);
  if (was_successor && !message.successors.empty()) consider(message.successors.front());
  if (was_successor) stabilise();
  if (was_predecessor && message.predecessor && is_member(*message.predecessor)) {
    ask(Purpose::kNewPredecessor, *message.predecessor);
  }
}

}  // namespace weir::protocol::chord
