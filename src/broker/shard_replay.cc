// SPDX-License-Identifier: Apache-2.0
// Replays of a shard: subscriptions that read old events in short steps beside the live ones, then
// join them.
#include <algorithm>
#include <utility>

#include "broker/shard.h"
#include "broker/shard_held.h"

namespace weir::broker {
namespace {

using Clock = ReplayPacer::Clock;

constexpr std::size_t kReplayCountMax = 8;  // at work at one time; the others wait
constexpr std::size_t kStepEventCountMax = 1024;
constexpr std::chrono::milliseconds kStepTime(2);

}  // namespace

// A replay leaves room in the outbox, so that nothing is dropped for its sake.
bool Shard::may_replay(const Held& held) {
  const std::size_t count_max = held.subscription.definition->outbox_count_max();
  return held.subscription.gauges->allowed &&
         held.outbox.size() < std::max<std::size_t>(1, count_max / 2);
}

void Shard::begin_replay(Held& held, store::ReplayRow from) {
  held.replay =
      std::make_unique<Replay>(Replay::Options{.log = context_.log,
                                               .engine = engine_options(),
                                               .filter = held.subscription.definition->filter(),
                                               .subscribe = subscribe_options(held, {})},
                               std::move(from));
  replaying_.push_back(held.number());
  update_replay_gauges(held);
}

void Shard::end_replay(Held& held) {
  if (!held.replay) return;
  held.replay.reset();
  std::erase(replaying_, held.number());
  held.subscription.gauges->set_replay(std::nullopt);
}

void Shard::update_replay_gauges(Held& held) {
  held.subscription.gauges->set_replay(ReplayProgress{.next_sequence = held.replay->next_sequence(),
                                                      .last_sequence = last_sequence_,
                                                      .skipped = held.replay->skipped()});
}

std::optional<Clock::time_point> Shard::next_replay(Clock::time_point now) {
  if (abandoned_) return std::nullopt;
  const auto can_work = [this](std::uint64_t number) { return may_replay(*find(number)); };
  const auto end = replaying_.begin() +
                   static_cast<std::ptrdiff_t>(std::min(replaying_.size(), kReplayCountMax));
  if (std::none_of(replaying_.begin(), end, can_work)) return std::nullopt;
  return pacer_.next(now);
}

// Gives each of the first ones a step.
void Shard::work_on_replays() {
  const Clock::time_point begin = Clock::now();
  const std::size_t count = std::min(replaying_.size(), kReplayCountMax);
  const std::vector<std::uint64_t> numbers(replaying_.begin(),
                                           replaying_.begin() + static_cast<std::ptrdiff_t>(count));
  for (const std::uint64_t number : numbers) {
    Held& held = *find(number);
    if (may_replay(held)) replay_step(held, begin + kStepTime);
  }
  pacer_.on_step(begin, Clock::now());
}

void Shard::replay_step(Held& held, Clock::time_point until) {
  MatchReport report{.batch = last_batch_, .at = {}, .complete = false, .matches = note_writer()};
  const auto deliver = [&](const engine::Delivery& delivery, std::uint64_t number,
                           base::Instant at) {
    if (number <= held.outbox.last_number()) return;  // it was made before a crash
    report.at = at;
    push(held, delivery, last_sequence_, report.matches);
    ++context_.counters.matched;
  };
  const auto may_go_on = [&] { return may_replay(held) && Clock::now() < until; };
  const std::uint64_t skipped = held.replay->skipped();
  const auto stepped = held.replay->step({.through_sequence = last_sequence_,
                                          .event_count_max = kStepEventCountMax,
                                          .may_go_on = may_go_on},
                                         deliver);
  if (!report.matches.empty()) context_.host.on_report(std::move(report));
  if (held.replay->skipped() > skipped) {
    context_.losses.add(held.subscription.id, LossKind::kSkipped, held.replay->skipped() - skipped);
  }
  if (!stepped) {
    held.subscription.gauges->set_trouble("replay: " + stepped.error().to_string());
    return end_replay(held);
  }
  update_replay_gauges(held);
  if (held.replay->next_sequence() > last_sequence_) join_live(held);
}

base::Result<void> Shard::join(Held& held, const Replay::States& states) {
  if (!states.text.empty()) {
    if (auto restored = engine_.restore_text(states.text); !restored) return restored;
  }
  return resume(held, states.filter);
}

// The subscription has seen every event that the shard has: its filter goes on in the shard's
// engine. Until that is written, a crash repeats the replay from its last checkpoint.
void Shard::join_live(Held& held) {
  const auto states = held.replay->states();
  const auto joined = states ? join(held, *states) : base::Result<void>(states.error());
  end_replay(held);
  if (!joined) {
    held.subscription.gauges->set_trouble("replay: " + joined.error().to_string());
    return;
  }
  update_wake();
  if (!held.durable()) return;
  when_noted(last_batch_, [self = shared_from_this(), number = held.number(),
                           since = last_sequence_ + 1, state = states->filter] {
    std::vector<store::RegistryChange> changes = {store::EndReplay{number, since}};
    if (!state.empty()) changes.emplace_back(store::CheckpointRow{number, state});
    self->context_.clerk.write(std::move(changes), {});
  });
}

base::Result<std::optional<store::ReplayRow>> Shard::replay_of(const Start& start,
                                                               std::uint64_t number,
                                                               std::uint64_t last_delivery) const {
  if (start.kind == Start::Kind::kNow) return std::optional<store::ReplayRow>();
  const auto resolved = resolve_start(start, context_.log);
  if (!resolved) return resolved.error();
  if (resolved->sequence > last_sequence_ && resolved->skipped == 0) {
    return std::optional<store::ReplayRow>();
  }
  return std::optional(store::ReplayRow{.subscription = number,
                                        .next_sequence = resolved->sequence,
                                        .last_delivery = last_delivery,
                                        .skipped = resolved->skipped});
}

}  // namespace weir::broker
