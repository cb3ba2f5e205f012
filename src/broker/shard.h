// SPDX-License-Identifier: Apache-2.0
// Shard: some of the subscriptions, their engine and their outboxes, on one thread.
//
// Shards share nothing but the events. Batches, ticks and all requests about a subscription come
// through one queue, so that each subscription sees one order of things:
//
//   queue: [batch][put][batch][credit][acknowledge][tick]...   engine -> outbox -> consumer
//
// What a consumer may take is bounded by the credit it gives; a consumer that gives none costs its
// outbox only. Reading old events from the log is done in short steps between other work.
//
// Threads: post(), post_batch(), stop() from any; everything else on the shard's own thread, or
// before start().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/broker_options.h"
#include "broker/clerk.h"
#include "broker/counters.h"
#include "broker/delivery.h"
#include "broker/grants.h"
#include "broker/match_note.h"
#include "broker/outbox.h"
#include "broker/recent_events.h"
#include "broker/task_queue.h"
#include "engine/engine.h"
#include "store/event_log.h"

namespace weir::broker {

struct LoggedEvent {
  event::EventPtr event;
  base::Instant at;
};

// Events that were written together.
struct Batch {
  std::uint64_t id = 0;  // ascending
  std::uint64_t last_sequence = 0;
  std::vector<LoggedEvent> events;
};
using BatchPtr = std::shared_ptr<const Batch>;

// Some of the deliveries that a shard made of a batch, or of the time that passed after it.
struct MatchReport {
  std::uint64_t batch = 0;
  base::Instant at;       // everything that was due by then is in it or in one before
  bool complete = false;  // the last one of the batch itself
  MatchNoteWriter matches;
};

// The state of all shards as of one event.
struct Checkpoint {
  std::uint64_t batch = 0;
  std::uint64_t sequence = 0;
  std::vector<store::RegistryChange> changes;
};

// Whom a shard works for. Any thread.
class ShardHost {
 public:
  virtual ~ShardHost() = default;
  virtual void on_report(MatchReport report) = 0;
  // A shard's part of the checkpoint that was asked for.
  virtual void on_checkpoint(Checkpoint part) = 0;
  // Calls `then`, from some thread, once the notes on this batch and on all that was reported
  // before are in the log.
  virtual void after_notes(std::uint64_t batch, std::function<void()> then) = 0;
  // A shard has to be woken at another time than before.
  virtual void on_wake_changed() = 0;
  // Takes a checkpoint of what is there now, and calls `done`, from some thread, when it is
  // written.
  virtual void checkpoint_now(Done done) = 0;
};

// What a shard is given of a subscription.
struct ShardSubscription {
  std::uint64_t number = 0;  // unique among durable and ephemeral ones
  bool durable = true;
  DefinitionPtr definition;
  PrincipalPtr principal;  // the owner
  std::shared_ptr<SubscriptionGauges> gauges;
  std::shared_ptr<const void> place;  // in the owner's quota
};

// A subscription as it stood before a restart.
struct RestoredSubscription {
  ShardSubscription subscription;
  Outbox outbox;
  std::string state;
  base::Instant noted_until;  // what was held back and due by then is in the outbox
};

class ShardSession;

class Shard : public std::enable_shared_from_this<Shard> {
 public:
  struct Context {
    const BrokerOptions& options;
    const store::EventLog& log;
    Counters& counters;
    ShardHost& host;
    Clerk& clerk;
    std::size_t index = 0;
  };
  explicit Shard(Context context);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  void start();
  // Does what was posted, ends all sessions, ends the thread.
  void stop();
  void post(std::function<void()> task);
  void post_batch(BatchPtr batch);
  // Events posted and not matched yet.
  std::uint64_t queued_event_count() const { return queued_event_count_; }
  // When tick() has something to do; nothing: never.
  std::optional<base::Instant> next_wake() const;

