// SPDX-License-Identifier: Apache-2.0
// The sequencer's notes and its time: what follows from events that are on disk.
#include <algorithm>
#include <chrono>
#include <utility>

#include "broker/sequencer.h"

namespace weir::broker {
namespace {

constexpr double kSoonShare = 0.8;  // of the limits of retention: then operators are warned

}  // namespace

void Sequencer::take_report(MatchReport report) {
  const auto found = unnoted_.find(report.batch);
  if (found == unnoted_.end()) {  // time has passed after a batch that is noted already
    notes_.push_back({last_sequence_, std::move(report)});
    return;
  }
  Unnoted& unnoted = found->second;
  for (const MatchCost& cost : report.costs) costs_.add(cost, Clock::now());
  if (report.complete) ++unnoted.complete_count;
  if (report.matches.empty()) return;
  const auto agrees = [&](const MatchReport& part) {
    return part.at == report.at && part.matches.base() == report.matches.base();
  };
  if (!unnoted.parts.empty() && agrees(unnoted.parts.back())) {
    unnoted.parts.back().matches.add(report.matches);
  } else {
    unnoted.parts.push_back(std::move(report));
  }
}

// Batches that all shards are done with, in order. The notes on a batch belong together: the last
// one says that it is complete.
void Sequencer::finish_notes() {
  while (!unnoted_.empty() && unnoted_.begin()->second.complete_count == shards_.size()) {
    const std::uint64_t batch = unnoted_.begin()->first;
    Unnoted unnoted = std::move(unnoted_.begin()->second);
    unnoted_.erase(unnoted_.begin());
    requests_.on_matched(unnoted.match_times);
    if (unnoted.parts.empty()) {
      unnoted.parts.push_back(
          {.batch = batch, .at = unnoted.at, .matches = MatchNoteWriter(unnoted.last_sequence)});
    }
    for (MatchReport& part : unnoted.parts) {
      part.complete = &part == &unnoted.parts.back();
      part.is_followed = !part.complete;
      notes_.push_back({unnoted.last_sequence, std::move(part)});
    }
  }
}

void Sequencer::append_notes() {
  for (const auto& [sequence, report] : notes_) {
    const MatchNoteWriter::End end = report.complete      ? MatchNoteWriter::End::kComplete
                                     : report.is_followed ? MatchNoteWriter::End::kPartial
                                                          : MatchNoteWriter::End::kAlone;
    for (const std::string& note : report.matches.finish(end)) {
      context_.log.append_note(sequence, report.at, note);
    }
  }
}

void Sequencer::on_notes_written() {
  for (const Note& note : std::exchange(notes_, {})) {
    if (note.report.complete) noted_batch_ = std::max(noted_batch_, note.report.batch);
  }
  while (!waiting_.empty() && waiting_.begin()->first <= noted_batch_) {
    const Done then = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    then({});
  }
}

void Sequencer::refuse_waiting(const base::Error& reason) {
  for (const auto& [batch, then] : std::exchange(waiting_, {})) then(reason);
}

void Sequencer::keep_time() {
  const Clock::time_point here = Clock::now();
  if (stopping_ && !abandoned_ && here >= abandon_at_) {
    abandoned_ = true;
    for (const std::shared_ptr<Shard>& shard : shards_) shard->abandon();
  }
  tick_shards();
  if (here >= flush_at_ && (!notes_.empty() || trouble())) {
    static_cast<void>(commit());  // a failure is in trouble(), and tried again
  }
  if (here >= retain_at_) {
    retain_at_ = here + nanoseconds(context_.options.retention_interval);
    begin_retention();
  }
  const bool many =
      last_sequence_ - checkpointed_sequence_ >= context_.options.checkpoint_event_count;
  if (here >= checkpoint_at_ || many) {
    checkpoint_at_ = here + nanoseconds(context_.options.checkpoint_interval);
    if (!checkpoint_ && last_sequence_ != checkpointed_sequence_) begin_checkpoint();
  }
  const auto earliest = pacer_.earliest();
  if (!checkpoint_wanted_.empty() && earliest && here >= *earliest) begin_checkpoint();
}

// Each shard gets its tick between the batches, so that no event with an earlier instant follows.
void Sequencer::tick_shards() {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const ShardWakes wakes = shards_[i]->next_wakes();
    const bool due = is_due(wakes);
    if (due && wakes == posted_wakes_[i]) continue;
    posted_wakes_[i] = due ? wakes : ShardWakes();  // a wall clock that was set back tells it again
    if (!due) continue;
    shards_[i]->post([shard = shards_[i].get(), at = context_.time.now()] { shard->tick(at); });
  }
}

