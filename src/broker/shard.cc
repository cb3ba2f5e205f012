// SPDX-License-Identifier: Apache-2.0
#include "broker/shard.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <utility>

#include "broker/logged_event.h"
#include "broker/shard_held.h"
#include "broker/text_piece.h"

namespace weir::broker {
namespace {

constexpr std::uint64_t kGaugeRounds = 16;  // of work, at most, between two looks at the gauges
constexpr std::size_t kGaugesAtOnce = 64;   // between other work
constexpr std::size_t kTextPieceBytes = std::size_t{64} << 20U;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Processor time that this thread has taken: what other processes take does not count.
std::chrono::nanoseconds thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::optional<ReplayPacer::Clock::time_point> earlier(
    std::optional<ReplayPacer::Clock::time_point> a,
    std::optional<ReplayPacer::Clock::time_point> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

}  // namespace

base::Error stopping_error() {
  return {base::ErrorId::kBrokerStopping, "the broker is stopping", std::nullopt};
}

Shard::Shard(Context context)
    : context_(context),
      engine_(engine_options()),
      analyzers_(context.options.engine.text),
      recent_(context.options.recent_bytes_max),
      next_timer_(kNever),
      next_expiry_(kNever) {}

Shard::~Shard() { stop(); }

engine::EngineOptions Shard::engine_options() const {
  engine::EngineOptions options = context_.options.engine;
  options.dedup_window.reset();  // duplicates are the sequencer's business
  options.text_shares_part = 1.0 / static_cast<double>(context_.options.shard_count);
  options.find_event = [this](std::uint64_t sequence) { return find_event(sequence); };
  return options;
}

event::EventPtr Shard::find_event(std::uint64_t sequence) const {
  const event::EventPtr recent = recent_.find(sequence);
  return recent != nullptr ? recent : find_logged(context_.log, sequence);
}

void Shard::start() {
  if (!skipped_.empty()) post([this] { bury_skipped(); });
  thread_ = std::jthread([this] { run(); });
}

void Shard::stop() {
  if (!thread_.joinable()) return;
  post([this] {
    for (auto& [number, held] : subscriptions_) end_sessions(*held, stopping_error());
    stopping_ = true;
  });
  thread_.join();
  queue_.close();
  // Sessions hold the shard, and so do answers that wait for a cursor which is not written any
  // more.
  for (auto& [number, held] : subscriptions_) {
    for (const auto& [waiting_for, done] : std::exchange(held->waiting, {})) done(stopping_error());
    held->session.reset();
    held->shared.reset();
  }
  text_holds_.clear();
}

void Shard::post(std::function<void()> task) { queue_.push(std::move(task)); }

void Shard::post_batch(BatchPtr batch) {
  queued_event_count_ += batch->events.size();
  post([this, batch = std::move(batch)] { take(*batch); });
}

void Shard::run() {
  while (!stopping_) {
    const ReplayPacer::Clock::time_point begin = ReplayPacer::Clock::now();
    const bool has_work = !stale_.empty() || engine_.has_work();
    const auto until = has_work ? begin : earlier(next_replay(begin), next_highlight(begin));
    for (std::function<void()>& task : queue_.pop_all(until)) {
      task();
      task = nullptr;  // a batch's memory is counted as free from now on
      text_holds_.clear();
      pump_touched();
      finish_costs();
    }
    pump_highlighting();
    if (engine_.has_work()) {
      engine_.work();
      update_wake();
    }
    const ReplayPacer::Clock::time_point now = ReplayPacer::Clock::now();
    if (const auto due = next_replay(now); due && *due <= now && !stopping_) {
      work_on_replays();
      pump_touched();
    }
    if (++round_count_ % kGaugeRounds == 0 || queue_.empty()) {
      update_stale_gauges(kGaugesAtOnce);
      update_match_gauges();
    }
  }
}

ShardWakes Shard::next_wakes() const {
  const auto known = [](std::int64_t at) {
    return at == kNever ? std::nullopt : std::optional(base::Instant{at});
  };
  return {.timer = known(next_timer_), .expiry = known(next_expiry_)};
}

void Shard::update_wake() {
  const std::optional<base::Instant> wake = engine_.next_wake();
  std::int64_t timer = wake ? wake->nanoseconds : kNever;
  if (!shared_wakes_.empty()) timer = std::min(timer, shared_wakes_.begin()->first.nanoseconds);
  const std::int64_t expiry = expiries_.empty() ? kNever : expiries_.begin()->first.nanoseconds;
  const bool timer_changed = next_timer_.exchange(timer) != timer;
  const bool expiry_changed = next_expiry_.exchange(expiry) != expiry;
  if (timer_changed || expiry_changed) context_.host.on_wake_changed();
}

void Shard::take(const Batch& batch) {
  MatchReport report{
      .batch = batch.id,
      .at = {},
      .complete = false,
      .matches = MatchNoteWriter(batch.last_sequence, context_.options.note_bytes_max)};
  report.costs = std::exchange(costs_, {});
  auto logged = batch.events.begin();
  for (const OwnedEvents& owned : batch.owners) {
    const std::chrono::nanoseconds begin = thread_time();
    for (const auto end = logged + static_cast<std::ptrdiff_t>(owned.count); logged != end;
         ++logged) {
      if (abandoned_) return;
      recent_.add(logged->event, logged->memory_bytes);
      report.at = logged->at;
      collect(engine_.publish(logged->event, logged->at), batch.last_sequence, report.matches);
    }
    costs_.push_back({owned.owner, owned.count, thread_time() - begin});
  }
  matched_at_ = thread_time();
  pacer_.on_live(ReplayPacer::Clock::now());
  highlight_pacer_.on_live(ReplayPacer::Clock::now());
  last_batch_ = batch.id;
  last_sequence_ = batch.last_sequence;
  queued_event_count_ -= batch.events.size();
  update_wake();
  report.complete = true;
  context_.host.on_report(std::move(report));
}

// The time to send deliveries after the batch was matched is part of its cost too. Each owner bears
// it in proportion.
void Shard::finish_costs() {
  if (!matched_at_) return;
  const std::chrono::nanoseconds after = thread_time() - *std::exchange(matched_at_, std::nullopt);
  std::chrono::nanoseconds whole(1);
  for (const MatchCost& cost : costs_) whole += cost.time;
  const double share = std::chrono::duration<double>(after) / whole;
  for (MatchCost& cost : costs_) {
    cost.time += std::chrono::duration_cast<std::chrono::nanoseconds>(cost.time * share);
  }
}

// Events that were abandoned come before it: nothing may be noted as due.
void Shard::tick(base::Instant now) {
  if (abandoned_) return;
  silence_expired();
  time_out_shared(now);
  MatchReport report{.batch = last_batch_, .at = now, .complete = false, .matches = note_writer()};
  collect(engine_.advance(now), last_sequence_, report.matches);
  update_wake();
  if (!report.matches.empty()) context_.host.on_report(std::move(report));
}

MatchNoteWriter Shard::note_writer() const {
  return MatchNoteWriter(last_sequence_, context_.options.note_bytes_max);
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
  const std::uint64_t number = held.outbox.push(
      matched_at, {.sequences = sequences_,
                   .source = delivery.events.front()->source(),
                   .text = delivery.text,
                   .text_memory = text_holds_.hold(delivery.text, held.outbox.account()),
                   .is_group = delivery.is_group,
                   .repeated = delivery.repeated});
  if (held.durable()) {
    matches.add(held.number(), number,
                {.sequences = sequences_,
                 .text = delivery.text,
                 .is_group = delivery.is_group,
                 .repeated = delivery.repeated});
  }
  if (held.session || held.shared || held.outbox.policy() == OutboxPolicy::kBlock) touch(held);
  mark_stale(held);
}

void Shard::replay(const LoggedEvent& logged, bool keep_deliveries) {
  recent_.add(logged.event, logged.memory_bytes);
  const std::uint64_t sequence = logged.event->sequence();
  if (keep_deliveries) replay_time(sequence, logged.at);
  const auto deliveries = engine_.publish(logged.event, logged.at);
  if (keep_deliveries) collect(deliveries, sequence, replayed_->matches);
}

// Keeps what was held back and is due by then, unless it is noted.
void Shard::replay_time(std::uint64_t matched_at, base::Instant through) {
  if (!replayed_) {
    const std::uint64_t last = context_.log.next_sequence() - 1;
    replayed_.emplace(
        MatchReport{.at = {}, .matches = MatchNoteWriter(last, context_.options.note_bytes_max)});
  }
  MatchReport& report = *replayed_;
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

MatchReport Shard::finish_replay(std::uint64_t last_sequence, base::Instant now) {
  replay_time(last_sequence, now);
  last_sequence_ = last_sequence;
  text_holds_.clear();
  for (Held* const held : std::exchange(touched_, {})) held->touched = false;
  update_stale_gauges(stale_.size());
  update_match_gauges();
  for (auto& [number, held] : subscriptions_) {
    held->outbox.assume_sent();
    held->outbox.expire_before(context_.log.first_sequence());
    update_gauges(*held);
  }
  update_wake();
  return *std::exchange(replayed_, std::nullopt);
}

void Shard::checkpoint() {
  const auto begin = std::chrono::steady_clock::now();
  update_memory_gauges();
  Checkpoint part{.batch = last_batch_, .sequence = last_sequence_, .changes = {}};
  if (abandoned_) {
    part.is_abandoned = true;
    return context_.host.on_checkpoint(std::move(part));
  }
  for (auto& [number, held] : subscriptions_) {
    if (!held->durable()) continue;
    write_cursor(*held);
    if (held->replay) {
      if (auto row = held->replay->save(number)) part.changes.emplace_back(std::move(*row));
    }
    update_window_gauges(*held);
    const std::uint64_t revision = held->engine_id ? engine_.state_revision(*held->engine_id) : 0;
    if (revision == held->saved_revision || (revision == 0 && !held->carried)) continue;
    auto state = held->engine_id ? engine_.save(*held->engine_id) : held->parked;
    if (!state) continue;
    held->saved_revision = revision;
    part.changes.emplace_back(store::CheckpointRow{number, std::move(*state)});
  }
  save_text(part.changes);
  part.stopped = std::chrono::steady_clock::now() - begin;
  context_.host.on_checkpoint(std::move(part));
}

// In pieces, so that none is longer than a row may be. Pieces that there were before become empty.
void Shard::save_text(std::vector<store::RegistryChange>& changes) {
  std::vector<std::string> pieces = engine_.save_text_pieces(kTextPieceBytes);
  const std::size_t count = pieces.size();
  pieces.resize(std::max(count, text_piece_count_));
  text_piece_count_ = count;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    changes.emplace_back(
        store::SharedState{text_piece_name(context_.index, i), std::move(pieces[i])});
  }
}

void Shard::forget_saved() {
  for (auto& [number, held] : subscriptions_) held->saved_revision.reset();
}

}  // namespace weir::broker
