// SPDX-License-Identifier: Apache-2.0
#include "broker/sequencer.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <chrono>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "broker/room_probe.h"

namespace weir::broker {
namespace {

constexpr std::chrono::milliseconds kFlushInterval(500);  // of notes nobody waits for, of repairs
constexpr std::chrono::nanoseconds kLookMax = std::chrono::seconds(1);
constexpr base::Instant kNever{std::numeric_limits<std::int64_t>::max()};
// How much matching may wait in the shards. They must not run out of it while a commit takes place.
// Large batches cost less, so that an owner who is alone may have more of it; one who comes then
// waits for as long.
constexpr std::chrono::nanoseconds kAheadMin = std::chrono::milliseconds(10);
constexpr std::chrono::nanoseconds kAheadAlone = std::chrono::milliseconds(50);
constexpr int kAheadPerCommit = 2;
constexpr std::chrono::nanoseconds kAheadMax = std::chrono::milliseconds(50);

}  // namespace

// What is written in one commit.
struct Sequencer::Group {
  std::vector<LoggedEvent> events;
  std::vector<std::uint64_t> sequences;
  std::vector<IngestWindow::Key> keys;
  std::vector<base::MemoryCharge> memory;
  std::vector<LogShares::Part> shares;  // by piece of a request
  std::vector<OwnedEvents> owners;      // of the events, in their order
  PublishQueue::Times match_times = {};
  boost::unordered_flat_set<IngestWindow::Key, IngestWindow::KeyHash> seen;
};

Sequencer::Sequencer(Context context)
    : context_(context),
      window_({.within = context.options.dedup_window.value_or(base::Duration{}),
               .key_count_max = context.options.dedup_key_count_max,
               .secret = IngestWindow::random_secret(),
               .seed = context.options.engine.hash_seed,
               .false_positives_max = context.options.dedup_false_positives}) {}

Sequencer::~Sequencer() { stop(); }

void Sequencer::remember(const event::Event& event, base::Instant at) {
  const IngestWindow::Key key = window_.key_of(event);
  if (!window_.contains(key, at)) window_.insert(key, at);
}

void Sequencer::add_note(MatchReport report) {
  notes_.push_back({context_.log.next_sequence() - 1, std::move(report)});
}

void Sequencer::start(std::vector<std::shared_ptr<Shard>> shards) {
  shards_ = std::move(shards);
  posted_wakes_.resize(shards_.size());
  last_sequence_ = context_.log.next_sequence() - 1;
  checkpointed_sequence_ = last_sequence_;
  const Clock::time_point here = Clock::now();
  checkpoint_at_ = here + nanoseconds(context_.options.checkpoint_interval);
  retain_at_ = here;
  static_cast<void>(check_room());  // a failure is in trouble(), and tried again
  thread_ = std::jthread([this] { run(); });
}

void Sequencer::stop() {
  if (!thread_.joinable()) return;
  queue_.push([this] {
    stopping_ = true;
    abandon_at_ = Clock::now() + nanoseconds(context_.options.stop_grace);
  });
  thread_.join();
  queue_.close();
}

void Sequencer::publish(PublishRequest request) {
  auto shared = std::make_shared<PublishRequest>(std::move(request));
  queue_.push([this, shared] { requests_.push(std::move(*shared)); });
}

void Sequencer::on_report(MatchReport report) {
  auto shared = std::make_shared<MatchReport>(std::move(report));
  queue_.push([this, shared] { take_report(std::move(*shared)); });
}

void Sequencer::on_checkpoint(Checkpoint part) {
  auto shared = std::make_shared<Checkpoint>(std::move(part));
  queue_.push([this, shared] { take_checkpoint_part(std::move(*shared)); });
}

void Sequencer::after_notes(std::uint64_t batch, Done then) {
  queue_.push([this, batch, then = std::move(then)] {
    if (are_noted(batch)) return then({});
    waiting_.emplace(batch, then);
  });
}

void Sequencer::checkpoint_now(Done done) {
  queue_.push([this, done = std::move(done)] { checkpoint_wanted_.push_back(done); });
}

void Sequencer::on_wake_changed() {
  queue_.push([] {});  // the loop looks at the time anew
}

std::optional<base::Error> Sequencer::trouble() const {
  const std::scoped_lock lock(trouble_mutex_);
  return trouble_;
}

void Sequencer::set_trouble(std::optional<base::Error> trouble) {
  const std::scoped_lock lock(trouble_mutex_);
  trouble_ = std::move(trouble);
}

void Sequencer::run() {
  while (!is_finished()) {
    for (const std::function<void()>& task : queue_.pop_all(next_look())) task();
    finish_notes();
    write_group();
    keep_time();
  }
  refuse_waiting(stopping_error());
  drop_checkpoint(stopping_error());
}

// After stop(): everything is written, the last checkpoint too, or cannot be, or not in time.
bool Sequencer::is_finished() {
  if (!stopping_ || !requests_.empty() || checkpoint_) return false;
  if (last_checkpoint_) return waiting_.empty() || abandoned_ || trouble();
  last_checkpoint_ = true;
  begin_checkpoint();
  return false;
}

// When there is something to do even if nobody asks for anything.
Sequencer::Clock::time_point Sequencer::next_look() const {
  const Clock::time_point here = Clock::now();
  // What was taken last may have had no new event, so that no report on it comes.
  if (requests_.can_take(room_in_shards())) return here;
  Clock::time_point look = std::min({checkpoint_at_, retain_at_, here + kLookMax});
  if (!notes_.empty() || trouble()) look = std::min(look, flush_at_);
  if (!checkpoint_wanted_.empty()) look = std::min(look, pacer_.earliest().value_or(look));
  if (stopping_ && !abandoned_) look = std::min(look, abandon_at_);
  const base::Instant now = context_.time.now();
  const base::Instant wall = context_.time.wall();
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const ShardWakes wakes = shards_[i]->next_wakes();
    if (wakes == posted_wakes_[i]) continue;
    for (const base::Duration wait :
         {wakes.timer.value_or(kNever) - now, wakes.expiry.value_or(kNever) - wall}) {
      look = std::min(look, here + std::min(nanoseconds(wait), kLookMax));
    }
  }
  return look;
}

