// SPDX-License-Identifier: Apache-2.0
// What a member asks others, how often, and what becomes of it when nobody answers.
#include "protocol/chord/chord_node.h"

namespace weir::protocol::chord {

void ChordNode::ask(Purpose purpose, const Peer& target) {
  if (requests_.has(purpose, target.node)) return;
  if (requests_.count(purpose) >= options_.candidates_max) return drop(DropReason::kLimit);
  Request request{
      .number = prng_.next(), .purpose = purpose, .target = target, .key = {}, .deadline = {}};
  transmit(request);
}

void ChordNode::find(Purpose purpose, Key key, std::uint64_t farther_than) {
  if (requests_.count(purpose) >= options_.lookups_max) return drop(DropReason::kLimit);
  Request request{.number = prng_.next(),
                  .purpose = purpose,
                  .target = {},
                  .key = key,
                  .farther_than = farther_than,
                  .deadline = {}};
  transmit(request);
}

void ChordNode::transmit(Request& request) {
  request.deadline = now_ + options_.request_timeout;
  if (is_find(request.purpose)) {
    if (!transmit_find(request)) request.target = {};
  } else if (request.purpose == Purpose::kChunk) {
    send(request.target.node, Items{.number = request.number, .items = chunk_});
  } else {
    Ask message{.number = request.number,
                .id = table_.self().id,
                .is_predecessor = request.purpose == Purpose::kSuccessor,
                .predecessor = {}};
    if (table_.predecessor()) message.predecessor = table_.predecessor()->id;
    send(request.target.node, message);
  }
  requests_.add(request);
}

std::optional<Hop> ChordNode::first_hop(const Request& request) {
  const bool goes_elsewhere =
      request.purpose == Purpose::kJoin || request.purpose == Purpose::kProbe;
  if (!goes_elsewhere) return table_.hop_to(request.key, request.attempt);
  const std::optional<NodeId> node = someone_to_probe();
  if (!node) return std::nullopt;
  return Hop{.peer = {.node = *node, .id = {}}};
}

bool ChordNode::transmit_find(Request& request) {
  const std::optional<Hop> hop = first_hop(request);
  if (!hop) return false;
  request.target = hop->peer;
  send(hop->peer.node,
       Find{.number = request.number,
            .asker = options_.self,
            .key = request.key,
            .hops = 1,
            .is_last = hop->is_last,
            .is_hint = request.purpose == Purpose::kJoin || request.purpose == Purpose::kProbe});
  return true;
}

unsigned ChordNode::attempts_max(Purpose purpose) const {
  if (purpose == Purpose::kJoin) return options_.join_attempts_max;
  if (purpose == Purpose::kProbe) return 1;
  return options_.attempts_max;
}

void ChordNode::retry_or_fail(Request request) {
  // A lookup that was not answered: its first hop may be to blame.
  const bool has_way = request.target.node != NodeId{};
  if (is_find(request.purpose) && attempts_max(request.purpose) > 1 && has_way &&
      request.purpose != Purpose::kJoin) {
    ask(Purpose::kCheck, request.target);
  }
  if (++request.attempt < attempts_max(request.purpose)) return transmit(request);
  fail(request);
}

void ChordNode::fail(const Request& request) {
  switch (request.purpose) {
    case Purpose::kSuccessor:
      lose(request.target.node);
      return stabilise();
    case Purpose::kNearer:
      lose(request.target.node);
      if (state_ == State::kJoining) join();
      return;
    case Purpose::kNewPredecessor:
    case Purpose::kProbe:
    case Purpose::kFinger:
    case Purpose::kItemsHome:
      return;
    case Purpose::kCheck:
      return lose(request.target.node);
    case Purpose::kChunk:
      chunk_.clear();
      return;
    case Purpose::kJoin:
      return found_ring();
    case Purpose::kLookup:
      return drop(DropReason::kHomeless);
  }
}

void ChordNode::answered(const Request& request, const Home& home, const Peer& peer) {
  switch (request.purpose) {
    case Purpose::kJoin:
      return consider(peer);
    case Purpose::kProbe:
      return learned(peer);
    case Purpose::kFinger:
      return found_finger(request, {.peer = peer, .predecessor = home.predecessor});
    case Purpose::kItemsHome:
      return send_chunk(peer, {.after = home.predecessor, .last = home.id});
    default:
      effects_->deliver(kind_of(Kind::kFound),
                        encode(Found{.key = request.key, .home = peer, .hops = home.hops}));
  }
}

void ChordNode::answered(const Request& request, const Tell& tell) {
  switch (request.purpose) {
    case Purpose::kSuccessor:
      return heard_successor(request.target, tell);
    case Purpose::kNearer:
      if (table_.is_nearer_successor(request.target)) adopt_successor(request.target, tell);
      return;
    case Purpose::kNewPredecessor:
      if (table_.is_nearer_predecessor(request.target)) adopt_predecessor(request.target);
      return;
    default:
      if (request.target == table_.predecessor()) heard_predecessor(request.target, tell);
  }
}

}  // namespace weir::protocol::chord
