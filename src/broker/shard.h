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
#include <chrono>
#include <cstdint>
#include <deque>
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
#include "broker/broker_time.h"
#include "broker/clerk.h"
#include "broker/counters.h"
#include "broker/delivery.h"
#include "broker/delivery_loader.h"
#include "broker/grants.h"
#include "broker/loss_journal.h"
#include "broker/match_costs.h"
#include "broker/match_note.h"
#include "broker/memory_budget.h"
#include "broker/outbox.h"
#include "broker/recent_events.h"
#include "broker/replay.h"
#include "broker/replay_pacer.h"
#include "broker/shared_sessions.h"
#include "broker/start.h"
#include "broker/task_queue.h"
#include "broker/text_share_holds.h"
#include "engine/engine.h"
#include "engine/text_annotator.h"
#include "store/event_log.h"

namespace weir::broker {

struct LoggedEvent {
  event::EventPtr event;
  base::Instant at;
  std::size_t memory_bytes = 0;
};

// How many events one owner has in a row.
struct OwnedEvents {
  std::string owner;
  std::size_t count = 0;
};

// Events that were written together.
struct Batch {
  std::uint64_t id = 0;  // ascending
  std::uint64_t last_sequence = 0;
  std::vector<LoggedEvent> events;
  std::vector<OwnedEvents> owners = {};  // of the events, in their order
};
using BatchPtr = std::shared_ptr<const Batch>;

// Some of the deliveries that a shard made of a batch, or of the time that passed after it.
struct MatchReport {
  std::uint64_t batch = 0;
  base::Instant at;       // everything that was due by then is in it or in one before
  bool complete = false;  // the last one of the batch itself
  MatchNoteWriter matches;
  bool is_followed = false;           // it counts only together with the next one
  std::vector<MatchCost> costs = {};  // of the batch before this one
};

// The state of all shards as of one event.
struct Checkpoint {
  std::uint64_t batch = 0;
  std::uint64_t sequence = 0;
  bool is_abandoned = false;            // events before it were not matched
  std::chrono::nanoseconds stopped{0};  // so long a shard did nothing else
  std::vector<store::RegistryChange> changes;
};

// kBrokerStopping, for whoever still waits.
base::Error stopping_error();

// Whom a shard works for. Any thread.
class ShardHost {
 public:
  virtual ~ShardHost() = default;
  virtual void on_report(MatchReport report) = 0;
  // A shard's part of the checkpoint that was asked for.
  virtual void on_checkpoint(Checkpoint part) = 0;
  // Calls `then`, from some thread, once the notes on this batch and on all that was reported
  // before are in the log, or with the reason why they cannot be written at the moment.
  virtual void after_notes(std::uint64_t batch, Done then) = 0;
  // A shard has to be woken at another time than before.
  virtual void on_wake_changed() = 0;
  // Takes a checkpoint of what is there now, and calls `done`, from some thread, when it is
  // written.
  virtual void checkpoint_now(Done done) = 0;
};

// What a shard is given of a subscription.
struct ShardSubscription {
  std::uint64_t number = 0;  // unique among durable and ephemeral ones
  std::string id;            // empty: ephemeral
  bool durable = true;
  DefinitionPtr definition;
  PrincipalPtr principal;  // the owner; null: its token is gone
  std::string owner;       // its name; empty: anonymous
  std::shared_ptr<SubscriptionGauges> gauges;
  std::shared_ptr<const void> place;  // in the owner's quota
};

// A subscription as it stood before a restart.
struct RestoredSubscription {
  ShardSubscription subscription;
  Outbox outbox;
  std::string state;
  base::Instant noted_until;  // what was held back and due by then is in the outbox
  store::SettledCounts losses_told;
  std::optional<store::ReplayRow> replay = {};
};

// Where retention is about to cut the log, by sequences.
struct RetentionBounds {
  std::uint64_t keep_from = 0;  // events before this one are removed next
  std::uint64_t soon_from = 0;  // events before this one are removed soon
};

// When a shard has something to do; nullopt: never.
struct ShardWakes {
  std::optional<base::Instant> timer = {};   // in broker time
  std::optional<base::Instant> expiry = {};  // of a token, by the wall clock

