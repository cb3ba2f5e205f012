// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/chord_node.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"

namespace weir::protocol::chord {

using base::Instant;
using Phase = RingMember::Phase;

ChordNode::ChordNode(const ChordOptions& options, std::uint64_t seed,
                     std::unique_ptr<Application> application)
    : member_(options, seed),
      application_(std::move(application), *this),
      contacts_(member_),
      questions_(member_, contacts_),
      hand_over_(member_, questions_, application_),
      upkeep_(member_, contacts_, questions_, hand_over_),
      router_(member_, application_) {}

void ChordNode::settle(std::span<const Peer> members) {
  WEIR_CHECK(member_.phase == Phase::kNew);
  member_.table.settle(members);
  member_.phase = Phase::kSettledFromStart;
}

void ChordNode::on_message(Instant now, NodeId source, std::string_view message, Effects& effects) {
  const Turn turn = begin_turn(now, effects);
  open(turn, source, message);
  end_turn(turn);
}

void ChordNode::on_wake(Instant now, Effects& effects) {
  const Turn turn = begin_turn(now, effects);
  asked_wake_.reset();
  run_due(turn);
  end_turn(turn);
}

std::optional<NodeId> ChordNode::towards(Key key) const {
  if (member_.table.owns(key)) return std::nullopt;
  const std::optional<Hop> hop = member_.table.hop_to(key);
  if (!hop) return std::nullopt;
  return hop->peer.node;
}

std::uint64_t ChordNode::distance_to(Key key) const {
  const RingTable& table = member_.table;
  return table.owns(key) ? 0 : table.ring().distance(table.self().id, key);
}

Turn ChordNode::begin_turn(Instant now, Effects& effects) {
  if (!member_.clock.advance(now)) asked_wake_.reset();
  const Turn turn{.now = member_.clock.now(), .effects = effects};
  if (member_.phase == Phase::kNew || member_.phase == Phase::kSettledFromStart) {
    upkeep_.start(turn);
    application_.wake_at(turn.now);
  }
  return turn;
}

void ChordNode::end_turn(const Turn& turn) {
  drain_application(turn);
  if (has_left()) return;
  if (version_told_ != member_.table.version() || settled_told_ != is_settled()) {
    version_told_ = member_.table.version();
    settled_told_ = is_settled();
    application_.run(turn.now, [](Application& application, const auto& step) {
      application.on_placement(step);
    });
    drain_application(turn);
  }
  const Instant wake = next_wake();
  if (asked_wake_ != wake) turn.effects.wake_at(member_.clock.to_runtime(wake));
  asked_wake_ = wake;
}

Instant ChordNode::next_wake() const {
  Instant next = upkeep_.next_wake();
  if (application_.wake()) next = std::min(next, *application_.wake());
  if (const auto deadline = member_.requests.next_deadline()) next = std::min(next, *deadline);
  return next;
}

void ChordNode::run_due(const Turn& turn) {
  while (const std::optional<Request> expired = member_.requests.take_expired(turn.now)) {
    if (questions_.retry(turn, *expired)) continue;
    if (expired->purpose == Purpose::kLookup) turn.effects.drop(DropReason::kHomeless);
    upkeep_.on_failed(turn, *expired);
  }
  upkeep_.run_due(turn);
  application_.wake_if_due(turn.now);
}

void ChordNode::open(const Turn& turn, NodeId source, std::string_view message) {
  const OpenMessage opened = open_message(message);
  if (opened.refused) return turn.effects.drop(*opened.refused);
  if (has_left()) return turn.effects.drop(DropReason::kStale);
  if (opened.kind.protocol != ProtocolId::kChord) {
    return application_.run(turn.now, [&](Application& application, const auto& step) {
      application.on_message(step, source, message);
    });
  }
  const auto refused =
      source == kUser
          ? dispatch<Way::kCommand>(Messages{}, opened, [&](const auto& it) { obey(turn, it); })
          : dispatch<Way::kDirect>(Messages{}, opened,
                                   [&](const auto& it) { hear(turn, source, it); });
  if (refused) turn.effects.drop(*refused);
}

template <typename Message>
void ChordNode::hear(const Turn& turn, NodeId source, const Message& message) {
  if constexpr (requires { on(turn, source, message); }) {
    on(turn, source, message);
  } else if constexpr (requires { router_.on(turn, source, message); }) {
    router_.on(turn, source, message);
  } else if constexpr (requires { hand_over_.on(turn, source, message); }) {
    hand_over_.on(turn, source, message);
  } else {
    upkeep_.on(turn, source, message);
  }
}

void ChordNode::obey(const Turn& turn, const Leave& /*command*/) {
  member_.phase = Phase::kLeaving;
  member_.requests.remove(Purpose::kChunk);
  upkeep_.move_items(turn);
}

void ChordNode::obey(const Turn& turn, const Lookup& command) {
  const RingTable& table = member_.table;
  if (!table.ring().has(command.key)) return turn.effects.drop(DropReason::kNonsense);
  if (!is_home(command.key)) return questions_.find(turn, Purpose::kLookup, command.key);
  turn.effects.deliver(Found{.key = command.key, .home = table.self()});
}

void ChordNode::on(const Turn& turn, NodeId source, const Home& message) {
  const std::optional<Request> request = questions_.take(turn, message);
  if (!request) return;
  const Peer peer{.node = source, .id = message.id};
  switch (request->purpose) {
    case Purpose::kLookup:
      return turn.effects.deliver(Found{.key = request->key, .home = peer, .hops = message.hops});
    case Purpose::kItemsHome:
      return hand_over_.send_chunk(turn, peer, {.after = message.predecessor, .last = message.id});
    default:
      return upkeep_.on_found(turn, *request, {.peer = peer, .predecessor = message.predecessor});
  }
}

void ChordNode::on(const Turn& turn, NodeId source, const Kept& message) {
  if (hand_over_.on(turn, source, message)) upkeep_.move_items(turn);
}

// A message that the application routes to this member's own keys may cause further effects.
void ChordNode::drain_application(const Turn& turn) {
  application_.drain([&](Effect& effect) {
    if (const auto* route = std::get_if<Route>(&effect)) {
      router_.set_out(turn, *route);
    } else if (auto* multicast = std::get_if<Multicast>(&effect)) {
      router_.set_out(turn, *multicast);
    } else {
      turn.effects.add(std::move(effect));
    }
  });
}

}  // namespace weir::protocol::chord
