// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/chord_node.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"

namespace weir::protocol::chord {

using base::Duration;
using base::Instant;

namespace {

// Members that start together do not all begin with the same contact.
constexpr std::uint64_t kProbeTurnsMax = 1024;

Instant earlier(Instant instant, Duration duration) {
  return instant + Duration{-duration.nanoseconds};
}

Peer place_of(const ChordOptions& options) {
  return {.node = options.self, .id = Ring(options.ring_bits).key_of(options.name)};
}

}  // namespace

ChordNode::ChordNode(const ChordOptions& options, std::uint64_t seed,
                     std::unique_ptr<Application> application)
    : options_(options),
      prng_(seed),
      application_(std::move(application)),
      table_(Ring(options.ring_bits), place_of(options), options.successors_max) {
  WEIR_CHECK(options.self != kUser && application_ != nullptr);
  WEIR_CHECK(options.successors_max >= 1 && options.successors_max <= kSuccessorsMax);
}

void ChordNode::settle(std::span<const Peer> members) {
  WEIR_CHECK(state_ == State::kNew);
  table_.settle(members);
  state_ = State::kSettledFromStart;
}

void ChordNode::on_message(Instant now, NodeId source, std::string_view message, Effects& effects) {
  begin(now, effects);
  open(source, message);
  finish();
}

void ChordNode::on_wake(Instant now, Effects& effects) {
  begin(now, effects);
  armed_.reset();
  run_due();
  finish();
}

std::optional<NodeId> ChordNode::towards(Key key) const {
  if (table_.owns(key)) return std::nullopt;
  const std::optional<Hop> hop = table_.hop_to(key);
  if (!hop) return std::nullopt;
  return hop->peer.node;
}

std::uint64_t ChordNode::distance_to(Key key) const {
  return table_.owns(key) ? 0 : table_.ring().distance(table_.self().id, key);
}

bool ChordNode::is_settled() const {
  if (state_ != State::kMember) return false;
  if (table_.is_alone()) return true;
  const auto confirms = [&](const std::optional<Confirmation>& said, const Peer& peer) {
    return said && said->node == peer.node && now_ - said->instant <= options_.lease;
  };
  return table_.predecessor() && table_.successor() &&
         confirms(by_predecessor_, *table_.predecessor()) &&
         confirms(by_successor_, *table_.successor());
}

void ChordNode::begin(Instant now, Effects& effects) {
  effects_ = &effects;
  if (now + behind_ < now_) {
    behind_ = now_ - now;
    armed_.reset();
  }
  now_ = now + behind_;
  if (state_ == State::kNew || state_ == State::kSettledFromStart) start();
}

void ChordNode::start() {
  probe_turn_ = prng_.next() % kProbeTurnsMax;
  next_stabilise_ = after(options_.stabilise_interval);
  next_probe_ = after(options_.probe_interval);
  next_fingers_ = after(options_.finger_interval);
  if (state_ == State::kSettledFromStart) {
    state_ = State::kMember;
    if (table_.predecessor()) by_predecessor_ = {table_.predecessor()->node, now_};
    if (table_.successor()) by_successor_ = {table_.successor()->node, now_};
  } else {
    state_ = State::kJoining;
    join();
  }
  application_wake_ = now_;
}

// Tells the application what has changed, carries out what it wants, and asks to be woken.
void ChordNode::finish() {
  drain_application();
  if (state_ != State::kGone &&
      (version_told_ != table_.version() || settled_told_ != is_settled())) {
    version_told_ = table_.version();
    settled_told_ = is_settled();
    application_->on_placement(step());
    drain_application();
  }
  if (state_ != State::kGone) {
    const Instant wake = next_wake();
    if (armed_ != wake) effects_->wake_at(earlier(wake, behind_));
    armed_ = wake;
  }
  effects_ = nullptr;
}

Instant ChordNode::after(Duration interval) {
  const auto half = static_cast<std::uint64_t>(interval.nanoseconds) / 2;
  const auto chance = static_cast<std::int64_t>(prng_.next() % (half + 1));
  return now_ + Duration{interval.nanoseconds - (interval.nanoseconds / 4) + chance};
}

Instant ChordNode::next_wake() const {
  Instant next = std::min({next_stabilise_, next_fingers_, next_probe_});
  if (application_wake_) next = std::min(next, *application_wake_);
  if (const auto deadline = requests_.next_deadline()) next = std::min(next, *deadline);
  return next;
}

void ChordNode::run_due() {
  while (const std::optional<Request> expired = requests_.take_expired(now_)) {
    retry_or_fail(*expired);
  }
  if (next_stabilise_ <= now_) stabilise();
  if (next_fingers_ <= now_) {
    next_fingers_ = after(options_.finger_interval);
    if (table_.successor() && !requests_.has(Purpose::kFinger)) fix_finger(0);
  }
  if (next_probe_ <= now_) probe();
  if (application_wake_ && *application_wake_ <= now_) {
    application_wake_.reset();
    application_->on_wake(step());
  }
}

void ChordNode::open(NodeId source, std::string_view message) {
  const OpenMessage opened = open_message(message);
  if (opened.refused) return drop(*opened.refused);
  if (state_ == State::kGone) return drop(DropReason::kStale);
  if (opened.kind.protocol != ProtocolId::kChord) {
    return application_->on_message(step(), source, message);
  }
  const auto kind = static_cast<Kind>(opened.kind.number);
  const bool is_command = kind == Kind::kLookup || kind == Kind::kLeave;
  if (opened.kind.number >= kKindNames.size()) return drop(DropReason::kUnknown);
  if (is_command != (source == kUser)) return drop(DropReason::kNonsense);
  if (is_command) return hear_user(kind, opened.body);
  hear(source, kind, opened.body);
}

void ChordNode::hear_user(Kind kind, base::ByteReader body) {
  if (kind == Kind::kLeave) {
    Leave leave;
    if (!decode(body, leave)) return drop(DropReason::kMalformed);
    state_ = State::kLeaving;
    requests_.remove(Purpose::kChunk);
    return move_items();
  }
  Lookup lookup;
  if (!decode(body, lookup)) return drop(DropReason::kMalformed);
  if (!table_.ring().has(lookup.key)) return drop(DropReason::kNonsense);
  if (is_home(lookup.key)) {
    const Found found{.key = lookup.key, .home = table_.self()};
    return effects_->deliver(kind_of(Kind::kFound), encode(found));
  }
  find(Purpose::kLookup, lookup.key);
}

template <typename Message>
void ChordNode::hear(NodeId source, base::ByteReader body) {
  Message message;
  if (!decode(body, message)) return drop(DropReason::kMalformed);
  on(source, message);
}

void ChordNode::hear(NodeId source, Kind kind, base::ByteReader body) {
  switch (kind) {
    case Kind::kFind:
      return hear<Find>(source, body);
    case Kind::kHome:
      return hear<Home>(source, body);
    case Kind::kAsk:
      return hear<Ask>(source, body);
    case Kind::kTell:
      return hear<Tell>(source, body);
    case Kind::kIntroduce:
      return hear<Introduce>(source, body);
    case Kind::kGoodbye:
      return hear<Goodbye>(source, body);
    case Kind::kItems:
      return hear<Items>(source, body);
    case Kind::kKept:
      return hear<Kept>(source, body);
    case Kind::kRoute:
      return hear<RouteEnvelope>(source, body);
    case Kind::kMulticast:
      return hear<MulticastEnvelope>(source, body);
    case Kind::kLookup:
    case Kind::kLeave:
    case Kind::kFound:
    case Kind::kLeft:
      return drop(DropReason::kNonsense);
  }
}

// What it routes to keys of this member comes back to it at once, and may have effects again.
void ChordNode::drain_application() {
  while (!from_application_.list().empty()) {
    Effects wanted;
    std::swap(wanted, from_application_);
    for (Effect& effect : wanted.list()) carry_out(effect);
  }
}

void ChordNode::carry_out(Effect& effect) {
  if (const auto* route = std::get_if<Route>(&effect)) {
    begin_route(*route);
  } else if (auto* multicast = std::get_if<Multicast>(&effect)) {
    begin_multicast(*multicast);
  } else if (const auto* wake = std::get_if<WakeAt>(&effect)) {
    application_wake_ = wake->instant;
  } else {
    effects_->add(std::move(effect));
  }
}

}  // namespace weir::protocol::chord