  bool operator==(const ShardWakes&) const = default;
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
    store::Registry& registry;  // to read dead letters
    LossJournal& losses;
    MemoryBudget& memory;
    BrokerTime& time;
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
  // Events that are not matched yet will not be: the next start reads them again. No checkpoint
  // comes from it any more.
  void abandon() { abandoned_ = true; }
  // Events posted and not matched yet.
  std::uint64_t queued_event_count() const { return queued_event_count_; }
  // When tick() has something to do.
  ShardWakes next_wakes() const;

  // Recovery, before the thread starts. Events are replayed with their deliveries kept or not;
  // then what is due by now, which may have been sent before, is too. finish_replay gives what was
  // kept.
  std::vector<base::Result<void>> restore(std::vector<RestoredSubscription> all);
  base::Result<void> restore_text(std::string_view state) { return engine_.restore_text(state); }
  // How many pieces of its corpora the registry has.
  void set_text_piece_count(std::size_t count) { text_piece_count_ = count; }
  void replay(const LoggedEvent& event, bool keep_deliveries);
  // Instead of it, for an event that cannot be matched: filters without state are asked by
  // definition, all others that may see it get a dead letter once the shard has started.
  void skip(const LoggedEvent& event, bool keep_deliveries);
  MatchReport finish_replay(std::uint64_t last_sequence, base::Instant now);

  // Subscriptions. The number of the event from which on it is in force goes into the row.
  struct Added {
    std::uint64_t since_sequence = 0;
    std::string state;  // of its filter, if it begins with readings from before it
    // If it was told of some of them at once. It is written with the row, once the notes on this
    // batch are.
    std::optional<store::CursorRow> cursor;
    std::uint64_t batch = 0;
    std::optional<store::ReplayRow> replay = {};
  };
  base::Result<Added> add(const ShardSubscription& subscription);
  // Puts another definition in place.
  struct Replaced {
    std::optional<std::uint64_t>
        since_sequence;  // none: the filter goes on where the one before was
    std::string state;   // the same as for add()
    // All that was settled and is pending so far. It is written with the new definition, once the
    // notes on this batch are.
    std::optional<store::CursorRow> cursor;
    std::uint64_t batch = 0;
    std::optional<store::ReplayRow> replay = {};  // it begins with old events
  };
  // Whether a definition must find room in the memory of its owner's filters.
  enum class Room : std::uint8_t { kNeeded, kAnyway };
  base::Result<Replaced> replace(std::uint64_t number, DefinitionPtr definition,
                                 Room room = Room::kNeeded);
  void remove(std::uint64_t number, const base::Error& reason);
  // A token is worth nothing any more: its sessions end, nothing is delivered in its name, and its
  // outboxes stop nobody. Who was let in with it just before gets nothing either.
  void forbid(const std::string& name);
  // The same for one secret of a token, by its lookup: the sessions that were opened with it end.
  void forbid_secret(const std::string& lookup);
  // Another owner: the session ends, what was remembered stays. One whose owner was silenced is in
  // force again.
  void transfer(std::uint64_t number, PrincipalPtr owner, std::shared_ptr<const void> place);
  // The event's keys are new again for the subscription; answers when that is durable.
  void forget(std::uint64_t number, const event::EventPtr& event, ForgetDone done);
  // What would become of the event for the subscription now. Changes nothing.
  base::Result<engine::EventExplanation> explain(std::uint64_t number,
                                                 const event::EventPtr& event);

  // Sessions.
  void attach(const std::shared_ptr<ShardSession>& session,
              const std::optional<DeliveryId>& acknowledged);
  void detach(ShardSession& session);
  void add_credit(ShardSession& session, std::uint64_t count);
  void acknowledge(ShardSession& session, std::uint64_t number);
  void bury(ShardSession& session, std::uint64_t number, std::string reason);
  void acknowledge(std::uint64_t subscription, const DeliveryId& delivery, Done done);
  // Of subscriptions that consumers share.
  void answer(ShardSession& session, const Answer& answer);
  void answer(std::uint64_t subscription, const Answer& answer, const AnswerDone& done);
  void end(ShardSession& session, const base::Error& reason);

