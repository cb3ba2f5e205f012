// SPDX-License-Identifier: Apache-2.0
#include "broker/sequencer.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <chrono>
#include <iterator>
#include <limits>
#include <utility>

namespace weir::broker {
namespace {

constexpr std::chrono::milliseconds kFlushInterval(500);  // of notes nobody waits for, of repairs
constexpr std::chrono::nanoseconds kLookMax = std::chrono::seconds(1);

}  // namespace

// What is written in one commit.
struct Sequencer::Group {
  std::vector<LoggedEvent> events;
  std::vector<std::uint64_t> sequences;
  std::vector<IngestWindow::Key> keys;
  std::vector<base::MemoryCharge> memory;
  std::vector<LogShares::Part> shares;  // by request
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
  flush_at_ = here + kFlushInterval;
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
  queue_.push([this, shared] { requests_.push_back(std::move(*shared)); });
}

void Sequencer::on_report(MatchReport report) {
  auto shared = std::make_shared<MatchReport>(std::move(report));
  queue_.push([this, shared] { take_report(std::move(*shared)); });
}

void Sequencer::on_checkpoint(Checkpoint part) {
  auto shared = std::make_shared<Checkpoint>(std::move(part));
  queue_.push([this, shared] { take_checkpoint_part(std::move(*shared)); });
}

void Sequencer::after_notes(std::uint64_t batch, std::function<void()> then) {
  queue_.push([this, batch, then = std::move(then)] {
    if (are_noted(batch)) return then();
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

base::Instant Sequencer::now() {
  last_now_ = std::max(last_now_, context_.options.now());
  return last_now_;
}

void Sequencer::run() {
  while (!is_finished()) {
    for (const std::function<void()>& task : queue_.pop_all(next_look())) task();
    finish_notes();
    write_group();
    keep_time();
  }
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
  Clock::time_point look = std::min({checkpoint_at_, retain_at_, here + kLookMax});
  if (!notes_.empty() || trouble()) look = std::min(look, flush_at_);
  if (!checkpoint_wanted_.empty()) look = std::min(look, pacer_.earliest().value_or(look));
  if (stopping_ && !abandoned_) look = std::min(look, abandon_at_);
  const base::Instant clock = context_.options.now();
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const std::optional<base::Instant> wake = shards_[i]->next_wake();
    if (!wake || wake == posted_wakes_[i]) continue;
    look = std::min(look, here + std::min(nanoseconds(*wake - clock), kLookMax));
  }
  return look;
}

void Sequencer::write_group() {
  const bool notes_wanted = !notes_.empty() && (!waiting_.empty() || stopping_);
  std::vector<PublishRequest> requests = take_requests();
  if (requests.empty() && !notes_wanted) return;
  Group group;
  const base::Instant at = now();
  for (PublishRequest& request : requests) admit(request, at, group);
  const base::Result<void> written = commit();
  if (written && !group.events.empty()) pass_on(group);
  answer(requests, written);
}

// Publishing may not run away from matching: requests that shards have no room for wait, up to
// their own limit. The report on a batch that is matched wakes the thread.
std::vector<PublishRequest> Sequencer::take_requests() {
  const std::size_t room = stopping_ ? std::numeric_limits<std::size_t>::max() : room_in_shards();
  std::size_t bytes = 0;
  auto end = requests_.begin();
  while (end != requests_.end() && bytes < room) bytes += (end++)->waiting.bytes();
  std::vector<PublishRequest> taken(std::move_iterator(requests_.begin()), std::move_iterator(end));
  requests_.erase(requests_.begin(), end);
  return taken;
}

// Bytes of events; the last request may go beyond them.
std::size_t Sequencer::room_in_shards() const {
  const auto is_behind = [this](const std::shared_ptr<Shard>& shard) {
    return shard->queued_event_count() > context_.options.shard_queue_event_count_max;
  };
  if (std::ranges::any_of(shards_, is_behind)) return 0;
  const std::size_t bytes_max = context_.options.shard_queue_bytes_max;
  return bytes_max - std::min(bytes_max, context_.memory.total(MemoryPart::kQueue).bytes());
}

void Sequencer::admit(PublishRequest& request, base::Instant at, Group& group) {
  std::size_t admitted_bytes = 0;
  std::uint64_t logged_bytes = 0;
  for (std::size_t i = 0; i < request.events.size(); ++i) {
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
}

// Events and notes together.
base::Result<void> Sequencer::commit() {
  const Clock::time_point begin = Clock::now();
  append_notes();
  const base::Result<void> written = context_.log.commit();
  flush_at_ = Clock::now() + kFlushInterval;
  ++context_.counters.commits;
  context_.counters.commit_nanoseconds +=
      static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - begin).count());
  if (written) {
    set_trouble(std::nullopt);
    on_notes_written();
  } else {
    ++context_.counters.commit_failures;
    set_trouble(written.error());
  }
  return written;
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
  unnoted_.emplace(
      batch->id,
      Unnoted{.last_sequence = last_sequence_, .at = at, .memory = std::move(group.memory)});
  for (const std::shared_ptr<Shard>& shard : shards_) shard->post_batch(batch);
}

void Sequencer::answer(std::vector<PublishRequest>& requests, const base::Result<void>& written) {
  for (PublishRequest& request : requests) {
    request.waiting = {};  // before the publisher sends more
    if (!written && request.depends_on_commit) {
      context_.counters.unavailable += request.outcomes.size();
      request.done(written.error());
      continue;
    }
    for (const PublishOutcome& outcome : request.outcomes) {
      ++(outcome.status == PublishStatus::kAccepted    ? context_.counters.accepted
         : outcome.status == PublishStatus::kDuplicate ? context_.counters.duplicates
                                                       : context_.counters.rejected);
    }
    request.done(std::move(request.outcomes));
  }
}

}  // namespace weir::broker
