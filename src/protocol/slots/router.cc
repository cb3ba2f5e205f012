// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/router.h"

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/slots/options.h"

namespace weir::protocol::slots {

namespace {

// Stands for all slots of a message that goes to an arc: a home delivers it once, whichever slots
// it hears of later.
constexpr std::uint32_t kWholeArc = kSlotCount;

// Returns the bytes; nullopt if they exceed the limit of a message.
std::optional<std::string> encode_bounded(const Envelope& envelope) {
  std::string bytes = encode(envelope);
  if (bytes.size() > kMessageBytesMax) return {};
  return bytes;
}

// Splits an envelope into one piece for each owner.
std::map<std::optional<NodeId>, Envelope> split(const Membership& members,
                                                const Envelope& envelope) {
  std::map<std::optional<NodeId>, Envelope> pieces;
  const auto piece = [&](std::uint32_t slot) -> Envelope& {
    const auto [found, is_first] = pieces.try_emplace(members.owner(slot));
    if (is_first) {
      found->second = {.origin = envelope.origin,
                       .incarnation = envelope.incarnation,
                       .number = envelope.number,
                       .hops = envelope.hops,
                       .destination = {},
                       .message = envelope.message};
    }
    return found->second;
  };
  if (const auto* keys = std::get_if<std::vector<Key>>(&envelope.destination)) {
    for (const Key key : *keys) {
      std::get<std::vector<Key>>(piece(slot_of(key)).destination).push_back(key);
    }
    return pieces;
  }
  const auto& part = std::get<ArcSlots>(envelope.destination);
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    if (!part.slots[slot]) continue;
    auto& destination = piece(slot).destination;
    if (!std::holds_alternative<ArcSlots>(destination)) {
      destination = ArcSlots{.arc = part.arc, .slots = {}};
    }
    std::get<ArcSlots>(destination).slots.set(slot);
  }
  return pieces;
}

MessageKind carried_kind(const Envelope& envelope) { return open_message(envelope.message).kind; }

}  // namespace

void Router::drain_application(const Turn& turn) {
  application_.drain([&](Effect& effect) {
    if (auto* route = std::get_if<Route>(&effect)) {
      set_out(turn, *route);
    } else if (auto* multicast = std::get_if<Multicast>(&effect)) {
      set_out(turn, *multicast);
    } else {
      turn.effects.add(std::move(effect));
    }
  });
}

Envelope Router::new_envelope(std::string message) {
  return {.origin = self_,
          .incarnation = members_.find(self_)->incarnation,
          .number = ++envelope_number_,
          .hops = 0,
          .destination = {},
          .message = std::move(message)};
}

// Goes to a listener of the slot, not to the owner known here: the owner may have changed by the
// time of arrival.
void Router::set_out(const Turn& turn, Route& route) {
  const auto owner = members_.owner(slot_of(route.key));
  if (!owner) return turn.effects.drop(DropReason::kHomeless);
  Envelope envelope = new_envelope(std::move(route.bytes));
  envelope.destination = std::vector<Key>{route.key};
  if (*owner == self_) return arrivals_.push_back(std::move(envelope));
  envelope.hops = 1;
  auto bytes = encode_bounded(envelope);
  if (!bytes) return turn.effects.drop(DropReason::kLimit);
  turn.effects.route(route.key, route.kind, *std::move(bytes));
}

void Router::set_out(const Turn& turn, Multicast& multicast) {
  Envelope envelope = new_envelope(std::move(multicast.bytes));
  if (auto* keys = std::get_if<std::vector<Key>>(&multicast.destinations)) {
    *keys = in_order(std::move(*keys));
    if (keys->size() > kDestinationKeysMax) return turn.effects.drop(DropReason::kLimit);
    envelope.destination = std::move(*keys);
  } else {
    ArcSlots part{.arc = std::get<KeyArc>(multicast.destinations), .slots = {}};
    for (const std::uint32_t slot : slots_of(part.arc)) part.slots.set(slot);
    envelope.destination = part;
  }
  pass_on(turn, envelope);
}

void Router::on(const Turn& turn, NodeId /*source*/, const Envelope& envelope) {
  const OpenMessage inside = open_message(envelope.message);
  if (inside.refused) return turn.effects.drop(*inside.refused);
  const bool is_sensible = envelope.hops > 0 && inside.kind.protocol != ProtocolId::kSlots;
  if (!is_sensible) return turn.effects.drop(DropReason::kNonsense);
  pass_on(turn, envelope);
}

// A message counts once, however many pieces there are.
void Router::pass_on(const Turn& turn, const Envelope& envelope) {
  bool is_relay = envelope.hops > 0;
  for (auto& [owner, piece] : split(members_, envelope)) {
    if (!owner) {
      turn.effects.drop(DropReason::kHomeless);
    } else if (*owner == self_) {
      arrivals_.push_back(std::move(piece));
    } else if (piece.hops >= kHopsMax) {
      turn.effects.drop(DropReason::kTooFar);
    } else {
      ++piece.hops;
      if (auto bytes = encode_bounded(piece)) {
        const MessageKind kind = carried_kind(piece);
        turn.effects.add(Send{*owner, kind, std::exchange(is_relay, true), *std::move(bytes)});
      } else {
        turn.effects.drop(DropReason::kLimit);
      }
    }
  }
}

bool Router::is_first_arrival(const Envelope& envelope, std::uint32_t slot) {
  return recent_.insert({envelope.origin, envelope.incarnation, envelope.number, slot});
}

void Router::arrive(const Turn& turn, Envelope& envelope) {
  Routed routed{.origin = envelope.origin,
                .keys = {},
                .segment = {},
                .hops = envelope.hops,
                .message = envelope.message};
  std::vector<Key> new_keys;
  if (const auto* keys = std::get_if<std::vector<Key>>(&envelope.destination)) {
    // All keys of a slot travel in one piece, side by side.
    std::optional<std::uint32_t> new_slot;
    std::optional<std::uint32_t> last_slot;
    for (const Key key : *keys) {
      const std::uint32_t slot = slot_of(key);
      if (last_slot != slot && is_first_arrival(envelope, slot)) new_slot = slot;
      last_slot = slot;
      if (new_slot == slot) new_keys.push_back(key);
    }
    if (new_keys.empty()) return turn.effects.drop(DropReason::kStale);
    routed.keys = new_keys;
  } else {
    if (!is_first_arrival(envelope, kWholeArc)) return turn.effects.drop(DropReason::kStale);
    routed.segment = std::get<ArcSlots>(envelope.destination).arc;
  }
  application_.run(turn.now, [&](Application& application, const auto& step) {
    application.on_routed(step, routed);
  });
  drain_application(turn);
}

void Router::deliver_arrivals(const Turn& turn) {
  for (std::size_t i = 0; !arrivals_.empty(); ++i) {
    if (i == kLocalArrivalsMax) {
      turn.effects.drop(DropReason::kTooFar);
      return arrivals_.clear();
    }
    Envelope envelope = std::move(arrivals_.front());
    arrivals_.pop_front();
    arrive(turn, envelope);
  }
}

}  // namespace weir::protocol::slots