  // Dead letters by number; those that are not there are passed over. Sent again they are new
  // deliveries, as far as the outbox has room; answers when that is durable.
  void resend(std::uint64_t subscription, const std::vector<std::uint64_t>& letters,
              LettersDone done);
  // Removes them, but for those that are on their way again.
  void purge(std::uint64_t subscription, const std::vector<std::uint64_t>& letters,
             LettersDone done);

  void tick(base::Instant now);
  // Settles what retention is about to remove, and tells whom it will overtake soon. Calls `done`,
  // from some thread, once that is written, or could not be.
  void expire(const RetentionBounds& bounds, Done done);
  void checkpoint();
  // The next one saves everything, because the last one was not written.
  void forget_saved();
  // Hands in all that was acknowledged, without waiting for what is being written.
  void write_cursors();

 private:
  static constexpr int kHighlightBusyShare = 4;  // one part of the time in so many

  struct Held;
  class SharedPort;
  using Subscriptions = std::map<std::uint64_t, std::unique_ptr<Held>>;

  void run();
  void finish_costs();
  void take(const Batch& batch);
  // Replays. When the next step is due; nullopt: there is nothing to do.
  std::optional<ReplayPacer::Clock::time_point> next_replay(ReplayPacer::Clock::time_point now);
  void work_on_replays();
  void replay_step(Held& held, ReplayPacer::Clock::time_point until);
  static bool may_replay(const Held& held);
  void begin_replay(Held& held, store::ReplayRow from);
  void end_replay(Held& held);
  void join_live(Held& held);
  base::Result<void> join(Held& held, const Replay::States& states);
  void carry_replay(Held& held);
  void update_replay_gauges(Held& held);
  // Where a subscription begins with old events; nullopt: with the next event.
  base::Result<std::optional<store::ReplayRow>> replay_of(const Start& start, std::uint64_t number,
                                                          std::uint64_t last_delivery) const;
  void replay_time(std::uint64_t matched_at, base::Instant through);
  void bury_skipped();
  // For what is delivered after the last event.
  MatchNoteWriter note_writer() const;
  void collect(std::span<const engine::Delivery> deliveries, std::uint64_t matched_at,
               MatchNoteWriter& matches);
  void push(Held& held, const engine::Delivery& delivery, std::uint64_t matched_at,
            MatchNoteWriter& matches);
  std::shared_ptr<const engine::Gate> gate_of(const PrincipalPtr& principal);
  static match::TextVisibilityPtr visibility_of(const PrincipalPtr& principal);
  engine::EngineOptions engine_options() const;
  void tell(Held& held, const std::vector<engine::Delivery>& deliveries);
  static std::string work_owner(const Held& held);
  engine::SubscribeOptions subscribe_options(const Held& held, std::string_view state);
  struct Engaged {
    std::vector<engine::Delivery> told;  // to be delivered at once
    std::string state;                   // as Added has it
  };
  base::Result<Engaged> engage(Held& held);
  void disengage(Held& held);
  bool takes_over(const Held& held, const filter::Filter& before);
  std::unique_ptr<Held> hold(const ShardSubscription& subscription, Outbox outbox);
  // Counts the memory of a definition in place of that of the one before. kBrokerMemory if there is
  // no room for it.
  static base::Result<void> count_definition(Held& held, const Definition& definition, Room room);
  void set_accounts(Held& held, const std::string& owner);
  Held& enter(std::unique_ptr<Held> made);
  Held* find(std::uint64_t number);
  // Only one whose filter is in force.
  base::Result<Held*> find_in_force(std::uint64_t number);
  void silence(Held& held, const base::Error& reason);
  void park(Held& held);
  // Puts a filter that is not in force into force again, with the state that was parked.
  base::Result<void> resume(Held& held, std::string_view state);
  void silence_expired();
  bool has_expired(const Principal& principal) const;
  base::Result<void> check_not_forbidden(const Principal& principal) const;
  void watch(const Principal& principal, std::uint64_t number);
  void unwatch(const Principal& principal, std::uint64_t number);
  void touch(Held& held);
  void pump_touched();
  // Lets one of those go on whose deliveries show parts of texts.
  void pump_highlighting();
  std::optional<ReplayPacer::Clock::time_point> next_highlight(
      ReplayPacer::Clock::time_point now) const;
  static bool is_highlighting(const Held& held);
  void pump(Held& held);
  // Whether its owner's deliveries on their way take all memory that they may: then it is pumped
  // again when some is given back.
  bool is_starved(Held& held);
  void pump_starved();
  void hold_memory(const Held& held, Dispatch& dispatch) const;
  // The texts of the deliveries, as far as they fit one dispatch. Settles those that are gone and
  // those that the reader may not see.
  base::Result<std::vector<Dispatch>> load(Held& held, const std::vector<OutboxEntry>& entries,
                                           std::uint64_t& through_number);
  base::Result<Loaded> load_one(Held& held, const OutboxEntry& entry, const Grants& reader,
                                Dispatch& dispatch);
  engine::TextAnnotator& annotator_of(Held& held);
  base::Result<Loaded> load_letter(const Held& held, std::uint64_t letter, const Grants& reader,
                                   Dispatch& dispatch);
  static std::vector<store::RegistryChange> letter_changes(Held& held);
  static void on_letters_written(Held& held, std::uint64_t end);
  static void forget_letters(Held& held, const std::vector<store::RegistryChange>& changes);
  base::Result<std::vector<std::uint64_t>> find_letters(const Held& held,
                                                        const std::vector<std::uint64_t>& letters);
  static std::vector<std::shared_ptr<ShardSession>> sessions_of(const Held& held);
  void close_session(Held& held, ShardSession& session);
  void end_session(Held& held, ShardSession& session, const base::Error& reason);
  void end_sessions(Held& held, const base::Error& reason);
  void count_dispatched(Held& held, const std::vector<Dispatch>& dispatches);
  void touch_later(const Held& held);
  void set_consumers(Held& held);
  void pump_shared(Held& held);
  SharedSessions::Answered apply(Held& held, const Answer& answer, const ShardSession* session);
  void time_out_shared(base::Instant now);
  void watch_shared(Held& held);
  void forget_shared_wake(Held& held);
  void update_shared_gauges(Held& held);
  static base::Result<void> check_incarnation(const Held& held,
                                              std::optional<std::uint64_t> incarnation);
  bool release(Held& held, std::uint64_t number);
  void settle(Held& held, std::uint64_t number, Settled why);
  base::Result<void> bury(Held& held, const OutboxEntry& entry, const Grants& reader,
                          std::string reason);
  // Calls `then` once the notes are in the log, however long the disk is in trouble; not if the
  // broker stops before.
  void when_noted(std::uint64_t batch, std::function<void()> then);
  void after_cursor(Held& held, Done done);
  void write_cursor(Held& held);
  void hand_in_cursor(Held& held);
  void tell_losses(Held& held);
  void on_cursor_written(const store::CursorRow& row, std::uint64_t letters_end,
                         const base::Result<void>& written);
  store::CursorRow cursor_of(const Held& held) const;
  void update_gauges(Held& held);
  void update_window_gauges(Held& held);
  void forget_window_gauges(Held& held);
  event::EventPtr find_event(std::uint64_t sequence) const;
  void mark_stale(Held& held);
  void update_stale_gauges(std::size_t count_max);
  void save_text(std::vector<store::RegistryChange>& changes);
  void update_match_gauges();
  void update_size_gauges();
  void tell_over_budget();
  void update_memory_gauges();
  void update_wake();