void Sequencer::write_group() {
  // While the disk is in trouble, notes are tried from time to time only.
  const bool notes_wanted = !notes_.empty() && (stopping_ || (!waiting_.empty() && !trouble()));
  PublishQueue::Taken taken = take_requests();
  if (taken.pieces.empty() && !notes_wanted) return;
  if (const auto room = check_room(); !room) return refuse(taken, room.error());
  Group group;
  const base::Instant at = context_.time.now();
  for (const PublishQueue::Piece& piece : taken.pieces) admit(piece, at, group);
  const base::Result<void> written = commit();
  if (written && !group.events.empty()) {
    group.match_times = std::move(taken.times);
    pass_on(group);
  } else {
    requests_.on_matched(taken.times);
  }
  answer(taken.pieces, written);
}

// Publishing may not run away from matching: requests that shards have no room for wait, up to
// their own limit. The report on a batch that is matched wakes the thread.
PublishQueue::Taken Sequencer::take_requests() {
  return stopping_ ? requests_.take_all() : requests_.take(room_in_shards(), costs_, Clock::now());
}

PublishQueue::Room Sequencer::room_in_shards() const {
  const auto is_behind = [this](const std::shared_ptr<Shard>& shard) {
    return shard->queued_event_count() > context_.options.shard_queue_event_count_max;
  };
  if (std::ranges::any_of(shards_, is_behind)) return {};
  const std::size_t bytes_max = context_.options.shard_queue_bytes_max;
  const std::size_t bytes = context_.memory.total(MemoryPart::kQueue).bytes();
  const auto ahead_min = requests_.has_one_owner(Clock::now()) ? kAheadAlone : kAheadMin;
  return {.time = std::clamp(kAheadPerCommit * commit_time_, ahead_min, kAheadMax) -
                  requests_.under_way(),
          .bytes = bytes_max - std::min(bytes_max, bytes)};
}

void Sequencer::admit(const PublishQueue::Piece& piece, base::Instant at, Group& group) {
  PublishRequest& request = *piece.request;
  const std::size_t event_count = group.events.size();
  std::size_t admitted_bytes = 0;
  std::uint64_t logged_bytes = 0;
  for (std::size_t i = piece.begin; i < piece.end; ++i) {
    event::EventPtr& event = request.events[i];
    if (!event) continue;
    const IngestWindow::Key key = window_.key_of(*event);
    const bool was_seen = context_.options.dedup_window && window_.contains(key, at);
    const bool is_again = context_.options.dedup_window && group.seen.contains(key);
    request.depends_on_commit |= !was_seen;
    if (was_seen || is_again) {
      request.outcomes[i] = {.status = PublishStatus::kDuplicate};
      continue;
    }
    const auto sequence = context_.log.append_event(at, event->json());
    if (!sequence) {
      request.outcomes[i] = {.status = PublishStatus::kRejected, .error = sequence.error()};
      continue;
    }
    request.outcomes[i] = {.status = PublishStatus::kAccepted, .sequence = *sequence};
    group.seen.insert(key);
    group.keys.push_back(key);
    group.sequences.push_back(*sequence);
    group.events.push_back({std::move(event), at, request.memory_bytes[i]});
    admitted_bytes += request.memory_bytes[i];
    logged_bytes += group.events.back().event->json().size();
  }
  group.memory.emplace_back(request.queue).grow(admitted_bytes);
  group.shares.push_back({request.owner, logged_bytes});
  group.owners.push_back({request.owner, group.events.size() - event_count});
}

