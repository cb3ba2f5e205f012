// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/router.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

namespace weir::protocol::chord {

namespace {

// The most bytes that an envelope adds to the carried message, without its destinations.
constexpr std::size_t kEnvelopeBytesMax = 64;

bool intersect(const Ring& ring, KeyArc a, KeyArc b) {
  return ring.contains(a, ring.plus(b.after, 1)) || ring.contains(b, ring.plus(a.after, 1));
}

// Returns the destinations in a part of the ring; an arc stays whole.
std::optional<Destinations> part_of(const Ring& ring, const Destinations& all, KeyArc part) {
  if (const auto* arc = std::get_if<KeyArc>(&all)) {
    if (!intersect(ring, *arc, part)) return std::nullopt;
    return all;
  }
  std::vector<Key> keys;
  for (const Key key : std::get<std::vector<Key>>(all)) {
    if (ring.contains(part, key)) keys.push_back(key);
  }
  if (keys.empty()) return std::nullopt;
  return keys;
}

bool are_on(const Ring& ring, const Destinations& destinations) {
  if (const auto* arc = std::get_if<KeyArc>(&destinations)) {
    return ring.has(arc->after) && ring.has(arc->last);
  }
  return ring.has(std::get<std::vector<Key>>(destinations).back());  // the largest
}

std::size_t bytes_of(const Destinations& destinations) {
  const auto* keys = std::get_if<std::vector<Key>>(&destinations);
  return keys == nullptr ? 0 : keys->size() * sizeof(Key);
}

// Returns the kind of a carried message; drops it and returns nullopt if it may not be carried.
std::optional<MessageKind> carried_kind(const Turn& turn, std::string_view carried) {
  const OpenMessage opened = open_message(carried);
  if (opened.refused) {
    turn.effects.drop(*opened.refused);
    return std::nullopt;
  }
  if (opened.kind.protocol == ProtocolId::kChord) {
    turn.effects.drop(DropReason::kNonsense);
    return std::nullopt;
  }
  return opened.kind;
}

}  // namespace

// If the sender believed that this is the home and it is not, a newcomer before it is.
Router::Step Router::step_to(Key key, bool is_last) const {
  const RingTable& table = member_.table;
  if (table.owns(key)) return {.is_here = true, .hop = {}};
  if (!is_last) return {.is_here = false, .hop = table.hop_to(key)};
  if (!table.predecessor()) return {};
  return {.is_here = false, .hop = Hop{.peer = *table.predecessor(), .is_last = true}};
}

void Router::on(const Turn& turn, NodeId /*source*/, const Find& message) {
  const RingTable& table = member_.table;
  if (!table.ring().has(message.key)) return turn.effects.drop(DropReason::kNonsense);
  const Step step = step_to(message.key, message.is_last);
  const bool is_lenient = message.is_hint && member_.phase == RingMember::Phase::kMember;
  const bool may_be_here = step.is_here || (is_lenient && message.is_last && !step.hop);
  if (may_be_here && (is_lenient || member_.is_settled())) {
    const Key id = table.self().id;
    return turn.effects.send(message.asker,
                             Home{.number = message.number,
                                  .key = message.key,
                                  .id = id,
                                  .predecessor = table.predecessor() ? table.predecessor()->id : id,
                                  .hops = message.hops});
  }
  if (!step.hop) return turn.effects.drop(DropReason::kHomeless);
  if (message.hops >= member_.options.hops_max) return turn.effects.drop(DropReason::kTooFar);
  Find next = message;
  ++next.hops;
  next.is_last = step.hop->is_last;
  turn.effects.relay(step.hop->peer.node, next);
}

void Router::set_out(const Turn& turn, const Route& route) {
  if (route.bytes.size() + kEnvelopeBytesMax > kMessageBytesMax) {
    return turn.effects.drop(DropReason::kLimit);
  }
  if (!member_.table.ring().has(route.key)) return turn.effects.drop(DropReason::kNonsense);
  RouteEnvelope envelope{
      .origin = member_.options.self, .key = route.key, .hops = 0, .carried = route.bytes};
  pass_on(turn, envelope, route.kind);
}

void Router::on(const Turn& turn, NodeId /*source*/, const RouteEnvelope& message) {
  if (!member_.table.ring().has(message.key)) return turn.effects.drop(DropReason::kNonsense);
  const std::optional<MessageKind> kind = carried_kind(turn, message.carried);
  if (!kind) return;
  RouteEnvelope envelope = message;
  pass_on(turn, envelope, *kind);
}

void Router::pass_on(const Turn& turn, RouteEnvelope& envelope, MessageKind kind) {
  const Step step = step_to(envelope.key, envelope.is_last);
  if (step.is_here && member_.is_settled()) {
    return arrive(turn, {.origin = envelope.origin,
                         .keys = {&envelope.key, 1},
                         .segment = {},
                         .hops = envelope.hops,
                         .message = envelope.carried});
  }
  if (!step.hop) return turn.effects.drop(DropReason::kHomeless);
  if (envelope.hops >= member_.options.hops_max) return turn.effects.drop(DropReason::kTooFar);
  const bool is_first = envelope.hops == 0;
  ++envelope.hops;
  envelope.is_last = step.hop->is_last;
  turn.effects.add(Send{.target = step.hop->peer.node,
                        .kind = kind,
                        .is_relay = !is_first,
                        .bytes = encode(envelope)});
}

void Router::set_out(const Turn& turn, Multicast& multicast) {
  const RingTable& table = member_.table;
  if (auto* keys = std::get_if<std::vector<Key>>(&multicast.destinations)) {
    *keys = in_order(std::move(*keys));
    if (keys->empty()) return;
    if (keys->size() > kDestinationKeysMax) return turn.effects.drop(DropReason::kLimit);
  }
  if (multicast.bytes.size() + bytes_of(multicast.destinations) + kEnvelopeBytesMax >
      kMessageBytesMax) {
    return turn.effects.drop(DropReason::kLimit);
  }
  if (!are_on(table.ring(), multicast.destinations)) {
    return turn.effects.drop(DropReason::kNonsense);
  }
  if (!table.predecessor() && !table.is_alone()) return turn.effects.drop(DropReason::kHomeless);
  const Key end = table.predecessor() ? table.predecessor()->id : table.self().id;
  spread(turn,
         {.origin = member_.options.self,
          .hops = 0,
          .range = {.after = end, .last = end},
          .destinations = std::move(multicast.destinations),
          .carried = multicast.bytes},
         multicast.kind);
}

void Router::on(const Turn& turn, NodeId /*source*/, const MulticastEnvelope& message) {
  const Ring& ring = member_.table.ring();
  if (!ring.has(message.range.after) || !ring.has(message.range.last) ||
      !are_on(ring, message.destinations) || message.hops == 0 ||
      !ring.contains(message.range, member_.table.self().id)) {
    return turn.effects.drop(DropReason::kNonsense);
  }
  if (const auto kind = carried_kind(turn, message.carried)) spread(turn, message, *kind);
}

// In clockwise order: the part before this member's own keys, its own, and the part after it up to
// the range's end, each by the child that is nearest to it.
void Router::spread(const Turn& turn, const MulticastEnvelope& envelope, MessageKind kind) {
  const Ring& ring = member_.table.ring();
  const Key self = member_.table.self().id;
  const std::optional<Peer>& predecessor = member_.table.predecessor();
  KeyArc own{.after = envelope.range.after, .last = self};
  bool is_relay = envelope.hops > 0;
  if (predecessor && ring.is_between(own.after, predecessor->id, self)) {
    const KeyArc before{.after = own.after, .last = predecessor->id};
    is_relay |=
        spread_part(turn, envelope, before, {.peer = *predecessor, .kind = kind, .is_relay = true});
    own.after = predecessor->id;
  }
  arrive(turn, envelope, own);
  const std::vector<Finger> children = member_.table.children();
  const std::uint64_t end = ring.distance(self, envelope.range.last);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Key after = children[i].predecessor;
    if (ring.distance(self, after) >= end) break;
    const bool is_final = i + 1 == children.size();
    const std::uint64_t next =
        is_final ? end : std::min(end, ring.distance(self, children[i + 1].predecessor));
    is_relay |= spread_part(turn, envelope, {.after = after, .last = ring.plus(self, next)},
                            {.peer = children[i].peer, .kind = kind, .is_relay = is_relay});
  }
}

