// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/slot_node.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/check.h"

namespace weir::protocol::slots {

namespace {

using base::Duration;
using base::Instant;

// Both ends of the arc are equal: the whole ring.
constexpr KeyArc kEverybody{};

// Random bits of an incarnation, which distinguish two starts at one instant.
constexpr std::uint64_t kIncarnationChance = 0xFFFF;

Duration times(Duration duration, std::int64_t factor) { return {duration.nanoseconds * factor}; }

}  // namespace

SlotNode::SlotNode(const SlotOptions& options, std::uint64_t seed,
                   std::unique_ptr<Application> application)
    : options_(options),
      prng_(seed),
      application_(std::move(application), *this),
      hand_over_(options.self, application_.get()),
      router_(options.self, members_, application_) {
  WEIR_CHECK(options_.self != kUser);
  WEIR_CHECK(!options_.name.empty() && options_.name.size() <= kNameBytesMax);
  WEIR_CHECK(options_.heartbeat_interval > Duration{});
  WEIR_CHECK(options_.lease > options_.heartbeat_interval);
}

template <typename Call>
void SlotNode::let_application(const Turn& turn, const Call& call) {
  application_.run(turn.now, call);
  router_.drain_application(turn);
}

void SlotNode::on_wake(Instant now, Effects& effects) {
  const Turn turn{.now = now, .effects = effects};
  const bool has_slept = asked_wake_ && now - *asked_wake_ > options_.lease;
  asked_wake_.reset();
  if (!has_begun_ || has_slept) begin(turn);
  if (state() == MemberState::kLeft) return;
  // A clock that was set back must not silence this member.
  next_beat_ = std::min(next_beat_, now + options_.heartbeat_interval);
  if (now >= next_beat_) tick(turn);
  application_.wake_if_due(now);
  router_.drain_application(turn);
  end_turn(turn);
}

void SlotNode::on_message(Instant now, NodeId source, std::string_view message, Effects& effects) {
  // A message may arrive before the first wake after a restart.
  if (!has_begun_) return effects.drop(DropReason::kStale);
  const Turn turn{.now = now, .effects = effects};
  OpenMessage opened = open_message(message);
  if (opened.refused) {
    effects.drop(*opened.refused);
  } else if (state() == MemberState::kLeft) {
    effects.drop(DropReason::kStale);
  } else if (opened.kind.protocol == ProtocolId::kSlots) {
    on_own_protocol(turn, source, opened);
  } else {
    let_application(turn, [&](Application& application, const auto& step) {
      application.on_message(step, source, message);
    });
  }
  end_turn(turn);
}

// Called at the start, and after a sleep so long that other members have given this one up.
void SlotNode::begin(const Turn& turn) {
  const auto start = static_cast<std::uint64_t>(turn.now.nanoseconds);
  if (!has_begun_) application_.wake_at(turn.now);
  has_begun_ = true;
  members_.clear();
  hand_over_.begin_anew();
  members_.hear(turn.now, options_.self,
                {.name = options_.name,
                 .incarnation = (start & ~kIncarnationChance) | (prng_.next() & kIncarnationChance),
                 .beat = 0,
                 .state = MemberState::kJoining,
                 .view = 0});
  listen_to_own_slots(turn);
  active_at_ = turn.now + times(options_.heartbeat_interval, 2);
  next_beat_ = turn.now;
  update_settled(turn, true);
}

void SlotNode::tick(const Turn& turn) {
  members_.expire(turn.now, options_.lease, options_.self);
  if (state() == MemberState::kJoining && turn.now >= active_at_) {
    me().state = MemberState::kActive;
  }
  update_view(turn);
  tell_all(turn);
  go_on_handing_over(turn);
  if (state() == MemberState::kLeaving && may_end_leaving(turn.now)) end_leaving(turn);
  const auto jitter = static_cast<std::int64_t>(
      prng_.next() % (static_cast<std::uint64_t>(options_.heartbeat_interval.nanoseconds) / 8 + 1));
  next_beat_ = turn.now + Duration{options_.heartbeat_interval.nanoseconds - jitter};
}

void SlotNode::obey(const Turn& turn, const Leave& /*command*/) {
  if (state() == MemberState::kLeaving) return;
  me().state = MemberState::kLeaving;
  leaving_since_ = turn.now;
  update_view(turn);
  tell_all(turn);
  go_on_handing_over(turn);
}

// The new owners of its slots must have had time to hear of it and to listen.
bool SlotNode::may_end_leaving(Instant now) const {
  const Duration since = now - leaving_since_;
  return since >= options_.leave_timeout ||
         (since >= times(options_.heartbeat_interval, 2) && hand_over_.is_done());
}

void SlotNode::end_leaving(const Turn& turn) {
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    if (listened_[slot]) turn.effects.listen(slot, false);
  }
  listened_.reset();
  me().state = MemberState::kLeft;
  tell_all(turn);
  std::vector<KeyItem> unmoved;
  application_.get().collect(Ring(), kEverybody, unmoved);
  turn.effects.deliver(Left{.unmoved_count = unmoved.size()});
}

Heartbeat SlotNode::next_heartbeat() {
  Member& member = me();
  ++member.beat;
  return {.name = member.name,
          .incarnation = member.incarnation,
          .beat = member.beat,
          .state = member.state,
          .view = members_.view()};
}

void SlotNode::tell_all(const Turn& turn) { turn.effects.multicast(kEverybody, next_heartbeat()); }