// A broker also starts on a full disk, whose last block may still take a few bytes: publishers are
// told so from the beginning.
base::Result<void> Sequencer::check_room() {
  flush_at_ = Clock::now() + kFlushInterval;
  if (has_room_) return {};
  const base::Result<void> room = probe_room(*context_.options.files, context_.options.directory);
  has_room_ = room.has_value();
  if (!room) on_write_failed(room.error());
  return room;
}

// Events and notes together.
base::Result<void> Sequencer::commit() {
  if (auto room = check_room(); !room) return room;
  const Clock::time_point begin = Clock::now();
  append_notes();
  const base::Result<void> written = context_.log.commit();
  commit_time_ = Clock::now() - begin;
  flush_at_ = begin + commit_time_ + kFlushInterval;
  ++context_.counters.commits;
  context_.counters.commit_nanoseconds += static_cast<std::uint64_t>(commit_time_.count());
  if (written) {
    on_written();
  } else {
    on_write_failed(written.error());
  }
  return written;
}

// Cursors that could not be written while there was trouble are handed in again.
void Sequencer::on_written() {
  const bool had_trouble = trouble().has_value();
  set_trouble(std::nullopt);
  on_notes_written();
  if (!had_trouble) return;
  for (const std::shared_ptr<Shard>& shard : shards_) {
    shard->post([shard = shard.get()] { shard->write_cursors(); });
  }
}

// Whoever waits for notes is told at once: nobody knows how long it takes.
void Sequencer::on_write_failed(const base::Error& reason) {
  ++context_.counters.commit_failures;
  set_trouble(reason);
  refuse_waiting(reason);
}

void Sequencer::pass_on(Group& group) {
  const base::Instant at = group.events.front().at;
  for (std::size_t i = 0; i < group.events.size(); ++i) {
    event::assign_sequence(group.events[i].event, group.sequences[i]);
    if (context_.options.dedup_window) window_.insert(group.keys[i], at);
  }
  context_.counters.dedup_keys = window_.size();
  context_.counters.dedup_bytes = window_.memory_bytes();
  context_.counters.dedup_forgotten = window_.forgotten_count();
  last_sequence_ = group.sequences.back();
  context_.shares.add(group.shares, last_sequence_);
  auto batch = std::make_shared<Batch>();
  batch->id = ++last_batch_;
  batch->last_sequence = last_sequence_;
  batch->events = std::move(group.events);
  batch->owners = std::move(group.owners);
  unnoted_.emplace(batch->id, Unnoted{.last_sequence = last_sequence_,
                                      .at = at,
                                      .memory = std::move(group.memory),
                                      .match_times = std::move(group.match_times)});
  for (const std::shared_ptr<Shard>& shard : shards_) shard->post_batch(batch);
}

void Sequencer::refuse(const PublishQueue::Taken& taken, const base::Error& reason) {
  requests_.on_matched(taken.times);
  for (const PublishQueue::Piece& piece : taken.pieces) piece.request->depends_on_commit = true;
  answer(taken.pieces, reason);
}

void Sequencer::answer(const std::vector<PublishQueue::Piece>& pieces,
                       const base::Result<void>& written) {
  for (const PublishQueue::Piece& piece : pieces) {
    PublishRequest& request = *piece.request;
    if (request.is_answered) continue;
    const bool failed = !written && request.depends_on_commit;
    if (!failed && !piece.is_last()) continue;
    request.is_answered = true;
    request.waiting = {};  // before the publisher sends more
    if (failed) {
      fail(piece, written.error());
    } else {
      count_outcomes(request.outcomes);
      request.done(std::move(request.outcomes));
    }
  }
}

// If earlier pieces of the request are written, these events are accepted, and the others are
// rejected for now.
void Sequencer::fail(const PublishQueue::Piece& piece, const base::Error& error) {
  PublishRequest& request = *piece.request;
  if (!piece.is_last()) requests_.drop(request);
  if (piece.is_first()) {
    context_.counters.unavailable += request.outcomes.size();
    return request.done(error);
  }
  const auto outcomes = std::span(request.outcomes);
  count_outcomes(outcomes.first(piece.begin));
  const auto failed = outcomes.subspan(piece.begin);
  context_.counters.unavailable += failed.size();
  std::ranges::fill(failed, PublishOutcome{.status = PublishStatus::kRejected, .error = error});
  request.done(std::move(request.outcomes));
}

void Sequencer::count_outcomes(std::span<const PublishOutcome> outcomes) {
  for (const PublishOutcome& outcome : outcomes) {
    ++(outcome.status == PublishStatus::kAccepted    ? context_.counters.accepted
       : outcome.status == PublishStatus::kDuplicate ? context_.counters.duplicates
                                                     : context_.counters.rejected);
  }
}

}  // namespace weir::broker
