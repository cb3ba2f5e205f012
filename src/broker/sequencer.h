// SPDX-License-Identifier: Apache-2.0
// Sequencer: gives every event its place. One thread takes what publishers hand in, drops
// duplicates, writes the rest to the log in one commit, answers, and passes the batch on.
//
//   requests --> [duplicates?] --> log.append, log.commit --> answers, batch to every shard
//   reports of the shards -------> notes, written with the next commit
//
// Events are matched only once they are on disk, so that no filter's state knows an event that was
// not accepted. While a commit runs, requests gather for the next one. They are written in turns by
// owner, as many at a time as are matched soon (publish_queue.h): so no owner waits long for the
// events of another.
//
// It also keeps time: ticks, checkpoints and retention come from here, so that their order among
// the batches is the same for every shard. Once the notes on a batch are on disk, and those on the
// time that passed after it, what depends on them may be written (acknowledgements, checkpoints):
// after_notes().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/memory_account.h"
#include "broker/broker.h"
#include "broker/broker_time.h"
#include "broker/checkpoint_pacer.h"
#include "broker/clerk.h"
#include "broker/counters.h"
#include "broker/ingest_window.h"
#include "broker/log_shares.h"
#include "broker/match_costs.h"
#include "broker/memory_budget.h"
#include "broker/publish_queue.h"
#include "broker/shard.h"
#include "broker/task_queue.h"
#include "store/event_log.h"

namespace weir::broker {

class Sequencer final : public ShardHost {
 public:
  struct Context {
    const BrokerOptions& options;
    store::EventLog& log;
    Counters& counters;
    Clerk& clerk;
    const MemoryBudget& memory;
    LogShares& shares;
    BrokerTime& time;
  };
  explicit Sequencer(Context context);
  ~Sequencer() override;
  Sequencer(const Sequencer&) = delete;
  Sequencer& operator=(const Sequencer&) = delete;

  // Before start(): an event that is in the log already, for the window of duplicates.
  void remember(const event::Event& event, base::Instant at);
  // Before start(): a note on events that are in the log already.
  void add_note(MatchReport report);
  void start(std::vector<std::shared_ptr<Shard>> shards);
  // Writes what was handed in, takes a last checkpoint, ends the thread. The shards must run. What
  // they have not matched within stop_grace is left to the next start, and there is no checkpoint.
  void stop();

  void publish(PublishRequest request);
  // Why the last commit failed; nothing if it did not.
  std::optional<base::Error> trouble() const;

  void on_report(MatchReport report) override;
  void on_checkpoint(Checkpoint part) override;
  void after_notes(std::uint64_t batch, Done then) override;
  void on_wake_changed() override;
  void checkpoint_now(Done done) override;

 private:
  using Clock = std::chrono::steady_clock;
  static std::chrono::nanoseconds nanoseconds(base::Duration duration) {
    return std::chrono::nanoseconds(duration.nanoseconds);
  }

  // A batch whose notes are not written yet.
  struct Unnoted {
    std::uint64_t last_sequence = 0;
    base::Instant at;
    std::size_t complete_count = 0;               // shards that are done with it
    std::vector<MatchReport> parts = {};          // by instant, ascending
    std::vector<base::MemoryCharge> memory = {};  // of its events, by request
    PublishQueue::Times match_times = {};
  };
  struct Note {
    std::uint64_t sequence = 0;
    MatchReport report;
  };
  struct Group;

  void run();
  bool is_finished();
  Clock::time_point next_look() const;

  // Events.
  void write_group();
  void admit(const PublishQueue::Piece& piece, base::Instant now, Group& group);
  base::Result<void> check_room();
  base::Result<void> commit();
  void on_written();
  void on_write_failed(const base::Error& reason);
  void pass_on(Group& group);
  void answer(const std::vector<PublishQueue::Piece>& pieces, const base::Result<void>& written);
  void refuse(const PublishQueue::Taken& taken, const base::Error& reason);
  void fail(const PublishQueue::Piece& piece, const base::Error& error);
  void count_outcomes(std::span<const PublishOutcome> outcomes);
  PublishQueue::Taken take_requests();
  PublishQueue::Room room_in_shards() const;

  // Notes.
  bool are_noted(std::uint64_t batch) const { return batch <= noted_batch_ && notes_.empty(); }
  void take_report(MatchReport report);
  void finish_notes();
  void append_notes();
  void on_notes_written();
  void refuse_waiting(const base::Error& reason);

  // Time.
  void keep_time();
  bool is_due(const ShardWakes& wakes);
  void tick_shards();
  void begin_retention();
  void finish_retention();
  void begin_checkpoint();
  void take_checkpoint_part(Checkpoint part);
  void drop_checkpoint(const base::Error& reason);
  void write_checkpoint(Checkpoint checkpoint, const std::vector<Done>& waiting);
  void on_checkpoint_written(const base::Result<void>& written,
                             const std::vector<std::shared_ptr<Shard>>& shards,
                             const std::vector<Done>& waiting);
  void set_trouble(std::optional<base::Error> trouble);

  Context context_;
  IngestWindow window_;
  std::vector<std::shared_ptr<Shard>> shards_;
  TaskQueue<std::function<void()>> queue_;

  PublishQueue requests_;
  MatchCosts costs_;
  std::chrono::nanoseconds commit_time_{0};     // of the last commit
  std::map<std::uint64_t, Unnoted> unnoted_;    // by batch
  std::vector<Note> notes_;                     // to be written
  std::vector<ShardWakes> posted_wakes_;        // of each shard's last tick
  std::uint64_t noted_batch_ = 0;               // notes up to this batch are on disk
  std::multimap<std::uint64_t, Done> waiting_;  // by batch
  std::uint64_t last_batch_ = 0;
  std::uint64_t last_sequence_ = 0;

  std::optional<Checkpoint> checkpoint_;  // being collected
  std::size_t checkpoint_parts_ = 0;
  std::vector<Done> checkpoint_done_;    // told of the one that is being collected
  std::vector<Done> checkpoint_wanted_;  // told of the next one
  CheckpointPacer pacer_;
  std::uint64_t checkpointed_sequence_ = 0;
  Clock::time_point checkpoint_at_;
  Clock::time_point retain_at_;
  std::optional<std::uint64_t> keep_from_;  // retention waits for shards to settle what is before
  std::uint64_t retention_round_ = 0;
  std::size_t retention_answers_ = 0;
  Clock::time_point flush_at_;
  bool has_room_ = false;  // the disk was seen to take bytes
  bool stopping_ = false;
  bool abandoned_ = false;  // shards were told not to go on
  Clock::time_point abandon_at_;
  bool last_checkpoint_ = false;

  mutable std::mutex trouble_mutex_;
  std::optional<base::Error> trouble_;
  std::jthread thread_;
};

}  // namespace weir::broker
