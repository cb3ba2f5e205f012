// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/questions.h"

#include <utility>

namespace weir::protocol::chord {

namespace {

// These lookups go through a member outside the table, and take any home's answer.
bool goes_elsewhere(Purpose purpose) {
  return purpose == Purpose::kJoin || purpose == Purpose::kProbe;
}

}  // namespace

void Questions::ask(const Turn& turn, Purpose purpose, const Peer& target) {
  if (member_.requests.has(purpose, target.node)) return;
  if (member_.requests.count(purpose) >= member_.options.candidates_max) {
    return turn.effects.drop(DropReason::kLimit);
  }
  Request request{.number = member_.prng.next(),
                  .purpose = purpose,
                  .target = target,
                  .key = {},
                  .deadline = {}};
  transmit(turn, request);
}

void Questions::find(const Turn& turn, Purpose purpose, Key key, std::uint64_t farther_than) {
  if (member_.requests.count(purpose) >= member_.options.lookups_max) {
    return turn.effects.drop(DropReason::kLimit);
  }
  Request request{.number = member_.prng.next(),
                  .purpose = purpose,
                  .target = {},
                  .key = key,
                  .farther_than = farther_than,
                  .deadline = {}};
  transmit(turn, request);
}

void Questions::send_chunk(const Turn& turn, const Peer& target, std::vector<KeyItem> items) {
  chunk_ = std::move(items);
  ask(turn, Purpose::kChunk, target);
}

void Questions::transmit(const Turn& turn, Request& request) {
  request.deadline = turn.now + member_.options.request_timeout;
  if (is_find(request.purpose)) {
    if (!transmit_find(turn, request)) request.target = {};
  } else if (request.purpose == Purpose::kChunk) {
    turn.effects.send(request.target.node, Items{.number = request.number, .items = chunk_});
  } else {
    Ask message{.number = request.number,
                .id = member_.table.self().id,
                .is_predecessor = request.purpose == Purpose::kSuccessor,
                .predecessor = {}};
    if (member_.table.predecessor()) message.predecessor = member_.table.predecessor()->id;
    turn.effects.send(request.target.node, message);
  }
  member_.requests.add(request);
}

std::optional<Hop> Questions::first_hop(const Request& request) {
  if (!goes_elsewhere(request.purpose)) return member_.table.hop_to(request.key, request.attempt);
  const std::optional<NodeId> node = contacts_.next();
  if (!node) return std::nullopt;
  return Hop{.peer = {.node = *node, .id = {}}};
}

bool Questions::transmit_find(const Turn& turn, Request& request) {
  const std::optional<Hop> hop = first_hop(request);
  if (!hop) return false;
  request.target = hop->peer;
  turn.effects.send(hop->peer.node, Find{.number = request.number,
                                         .asker = member_.options.self,
                                         .key = request.key,
                                         .hops = 1,
                                         .is_last = hop->is_last,
                                         .is_hint = goes_elsewhere(request.purpose)});
  return true;
}

unsigned Questions::attempts_max(Purpose purpose) const {
  if (purpose == Purpose::kJoin) return member_.options.join_attempts_max;
  if (purpose == Purpose::kProbe) return 1;
  return member_.options.attempts_max;
}

bool Questions::retry(const Turn& turn, Request request) {
  // The first hop of an unanswered lookup may have failed.
  const bool has_hop = request.target.node != NodeId{};
  if (is_find(request.purpose) && !goes_elsewhere(request.purpose) && has_hop &&
      attempts_max(request.purpose) > 1) {
    ask(turn, Purpose::kCheck, request.target);
  }
  if (++request.attempt < attempts_max(request.purpose)) {
    transmit(turn, request);
    return true;
  }
  if (request.purpose == Purpose::kChunk) chunk_.clear();
  return false;
}

std::optional<Request> Questions::take(const Turn& turn, const Home& home) {
  const Request* pending = member_.requests.find(home.number);
  if (pending == nullptr || !is_find(pending->purpose) || pending->key != home.key) {
    turn.effects.drop(DropReason::kStale);
    return std::nullopt;
  }
  const Ring& ring = member_.table.ring();
  const KeyArc arc{.after = home.predecessor, .last = home.id};
  if (!ring.has(arc.after) || !ring.has(arc.last) || !ring.contains(arc, home.key)) {
    turn.effects.drop(DropReason::kNonsense);
    return std::nullopt;
  }
  const Request request = *pending;
  member_.requests.remove(request.number);
  return request;
}

std::optional<Request> Questions::take(const Turn& turn, NodeId source, const Tell& tell) {
  const Request* pending = member_.requests.find(tell.number);
  if (pending == nullptr || is_find(pending->purpose) || pending->target.node != source) {
    turn.effects.drop(DropReason::kStale);
    return std::nullopt;
  }
  const Request request = *pending;
  member_.requests.remove(request.number);
  RingTable& table = member_.table;
  const Peer peer{.node = source, .id = tell.id};
  const bool is_sensible = table.is_other(peer) && table.is_list_of(peer, tell.successors);
  if (is_sensible) {
    table.correct(peer);
  } else {
    table.remove(source);
  }
  if (is_sensible && peer == request.target) return request;
  turn.effects.drop(DropReason::kNonsense);
  return std::nullopt;
}

std::optional<std::vector<KeyItem>> Questions::take(const Turn& turn, NodeId source,
                                                    const Kept& kept) {
  const Request* pending = member_.requests.find(kept.number);
  if (pending == nullptr || pending->purpose != Purpose::kChunk || pending->target.node != source) {
    turn.effects.drop(DropReason::kStale);
    return std::nullopt;
  }
  member_.requests.remove(kept.number);
  return std::exchange(chunk_, {});
}

}  // namespace weir::protocol::chord
