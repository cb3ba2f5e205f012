// SPDX-License-Identifier: Apache-2.0
// The sequencer's notes and its time: what follows from events that are on disk.
#include <algorithm>
#include <chrono>
#include <utility>

#include "broker/sequencer.h"

namespace weir::broker {
namespace {

constexpr std::size_t kNoteBytesMax = std::size_t{1} << 20U;

}  // namespace

void Sequencer::take_report(MatchReport report) {
  const auto found = unnoted_.find(report.batch);
  if (found == unnoted_.end()) {  // time has passed after a batch that is noted already
    notes_.push_back({last_sequence_, std::move(report)});
    return;
  }
  Unnoted& unnoted = found->second;
  if (report.complete) ++unnoted.complete_count;
  if (report.matches.empty()) return;
  const auto fits = [&](const MatchReport& part) {
    return part.at == report.at &&
           part.matches.size_bytes() + report.matches.size_bytes() <= kNoteBytesMax;
  };
  if (!unnoted.parts.empty() && fits(unnoted.parts.back())) {
    unnoted.parts.back().matches.add(report.matches);
  } else {
    unnoted.parts.push_back(std::move(report));
  }
}

// Batches that all shards are done with, in order: the last note on a batch says that it is.
void Sequencer::finish_notes() {
  while (!unnoted_.empty() && unnoted_.begin()->second.complete_count == shards_.size()) {
    const std::uint64_t batch = unnoted_.begin()->first;
    Unnoted unnoted = std::move(unnoted_.begin()->second);
    unnoted_.erase(unnoted_.begin());
    if (unnoted.parts.empty()) {
      unnoted.parts.push_back({.batch = batch, .at = unnoted.at, .matches = {}});
    }
    for (MatchReport& part : unnoted.parts) {
      part.complete = &part == &unnoted.parts.back();
      notes_.push_back({unnoted.last_sequence, std::move(part)});
    }
  }
}

void Sequencer::append_notes() {
  for (const auto& [sequence, report] : notes_) {
    context_.log.append_note(sequence, report.at, report.matches.finish(report.complete));
  }
}

void Sequencer::on_notes_written() {
  for (const Note& note : std::exchange(notes_, {})) {
    if (note.report.complete) noted_batch_ = std::max(noted_batch_, note.report.batch);
  }
  while (!waiting_.empty() && waiting_.begin()->first <= noted_batch_) {
    const std::function<void()> then = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    then();
  }
}

void Sequencer::keep_time() {
  const Clock::time_point here = Clock::now();
  tick_shards();
  if (here >= flush_at_ && (!notes_.empty() || trouble())) {
    static_cast<void>(commit());  // a failure is in trouble(), and tried again
  }
  if (here >= retain_at_) {
    retain_at_ = here + nanoseconds(context_.options.retention_interval);
    const auto removed = context_.log.retain(now());
    if (!removed) set_trouble(removed.error());
  }
  const bool many =
      last_sequence_ - checkpointed_sequence_ >= context_.options.checkpoint_event_count;
  if (here >= checkpoint_at_ || many) {
    checkpoint_at_ = here + nanoseconds(context_.options.checkpoint_interval);
    if (!checkpoint_ && last_sequence_ != checkpointed_sequence_) begin_checkpoint();
  }
}

// Each shard gets its tick between the batches, so that no event with an earlier instant follows.
void Sequencer::tick_shards() {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const std::optional<base::Instant> wake = shards_[i]->next_wake();
    if (!wake || wake == posted_wakes_[i] || *wake > now()) continue;
    posted_wakes_[i] = wake;
    shards_[i]->post([shard = shards_[i].get(), at = now()] { shard->tick(at); });
  }
}

void Sequencer::begin_checkpoint() {
  checkpoint_ = Checkpoint{.batch = last_batch_, .sequence = last_sequence_, .changes = {}};
  checkpoint_parts_ = 0;
  checkpoint_done_ = std::exchange(checkpoint_wanted_, {});
  checkpointed_sequence_ = last_sequence_;
  for (const std::shared_ptr<Shard>& shard : shards_) {
    shard->post([shard = shard.get()] { shard->checkpoint(); });
  }
}

void Sequencer::take_checkpoint_part(Checkpoint part) {
  for (store::RegistryChange& change : part.changes) {
    checkpoint_->changes.push_back(std::move(change));
  }
  if (++checkpoint_parts_ < shards_.size()) return;
  checkpoint_->changes.emplace_back(store::CheckpointMark{checkpoint_->sequence});
  auto whole = std::make_shared<Checkpoint>(std::move(*checkpoint_));
  checkpoint_.reset();
  const auto write = [this, whole, done = std::exchange(checkpoint_done_, {})] {
    write_checkpoint(std::move(*whole), done);
  };
  if (are_noted(whole->batch)) {
    write();
  } else {
    waiting_.emplace(whole->batch, write);
  }
  if (!checkpoint_wanted_.empty()) begin_checkpoint();
}

void Sequencer::write_checkpoint(Checkpoint checkpoint, const std::vector<Done>& waiting) {
  ++context_.counters.checkpoints;
  context_.clerk.write(std::move(checkpoint.changes),
                       [shards = shards_, waiting](const base::Result<void>& written) {
                         for (const Done& done : waiting) done(written);
                         if (written) return;
                         for (const std::shared_ptr<Shard>& shard : shards) {
                           shard->post([shard = shard.get()] { shard->forget_saved(); });
                         }
                       });
}

}  // namespace weir::broker