void SlotNode::update_view(const Turn& turn) {
  const bool is_changed = members_.update_view();
  if (is_changed) {
    hand_over_.begin_anew();
    listen_to_own_slots(turn);
  }
  update_settled(turn, is_changed);
}

void SlotNode::update_settled(const Turn& turn, bool is_changed) {
  me().view = members_.view();
  const bool agrees = state() == MemberState::kActive && members_.agrees();
  if (is_changed || !agrees) unsettled_at_ = turn.now;
  const Duration calm{options_.lease.nanoseconds + options_.heartbeat_interval.nanoseconds * 2};
  const bool is_settled = turn.now - unsettled_at_ >= calm;
  if (!is_changed && is_settled == is_settled_) return;
  is_settled_ = is_settled;
  let_application(
      turn, [](Application& application, const auto& step) { application.on_placement(step); });
  tell_user(turn);
}

// A leaving member keeps listening, and passes messages on.
void SlotNode::listen_to_own_slots(const Turn& turn) {
  if (state() == MemberState::kLeaving) return;
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    if (listened_[slot] == owns(slot)) continue;
    listened_[slot] = owns(slot);
    turn.effects.listen(slot, owns(slot));
  }
}

void SlotNode::go_on_handing_over(const Turn& turn) {
  if (state() == MemberState::kJoining) return;
  let_application(turn, [this](Application& /*application*/, const auto& step) {
    hand_over_.go_on(step, members_, options_.heartbeat_interval);
  });
}

void SlotNode::tell_user(const Turn& turn) const {
  View view{.state = state(), .is_settled = is_settled_, .own_slots = {}, .members = {}};
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) view.own_slots[slot] = owns(slot);
  for (const auto& [id, member] : members_.all()) {
    view.members.push_back({.id = id, .name = member.name, .state = member.state});
  }
  turn.effects.deliver(view);
}

std::optional<std::uint64_t> SlotNode::heap_place(Key key) const {
  const std::vector<NodeId>& active = members_.active();
  const auto owner = members_.owner(slot_of(key));
  const auto own = std::ranges::find(active, options_.self);
  if (!owner || own == active.end()) return {};
  const auto steps = own - std::ranges::find(active, *owner);
  return static_cast<std::uint64_t>(steps < 0 ? steps + std::ssize(active) : steps);
}

std::optional<NodeId> SlotNode::towards(Key key) const {
  const auto place = heap_place(key);
  if (!place || *place == 0) return {};
  const std::vector<NodeId>& active = members_.active();
  const auto first = std::ranges::find(active, *members_.owner(slot_of(key))) - active.begin();
  return active[(static_cast<std::uint64_t>(first) + (*place - 1) / 2) % active.size()];
}

std::uint64_t SlotNode::distance_to(Key key) const {
  const auto place = heap_place(key);
  if (!place) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::bit_width(*place + 1)) - 1;
}

void SlotNode::on_own_protocol(const Turn& turn, NodeId source, const OpenMessage& message) {
  const auto refused =
      source == kUser
          ? dispatch<Way::kCommand>(Messages{}, message, [&](const auto& it) { obey(turn, it); })
          : dispatch<Way::kDirect>(Messages{}, message,
                                   [&](const auto& it) { hear(turn, source, it); });
  if (refused) turn.effects.drop(*refused);
}

template <typename Message>
void SlotNode::hear(const Turn& turn, NodeId source, const Message& message) {
  if constexpr (requires { router_.on(turn, source, message); }) {
    router_.on(turn, source, message);
  } else {
    on(turn, source, message);
  }
}

void SlotNode::obey(const Turn& turn, const Show& /*command*/) { tell_user(turn); }

void SlotNode::on(const Turn& turn, NodeId source, const Heartbeat& heartbeat) {
  if (source == options_.self) return;
  switch (members_.hear(turn.now, source, heartbeat)) {
    case Membership::News::kStale:
      return turn.effects.drop(DropReason::kStale);
    case Membership::News::kTooMany:
      return turn.effects.drop(DropReason::kLimit);
    case Membership::News::kNew:
      if (heartbeat.state != MemberState::kLeft) {
        turn.effects.send(source, next_heartbeat());
      }
      break;
    case Membership::News::kKnown:
      break;
  }
  update_view(turn);
}

// Acknowledges only items of slots that this member owns in its own view; otherwise the sender
// tries again.
void SlotNode::on(const Turn& turn, NodeId source, const Items& items) {
  Member* const sender = members_.find(source);
  const auto is_own = [this](const KeyItem& item) { return owns(slot_of(item.key)); };
  if (sender == nullptr || !std::ranges::all_of(items.items, is_own)) {
    return turn.effects.drop(DropReason::kStale);
  }
  if (items.number > sender->taken_number) {
    sender->taken_number = items.number;
    let_application(turn, [&](Application& application, const auto& step) {
      application.absorb(step, items.items);
    });
  }
  turn.effects.send(source, Taken{.number = items.number});
}

void SlotNode::on(const Turn& turn, NodeId source, const Taken& taken) {
  let_application(turn, [&](Application& /*application*/, const auto& step) {
    if (!hand_over_.taken(step, source, taken.number)) step.effects.drop(DropReason::kStale);
  });
  go_on_handing_over(turn);
}

void SlotNode::end_turn(const Turn& turn) {
  router_.deliver_arrivals(turn);
  if (state() == MemberState::kLeft) return;
  const Instant wake = std::min(next_beat_, application_.wake().value_or(next_beat_));
  if (wake == asked_wake_) return;
  asked_wake_ = wake;
  turn.effects.wake_at(wake);
}

}  // namespace weir::protocol::slots