  // Recovery, before the thread starts. Events are replayed with their deliveries kept or not;
  // then what is due by now, which may have been sent before, is too. finish_replay gives what was
  // kept.
  std::vector<base::Result<void>> restore(std::vector<RestoredSubscription> all);
  base::Result<void> restore_text(std::string_view state) { return engine_.restore_text(state); }
  void replay(const LoggedEvent& event, bool keep_deliveries);
  std::vector<MatchReport> finish_replay(std::uint64_t last_sequence, base::Instant now);

  // Subscriptions. The number of the event from which on it is in force goes into the row.
  struct Added {
    std::uint64_t since_sequence;
    std::string state;  // of its filter, if it was told of anything already
  };
  base::Result<Added> add(const ShardSubscription& subscription);
  // Puts another definition in place; the sequence as for add(), nothing if the filter goes on
  // where the one before was.
  base::Result<std::optional<std::uint64_t>> replace(std::uint64_t number,
                                                     DefinitionPtr definition);
  void remove(std::uint64_t number, const base::Error& reason);
  // A token is worth nothing any more: its sessions end, nothing is delivered in its name, and its
  // outboxes stop nobody. Who was let in with it just before gets nothing either.
  void forbid(const std::string& name);
  // The event's keys are new again for the subscription; answers when that is durable.
  void forget(std::uint64_t number, const event::EventPtr& event, ForgetDone done);
  // What would become of the event for the subscription now. Changes nothing.
  base::Result<engine::EventExplanation> explain(std::uint64_t number,
                                                 const event::EventPtr& event);

  // Sessions.
  void attach(const std::shared_ptr<ShardSession>& session,
              std::optional<std::uint64_t> acknowledged);
  void detach(ShardSession& session);
  void add_credit(ShardSession& session, std::uint64_t count);
  void acknowledge(ShardSession& session, std::uint64_t number);
  void bury(ShardSession& session, std::uint64_t number, std::string reason);
  void acknowledge(std::uint64_t subscription, std::uint64_t number, Done done);

  void tick(base::Instant now);
  void checkpoint();
  // The next one saves everything, because the last one was not written.
  void forget_saved();
  // Hands in all that was acknowledged, without waiting for what is being written.
  void write_cursors();

 private:
  struct Held;
  using Subscriptions = std::map<std::uint64_t, std::unique_ptr<Held>>;

  void run();
  void take(const Batch& batch);
  void replay_time(std::uint64_t matched_at, base::Instant through);
  void collect(std::span<const engine::Delivery> deliveries, std::uint64_t matched_at,
               MatchNoteWriter& matches);
  void push(Held& held, const engine::Delivery& delivery, std::uint64_t matched_at,
            MatchNoteWriter& matches);
  std::shared_ptr<const engine::Gate> gate_of(const PrincipalPtr& principal);
  engine::EngineOptions engine_options() const;
  void tell(Held& held, const std::vector<event::EventPtr>& events);
  engine::SubscribeOptions subscribe_options(const Held& held, std::string_view state);
  base::Result<void> engage(Held& held, std::string_view state);
  void disengage(Held& held);
  bool takes_over(const Held& held, const filter::Filter& before);
  std::unique_ptr<Held> hold(const ShardSubscription& subscription, Outbox outbox);
  Held& enter(std::unique_ptr<Held> made);
  Held* find(std::uint64_t number);
  // Only one whose filter is in force.
  base::Result<Held*> find_in_force(std::uint64_t number);
  void silence(Held& held, const base::Error& reason);
  void silence_expired(base::Instant now);
  base::Result<void> check_not_forbidden(const Principal& principal) const;
  void watch(const Principal& principal, std::uint64_t number);
  void unwatch(const Principal& principal, std::uint64_t number);
  void touch(Held& held);
  void pump_touched();
  void pump(Held& held);
  // The texts of the deliveries, as far as they fit one dispatch; those that are gone, or that the
  // reader may not see, left out.
  base::Result<std::vector<Dispatch>> load(const std::vector<OutboxEntry>& entries,
                                           const Grants& reader, std::uint64_t& through_number);
  enum class Loaded : std::uint8_t { kWhole, kGone, kHidden };
  base::Result<Loaded> load_one(const OutboxEntry& entry, const Grants& reader, Dispatch& dispatch);
  std::shared_ptr<ShardSession> close_session(Held& held);
  void end_session(Held& held, const base::Error& reason);
  bool release(Held& held, std::uint64_t number);
  void write_cursor(Held& held);
  void hand_in_cursor(Held& held);
  void on_cursor_written(const store::CursorRow& row, std::vector<store::DeadLetterRow> letters,
                         const base::Result<void>& written);
  store::CursorRow cursor_of(const Held& held) const;
  void update_gauges(Held& held);
  void update_window_gauges(Held& held);
  void forget_window_gauges(Held& held);
  event::EventPtr find_event(std::uint64_t sequence) const;
  void mark_stale(Held& held);
  void update_stale_gauges();
  void update_match_gauges();
  void update_size_gauges();
  void update_memory_gauges();
  void update_wake();

