// SPDX-License-Identifier: Apache-2.0
// Messages on their way to homes: lookups, and what the application routes and multicasts.
#include <algorithm>
#include <utility>
#include <variant>

#include "protocol/chord/chord_node.h"

namespace weir::protocol::chord {

namespace {

// What an envelope adds to the message it carries, at most, besides the destinations.
constexpr std::size_t kEnvelopeBytesMax = 64;

bool intersect(const Ring& ring, KeyArc a, KeyArc b) {
  return ring.contains(a, ring.plus(b.after, 1)) || ring.contains(b, ring.plus(a.after, 1));
}

// Those of the destinations that lie in a part of the ring; an arc stays whole.
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

}  // namespace

// Who was taken for the home and is not has a newcomer before it.
ChordNode::Way ChordNode::way_to(Key key, bool is_last) const {
  if (table_.owns(key)) return {.is_here = true, .hop = {}};
  if (!is_last) return {.is_here = false, .hop = table_.hop_to(key)};
  if (!table_.predecessor()) return {};
  return {.is_here = false, .hop = Hop{.peer = *table_.predecessor(), .is_last = true}};
}

void ChordNode::on(NodeId /*source*/, const Find& message) {
  if (!table_.ring().has(message.key)) return drop(DropReason::kNonsense);
  const Way way = way_to(message.key, message.is_last);
  const bool is_lenient = message.is_hint && state_ == State::kMember;
  const bool may_be_here = way.is_here || (is_lenient && message.is_last && !way.hop);
  if (may_be_here && (is_lenient || is_settled())) {
    const Peer& self = table_.self();
    return send(message.asker,
                Home{.number = message.number,
                     .key = message.key,
                     .id = self.id,
                     .predecessor = table_.predecessor() ? table_.predecessor()->id : self.id,
                     .hops = message.hops});
  }
  if (!way.hop) return drop(DropReason::kHomeless);
  if (message.hops >= options_.hops_max) return drop(DropReason::kTooFar);
  Find next = message;
  ++next.hops;
  next.is_last = way.hop->is_last;
  effects_->relay(way.hop->peer.node, kind_of(Kind::kFind), encode(next));
}

void ChordNode::on(NodeId source, const Home& message) {
  const Request* pending = requests_.find(message.number);
  if (pending == nullptr || !is_find(pending->purpose) || pending->key != message.key) {
    return drop(DropReason::kStale);
  }
  const Ring& ring = table_.ring();
  const KeyArc arc{.after = message.predecessor, .last = message.id};
  if (!ring.has(arc.after) || !ring.has(arc.last) || !ring.contains(arc, message.key)) {
    return drop(DropReason::kNonsense);
  }
  const Request request = *pending;
  requests_.remove(request.number);
  answered(request, message, {.node = source, .id = message.id});
}

std::optional<MessageKind> ChordNode::carried_kind(std::string_view carried) {
  const OpenMessage opened = open_message(carried);
  if (opened.refused) {
    drop(*opened.refused);
    return std::nullopt;
  }
  if (opened.kind.protocol == ProtocolId::kChord) {
    drop(DropReason::kNonsense);
    return std::nullopt;
  }
  return opened.kind;
}

void ChordNode::begin_route(const Route& route) {
  if (route.bytes.size() + kEnvelopeBytesMax > kMessageBytesMax) return drop(DropReason::kLimit);
  if (!table_.ring().has(route.key)) return drop(DropReason::kNonsense);
  RouteEnvelope envelope{
      .origin = options_.self, .key = route.key, .hops = 0, .carried = route.bytes};
  pass_on(envelope, route.kind);
}

void ChordNode::on(NodeId /*source*/, const RouteEnvelope& message) {
  if (!table_.ring().has(message.key)) return drop(DropReason::kNonsense);
  const std::optional<MessageKind> kind = carried_kind(message.carried);
  if (!kind) return;
  RouteEnvelope envelope = message;
  pass_on(envelope, *kind);
}

void ChordNode::pass_on(RouteEnvelope& envelope, MessageKind kind) {
  const Way way = way_to(envelope.key, envelope.is_last);
  if (way.is_here && is_settled()) {
    const std::vector<Key> keys{envelope.key};
    return application_->on_routed(step(), {.origin = envelope.origin,
                                            .keys = keys,
                                            .segment = {},
                                            .hops = envelope.hops,
                                            .message = envelope.carried});
  }
  if (!way.hop) return drop(DropReason::kHomeless);
  if (envelope.hops >= options_.hops_max) return drop(DropReason::kTooFar);
  const bool is_first = envelope.hops == 0;
  ++envelope.hops;
  envelope.is_last = way.hop->is_last;
  effects_->add(Send{.target = way.hop->peer.node,
                     .kind = kind,
                     .is_relay = !is_first,
                     .bytes = encode(envelope)});
}

void ChordNode::begin_multicast(Multicast& multicast) {
  if (auto* keys = std::get_if<std::vector<Key>>(&multicast.destinations)) {
    std::sort(keys->begin(), keys->end());
    keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
    if (keys->empty()) return;
    if (keys->size() > kDestinationKeysMax) return drop(DropReason::kLimit);
  }
  if (multicast.bytes.size() + bytes_of(multicast.destinations) + kEnvelopeBytesMax >
      kMessageBytesMax) {
    return drop(DropReason::kLimit);
  }
  if (!are_on(table_.ring(), multicast.destinations)) return drop(DropReason::kNonsense);
  if (!table_.predecessor() && !table_.is_alone()) return drop(DropReason::kHomeless);
  const Key end = table_.predecessor() ? table_.predecessor()->id : table_.self().id;
  spread({.origin = options_.self,
          .hops = 0,
          .range = {.after = end, .last = end},
          .destinations = std::move(multicast.destinations),
          .carried = multicast.bytes},
         multicast.kind);
}

void ChordNode::on(NodeId /*source*/, const MulticastEnvelope& message) {
  const Ring& ring = table_.ring();
  if (!ring.has(message.range.after) || !ring.has(message.range.last) ||
      !are_on(ring, message.destinations) || message.hops == 0 ||
      !ring.contains(message.range, table_.self().id)) {
    return drop(DropReason::kNonsense);
  }
  if (const auto kind = carried_kind(message.carried)) spread(message, *kind);
}

// In clockwise order: what lies before this member's own keys, its own, and what lies after it up
// to the range's end, by the children that are nearest to it.
void ChordNode::spread(const MulticastEnvelope& envelope, MessageKind kind) {
  const Ring& ring = table_.ring();
  const Key self = table_.self().id;
  const std::optional<Peer>& predecessor = table_.predecessor();
  KeyArc own{.after = envelope.range.after, .last = self};
  bool is_relay = envelope.hops > 0;
  if (predecessor && ring.is_between(own.after, predecessor->id, self)) {
    const KeyArc before{.after = own.after, .last = predecessor->id};
    is_relay |=
        spread_part(envelope, before, {.peer = *predecessor, .kind = kind, .is_relay = true});
    own.after = predecessor->id;
  }
  take_own(envelope, own);
  const std::vector<Finger> children = table_.children();
  const std::uint64_t end = ring.distance(self, envelope.range.last);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Key after = children[i].predecessor;
    if (ring.distance(self, after) >= end) break;
    const bool is_final = i + 1 == children.size();
    const std::uint64_t next =
        is_final ? end : std::min(end, ring.distance(self, children[i + 1].predecessor));
    is_relay |= spread_part(envelope, {.after = after, .last = ring.plus(self, next)},
                            {.peer = children[i].peer, .kind = kind, .is_relay = is_relay});
  }
}

bool ChordNode::spread_part(const MulticastEnvelope& envelope, KeyArc part, const Onward& onward) {
  std::optional<Destinations> there = part_of(table_.ring(), envelope.destinations, part);
  if (!there) return false;
  if (envelope.hops >= options_.hops_max) {
    drop(DropReason::kTooFar);
    return false;
  }
  effects_->add(Send{.target = onward.peer.node,
                     .kind = onward.kind,
                     .is_relay = onward.is_relay,
                     .bytes = encode(MulticastEnvelope{.origin = envelope.origin,
                                                       .hops = envelope.hops + 1,
                                                       .range = part,
                                                       .destinations = std::move(*there),
                                                       .carried = envelope.carried})});
  return true;
}

void ChordNode::take_own(const MulticastEnvelope& envelope, KeyArc own) {
  const std::optional<Destinations> here = part_of(table_.ring(), envelope.destinations, own);
  if (!here) return;
  if (!is_settled()) return drop(DropReason::kHomeless);
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
  application_->on_routed(step(), routed);
}

}  // namespace weir::protocol::chord