  Context context_;
  engine::Engine engine_;
  match::TextAnalyzers analyzers_;        // for what deliveries say
  match::MatchCounters match_seen_ = {};  // as others see them
  match::MatchSizes sizes_seen_ = {};
  engine::ChangeCounters change_seen_ = {};
  match::text::TextCounters text_seen_ = {};
  engine::EngineMemory memory_seen_ = {};
  match::WorkCounters work_seen_ = {};
  RecentEvents recent_;
  Subscriptions subscriptions_;
  std::vector<Held*> slots_;  // by the tag that the engine hands back; null: free
  std::vector<std::size_t> free_slots_;
  std::set<std::string, std::less<>> forbidden_;  // names of tokens, which are never given again
  std::set<std::string, std::less<>> forbidden_secrets_;  // lookups, likewise
  // When tokens of owners and of consumers expire, and of which subscription.
  std::multiset<std::pair<base::Instant, std::uint64_t>> expiries_;
  // When shared sessions look at the time, and of which subscription.
  std::set<std::pair<base::Instant, std::uint64_t>> shared_wakes_;
  std::map<const Principal*, std::weak_ptr<const engine::Gate>> gates_;  // each keeps its principal
  std::deque<std::uint64_t> replaying_;  // numbers of subscriptions, in the order they came
  ReplayPacer pacer_;
  ReplayPacer highlight_pacer_{kHighlightBusyShare};
  std::vector<Held*> touched_;              // with something new to send
  std::deque<std::uint64_t> highlighting_;  // touched ones whose deliveries cost more; one a round
  std::deque<Held*> stale_;                 // whose gauges are behind
  std::deque<std::uint64_t> starved_;       // touched ones that wait for memory of streams
  bool waits_for_room_ = false;             // to be told when some is given back
  std::vector<std::uint64_t> sequences_;    // of the delivery at hand
  TextShareHolds text_holds_;               // of the event at hand
  std::size_t text_piece_count_ = 0;        // in the registry
  std::uint64_t round_count_ = 0;
  std::vector<MatchCost> costs_;  // of the last batch
  std::optional<std::chrono::nanoseconds> matched_at_ =
      {};  // thread time; of these, until finish_costs()
  std::uint64_t last_batch_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::optional<MatchReport> replayed_;
  struct Skipped {
    std::uint64_t subscription;
    std::uint64_t delivery;
    std::uint64_t sequence;
  };
  std::vector<Skipped> skipped_;  // to be buried
  std::atomic<std::uint64_t> queued_event_count_{0};
  std::atomic<std::int64_t> next_timer_;
  std::atomic<std::int64_t> next_expiry_;
  std::atomic<bool> abandoned_ = false;
  bool stopping_ = false;
  TaskQueue<std::function<void()>> queue_;
  std::jthread thread_;
};

// A consumer's hold on a subscription of a shard, in the name of a principal. However often it says
// something while the shard is busy, only one task waits there: credit adds up, of
// acknowledgements the highest counts, dead letters keep their places between acknowledgements, and
// answers about single deliveries are bounded.
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
  void answer(Answer answer) override;
  void bury(std::uint64_t number, std::string reason) override;
  void close() override;

  const std::uint64_t subscription;
  const PrincipalPtr principal;
  const std::shared_ptr<Consumer> consumer;
  // On the shard's thread.
  std::uint64_t credit = 0;
  std::uint64_t consumer_id = 0;  // among those that share the subscription
  bool open = false;

 private:
  struct Buried {
    std::uint64_t number = 0;
    std::string reason;
  };
  // What was said and not heard yet.
  struct Said {
    std::uint64_t credit = 0;
    std::uint64_t acknowledged = 0;   // 0: nothing
    std::vector<Buried> buried = {};  // at most one for each delivery that was sent
    std::vector<Answer> answers = {};
    std::size_t answer_count = 0;  // numbers in them
  };

  void say(Said more);
  void hear();

  std::shared_ptr<Shard> shard_;
  std::mutex mutex_;  // for what follows
  Said said_;
  bool is_posted_ = false;
};

}  // namespace weir::broker