  Context context_;
  engine::Engine engine_;
  match::MatchCounters match_seen_ = {};  // as others see them
  match::MatchSizes sizes_seen_ = {};
  engine::ChangeCounters change_seen_ = {};
  match::text::TextCounters text_seen_ = {};
  engine::EngineMemory memory_seen_ = {};
  RecentEvents recent_;
  Subscriptions subscriptions_;
  std::vector<Held*> slots_;  // by the tag that the engine hands back; null: free
  std::vector<std::size_t> free_slots_;
  std::set<std::string, std::less<>> forbidden_;  // names of tokens, which are never given again
  // When tokens of owners and of consumers expire, and of which subscription.
  std::multiset<std::pair<base::Instant, std::uint64_t>> expiries_;
  std::map<const Principal*, std::weak_ptr<const engine::Gate>> gates_;  // each keeps its principal
  std::vector<Held*> touched_;            // with something new to send
  std::vector<Held*> stale_;              // whose gauges are behind
  std::vector<std::uint64_t> sequences_;  // of the delivery at hand
  std::uint64_t round_count_ = 0;
  std::uint64_t last_batch_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::vector<MatchReport> replayed_;
  std::atomic<std::uint64_t> queued_event_count_{0};
  std::atomic<std::int64_t> next_wake_;
  bool stopping_ = false;
  TaskQueue<std::function<void()>> queue_;
  std::jthread thread_;
};

// A consumer's hold on a subscription of a shard, in the name of a principal. However often it says
// something while the shard is busy, only one task waits there: credit adds up, and of
// acknowledgements the highest counts.
class ShardSession final : public Session, public std::enable_shared_from_this<ShardSession> {
 public:
  ShardSession(std::shared_ptr<Shard> shard, std::uint64_t number, PrincipalPtr reader,
               std::shared_ptr<Consumer> receiver)
      : subscription(number),
        principal(std::move(reader)),
        consumer(std::move(receiver)),
        shard_(std::move(shard)) {}

  void add_credit(std::uint64_t delivery_count) override;
  void acknowledge(std::uint64_t number) override;
  void bury(std::uint64_t number, std::string reason) override;
  void close() override;

  const std::uint64_t subscription;
  const PrincipalPtr principal;
  const std::shared_ptr<Consumer> consumer;
  // On the shard's thread.
  std::uint64_t credit = 0;
  bool open = false;

 private:
  // What was said and not heard yet.
  struct Said {
    std::uint64_t credit = 0;
    std::uint64_t acknowledged = 0;  // 0: nothing
  };

  void say(const Said& more);
  void hear();

  std::shared_ptr<Shard> shard_;
  std::mutex mutex_;  // for what follows
  Said said_;
  bool is_posted_ = false;
};

}  // namespace weir::broker