bool Sequencer::is_due(const ShardWakes& wakes) {
  return (wakes.timer && *wakes.timer <= context_.time.now()) ||
         (wakes.expiry && *wakes.expiry <= context_.time.wall());
}

// Deliveries expire before their events are removed, so that no loss goes uncounted. If shards have
// not answered by the next round, because the disk is in trouble perhaps, room comes first: what is
// lost then is counted at the next start.
void Sequencer::begin_retention() {
  if (keep_from_) finish_retention();
  const base::Instant now = context_.time.age_now();
  const RetentionBounds bounds{.keep_from = context_.log.retention_bound(now, 1),
                               .soon_from = context_.log.retention_bound(now, kSoonShare)};
  const std::uint64_t first = context_.log.first_sequence();
  const std::uint64_t round = ++retention_round_;
  if (bounds.keep_from > first) {
    keep_from_ = bounds.keep_from;
    retention_answers_ = 0;
  }
  if (bounds.soon_from <= first) return;
  for (const std::shared_ptr<Shard>& shard : shards_) {
    const auto answer = [this, round](const base::Result<void>& written) {
      if (!written) return;
      queue_.push([this, round] {
        if (round != retention_round_ || !keep_from_) return;
        if (++retention_answers_ == shards_.size()) finish_retention();
      });
    };
    shard->post([shard = shard.get(), bounds, answer] { shard->expire(bounds, answer); });
  }
}

void Sequencer::finish_retention() {
  const auto removed = context_.log.remove_before(*std::exchange(keep_from_, std::nullopt));
  if (!removed) set_trouble(removed.error());
  context_.shares.retire_before(context_.log.first_sequence());
}

void Sequencer::begin_checkpoint() {
  pacer_.begin(Clock::now());
  checkpoint_ = Checkpoint{.batch = last_batch_, .sequence = last_sequence_, .changes = {}};
  checkpoint_parts_ = 0;
  checkpoint_done_ = std::exchange(checkpoint_wanted_, {});
  checkpointed_sequence_ = last_sequence_;
  for (const std::shared_ptr<Shard>& shard : shards_) {
    shard->post([shard = shard.get()] { shard->checkpoint(); });
  }
}

void Sequencer::take_checkpoint_part(Checkpoint part) {
  checkpoint_->is_abandoned |= part.is_abandoned;
  checkpoint_->stopped = std::max(checkpoint_->stopped, part.stopped);
  for (store::RegistryChange& change : part.changes) {
    checkpoint_->changes.push_back(std::move(change));
  }
  if (++checkpoint_parts_ < shards_.size()) return;
  checkpoint_at_ =
      std::max(checkpoint_at_, Clock::now() + CheckpointPacer::schedule_rest(checkpoint_->stopped));
  if (checkpoint_->is_abandoned) return drop_checkpoint(stopping_error());
  checkpoint_->changes.emplace_back(store::CheckpointMark{checkpoint_->sequence});
  checkpoint_->changes.emplace_back(
      store::SharedState{std::string(kLogSharesName), context_.shares.save()});
  checkpoint_->changes.emplace_back(stored_time(context_.time.now()));
  auto whole = std::make_shared<Checkpoint>(std::move(*checkpoint_));
  checkpoint_.reset();
  const auto write = [this, whole,
                      done = std::exchange(checkpoint_done_, {})](const base::Result<void>& noted) {
    if (noted) return write_checkpoint(std::move(*whole), done);
    on_checkpoint_written(noted, shards_, done);
  };
  if (are_noted(whole->batch)) {
    write({});
  } else {
    waiting_.emplace(whole->batch, write);
  }
}

// Events were left to the next start: states of different ages are of no use to it.
void Sequencer::drop_checkpoint(const base::Error& reason) {
  checkpoint_.reset();
  for (const Done& done : std::exchange(checkpoint_done_, {})) done(reason);
  for (const Done& done : std::exchange(checkpoint_wanted_, {})) done(reason);
}

void Sequencer::write_checkpoint(Checkpoint checkpoint, const std::vector<Done>& waiting) {
  ++context_.counters.checkpoints;
  context_.clerk.write(std::move(checkpoint.changes),
                       [this, shards = shards_, waiting](const base::Result<void>& written) {
                         on_checkpoint_written(written, shards, waiting);
                       });
}

// From any thread.
void Sequencer::on_checkpoint_written(const base::Result<void>& written,
                                      const std::vector<std::shared_ptr<Shard>>& shards,
                                      const std::vector<Done>& waiting) {
  queue_.push([this] { pacer_.end(Clock::now()); });
  for (const Done& done : waiting) done(written);
  if (written) return;
  for (const std::shared_ptr<Shard>& shard : shards) {
    shard->post([shard = shard.get()] { shard->forget_saved(); });
  }
}

}  // namespace weir::broker