bool Router::spread_part(const Turn& turn, const MulticastEnvelope& envelope, KeyArc part,
                         const Onward& onward) {
  std::optional<Destinations> there = part_of(member_.table.ring(), envelope.destinations, part);
  if (!there) return false;
  if (envelope.hops >= member_.options.hops_max) {
    turn.effects.drop(DropReason::kTooFar);
    return false;
  }
  turn.effects.add(Send{.target = onward.peer.node,
                        .kind = onward.kind,
                        .is_relay = onward.is_relay,
                        .bytes = encode(MulticastEnvelope{.origin = envelope.origin,
                                                          .hops = envelope.hops + 1,
                                                          .range = part,
                                                          .destinations = std::move(*there),
                                                          .carried = envelope.carried})});
  return true;
}

void Router::arrive(const Turn& turn, const MulticastEnvelope& envelope, KeyArc own) {
  const std::optional<Destinations> here =
      part_of(member_.table.ring(), envelope.destinations, own);
  if (!here) return;
  if (!member_.is_settled()) return turn.effects.drop(DropReason::kHomeless);
  Routed routed{.origin = envelope.origin,
                .keys = {},
                .segment = {},
                .hops = envelope.hops,
                .message = envelope.carried};
  if (const auto* keys = std::get_if<std::vector<Key>>(&*here)) {
    routed.keys = *keys;
  } else {
    routed.segment = std::get<KeyArc>(*here);
  }
  arrive(turn, routed);
}

void Router::arrive(const Turn& turn, const Routed& routed) {
  application_.run(turn.now, [&](Application& application, const auto& step) {
    application.on_routed(step, routed);
  });
}

}  // namespace weir::protocol::chord
