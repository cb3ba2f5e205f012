// SPDX-License-Identifier: Apache-2.0
#include "broker/shard.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "broker/logged_event.h"
#include "broker/shard_held.h"

namespace weir::broker {
namespace {

constexpr std::size_t kReportBytesMax = std::size_t{1} << 20U;
constexpr std::uint64_t kGaugeRounds = 16;  // of work, at most, between two looks at the gauges
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

}  // namespace

Shard::Shard(Context context)
    : context_(context),
      engine_(engine_options()),
      recent_(context.options.recent_bytes_max),
      next_wake_(kNever) {}

Shard::~Shard() { stop(); }

engine::EngineOptions Shard::engine_options() const {
  engine::EngineOptions options = context_.options.engine;
  options.dedup_window.reset();  // duplicates are the sequencer's business
  options.find_event = [this](std::uint64_t sequence) { return find_event(sequence); };
  return options;
}

event::EventPtr Shard::find_event(std::uint64_t sequence) const {
  const event::EventPtr recent = recent_.find(sequence);
  return recent != nullptr ? recent : find_logged(context_.log, sequence);
}

void Shard::start() {
  thread_ = std::jthread([this] { run(); });
}

void Shard::stop() {
  if (!thread_.joinable()) return;
  post([this] {
    const base::Error reason{base::ErrorId::kBrokerStopping, "the broker is stopping",
                             std::nullopt};
    for (auto& [number, held] : subscriptions_) end_session(*held, reason);
    stopping_ = true;
  });
  thread_.join();
  queue_.close();
}

void Shard::post(std::function<void()> task) { queue_.push(std::move(task)); }

void Shard::post_batch(BatchPtr batch) {
  queued_event_count_ += batch->events.size();
  post([this, batch = std::move(batch)] { take(*batch); });
}

void Shard::run() {
  while (!stopping_) {
    for (const std::function<void()>& task : queue_.pop_all()) {
      task();
      pump_touched();
    }
    if (++round_count_ % kGaugeRounds == 0 || queue_.empty()) {
      update_stale_gauges();
      update_match_gauges();
    }
  }
}

std::optional<base::Instant> Shard::next_wake() const {
  const std::int64_t wake = next_wake_;
  if (wake == kNever) return std::nullopt;
  return base::Instant{wake};
}

void Shard::update_wake() {
  const std::optional<base::Instant> wake = engine_.next_wake();
  std::int64_t next = wake ? wake->nanoseconds : kNever;
  if (!expiries_.empty()) next = std::min(next, expiries_.begin()->first.nanoseconds);
  if (next_wake_.exchange(next) != next) context_.host.on_wake_changed();
}

void Shard::take(const Batch& batch) {
  MatchReport report{.batch = batch.id, .at = {}, .complete = false, .matches = {}};
  for (const LoggedEvent& logged : batch.events) {
    recent_.add(logged.event);
    report.at = logged.at;
    collect(engine_.publish(logged.event, logged.at), batch.last_sequence, report.matches);
    if (report.matches.size_bytes() <= kReportBytesMax) continue;
    context_.host.on_report(report);
    report.matches = {};
  }
  last_batch_ = batch.id;
  last_sequence_ = batch.last_sequence;
  queued_event_count_ -= batch.events.size();
  update_wake();
  report.complete = true;
  context_.host.on_report(std::move(report));
}

void Shard::tick(base::Instant now) {
  silence_expired(now);
  MatchReport report{.batch = last_batch_, .at = now, .complete = false, .matches = {}};
  collect(engine_.advance(now), last_sequence_, report.matches);
  update_wake();
  if (!report.matches.empty()) context_.host.on_report(std::move(report));
}

void Shard::collect(std::span<const engine::Delivery> deliveries, std::uint64_t matched_at,
                    MatchNoteWriter& matches) {
  for (const engine::Delivery& delivery : deliveries) {
    push(*slots_[delivery.tag], delivery, matched_at, matches);
  }
  context_.counters.matched += deliveries.size();
}

void Shard::push(Held& held, const engine::Delivery& delivery, std::uint64_t matched_at,
                 MatchNoteWriter& matches) {
  sequences_.clear();
  for (const event::EventPtr& event : delivery.events) sequences_.push_back(event->sequence());
  const std::uint64_t number =
      held.outbox.push(matched_at, {.sequences = sequences_,
                                    .source = delivery.events.front()->source(),
                                    .annotation = delivery.annotation});
  if (held.durable()) matches.add(held.number(), number, sequences_, delivery.annotation);
  if (held.session || held.outbox.policy() == OutboxPolicy::kBlock) touch(held);
  mark_stale(held);
}

void Shard::replay(const LoggedEvent& logged, bool keep_deliveries) {
  recent_.add(logged.event);
  const std::uint64_t sequence = logged.event->sequence();
  if (keep_deliveries) replay_time(sequence, logged.at);
  const auto deliveries = engine_.publish(logged.event, logged.at);
  if (keep_deliveries) collect(deliveries, sequence, replayed_.back().matches);
}

// Keeps what was held back and is due by then, unless it is noted.
void Shard::replay_time(std::uint64_t matched_at, base::Instant through) {
  if (replayed_.empty() || replayed_.back().matches.size_bytes() > kReportBytesMax) {
    replayed_.emplace_back();
  }
  MatchReport& report = replayed_.back();
  report.at = through;
  while (const std::optional<base::Instant> due = engine_.next_wake()) {
    if (*due > through) return;
    for (const engine::Delivery& delivery : engine_.advance(*due)) {
      Held& held = *slots_[delivery.tag];
      if (*due <= held.noted_until) continue;
      push(held, delivery, matched_at, report.matches);
      ++context_.counters.matched;
    }
  }
}

std::vector<MatchReport> Shard::finish_replay(std::uint64_t last_sequence, base::Instant now) {
  replay_time(last_sequence, now);
  last_sequence_ = last_sequence;
  for (Held* const held : std::exchange(touched_, {})) held->touched = false;
  update_stale_gauges();
  update_match_gauges();
  for (auto& [number, held] : subscriptions_) {
    held->outbox.assume_sent();
    update_gauges(*held);
  }
  update_wake();
  return std::exchange(replayed_, {});
}

void Shard::checkpoint() {
  update_memory_gauges();
  Checkpoint part{.batch = last_batch_, .sequence = last_sequence_, .changes = {}};
  for (auto& [number, held] : subscriptions_) {
    if (!held->durable() || !held->engine_id) continue;
    update_window_gauges(*held);
    const std::uint64_t revision = engine_.state_revision(*held->engine_id);
    if (revision == 0 || revision == held->saved_revision) continue;
    auto state = engine_.save(*held->engine_id);
    if (!state) continue;
    held->saved_revision = revision;
    part.changes.emplace_back(store::CheckpointRow{number, std::move(*state)});
  }
  part.changes.emplace_back(
      store::SharedState{"text/" + std::to_string(context_.index), engine_.save_text()});
  context_.host.on_checkpoint(std::move(part));
}

void Shard::forget_saved() {
  for (auto& [number, held] : subscriptions_) held->saved_revision.reset();
}

}  // namespace weir::broker
