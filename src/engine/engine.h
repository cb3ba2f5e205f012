// SPDX-License-Identifier: Apache-2.0
// Engine: one machine's pipeline in memory: publish an event, get the deliveries.
//
//   ingest duplicates -> stateless match -> change -> distinct -> deliveries
//
// No I/O, no clock, no thread: the same calls give the same deliveries. Instants are handed in; one
// that goes back counts as the latest before it. Single-threaded.
//
//   Engine engine;
//   auto id = engine.subscribe("change(data.celsius, by subject) > 0.5");
//   for (const Delivery& delivery : engine.publish(event, now)) send(delivery);
//
// What filters remember can be saved, and given to another engine that goes on from there: see
// save(). Events dropped at ingest are not part of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/memory_account.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "engine/counters.h"
#include "event/event.h"
#include "filter/explain.h"
#include "filter/filter.h"
#include "match/change/firing.h"
#include "match/change_filter.h"
#include "match/distinct_window.h"
#include "match/matcher.h"
#include "match/subscription_map.h"
#include "match/text/text_index.h"
#include "match/text_finding.h"
#include "match/text_scorer.h"
#include "match/work_budget.h"

namespace weir::engine {

using match::SubscriptionId;

struct EngineOptions {
  // Events with the source and id of one published less than this long ago are dropped at ingest.
  std::optional<base::Duration> dedup_window = {};
  std::size_t dedup_key_count_max = 10'000'000;
  double dedup_false_positives = 0;  // 0: the window is exact
  std::size_t subscription_count_max = 1'000'000;
  std::size_t change_key_count_max = 1'000'000;  // per subscription
  // A key of a change filter without a reading for that long is forgotten; none: never.
  std::optional<base::Duration> change_idle = {};
  std::size_t distinct_key_count_max = 10'000'000;      // per subscription
  std::size_t state_bytes_max = std::size_t{1} << 30U;  // of memory for keys, per subscription
  // Of distinct clauses that do not say it; 0: they are exact.
  double distinct_false_positives = 1e-6;
  // Of new windows; who knows it can make keys collide. States keep the one that they began with.
  std::uint64_t hash_seed = 0;
  // Gives back an event that was published, by its sequence; null if it is gone. For `verify`:
  // without it, a clause that asks for it is exact.
  std::function<event::EventPtr(std::uint64_t sequence)> find_event = {};
  match::TextAnalysis text = {};                     // of filters that do not name a language
  double text_score = match::TextScorer::kScoreMin;  // of about without score, all and any
  match::TextCorpusOptions corpus = {};
  // Notes on the terms of an event take at most this part of the event's bytes.
  double text_shares_part = 1;
  // Steps of work, as match/work_budget.h has them, that one event may cause because of one owner's
  // filters; 0: as many as it takes
  std::uint64_t work_steps_max = 20'000'000;
  // A composite of more keys gets other thresholds, or is removed, bit by bit: so many keys with
  // each event, and more by work().
  std::size_t composite_keys_at_once = 256;
  std::size_t composite_keys_per_event = 64;
  // What new corpora of a language begin with; at most one for each.
  std::vector<std::shared_ptr<const match::CorpusCounts>> corpora = {};
};

// Asked about an event that matches, before any state moves; one that it refuses counts as no
// match. The same event gets the same answer. Must not call the engine.
using Gate = std::function<bool(const event::Event&)>;

struct SubscribeOptions {
  match::Initial initial = match::Initial::kDeliver;
  // Null: all are admitted. Subscriptions of one gate may share what they remember.
  std::shared_ptr<const Gate> gate = {};
  // Whose documents count for the statistics of texts; null: all. Events that the gate refuses must
  // not be admitted here, else scores tell of them.
  match::TextVisibilityPtr visibility = {};
  // Handed back with each delivery, so that the caller need not look the subscription up.
  std::uint64_t tag = 0;
  // The account counts the memory of the filter, which does not remember a key without room. Null:
  // it may take what it wants. Only subscriptions of one account share what they remember.
  base::MemoryAccount::Ptr memory = {};
  // Whose work budget the filter draws on; empty: nobody limits it. Only subscriptions of one owner
  // share what they remember.
  std::string owner = {};
  // What save() gave for an equal filter; empty: it begins anew. Read during the call only.
  std::string_view state = {};
};

// Events from before a subscription: it begins with their readings.
struct KnownEvents {
  std::span<const event::EventPtr> events = {};  // oldest first
  base::Instant at = {};                         // when they count as read
  bool is_told = false;                          // whether what they make fire is delivered at once
};

struct NewSubscription {
  filter::FilterPtr filter;
  SubscribeOptions options = {};
};

// Events for one subscriber, oldest first. If conjunctions of several changes fired, it is a group:
// it has the current event of every source of theirs, each once. Other groups have several events:
// of a change with the reading before it, or of all that was held back until one instant.
struct Delivery {
  SubscriptionId subscription;
  std::uint64_t tag = 0;  // as the subscriber gave it
  std::vector<event::EventPtr> events;
  bool is_group = false;  // always if there are several events
  // Indexes, ascending, of the events that the subscriber was given before; never all of them.
  std::vector<std::uint32_t> repeated = {};
  // Why the text of the last event matched; TextAnnotator puts it into words.
  match::TextFinding text = {};
};

struct EventExplanation {
  Outcome outcome = Outcome::kNoMatch;
  filter::Explanation filter;
  std::string distinct;  // what the window says, empty if the filter has none
  std::string note;  // why an event that matches counts as none, or is not explained; else empty
  bool is_hidden = false;  // the subscription's gate refuses it
};

// How one source of readings stands that change filters share.
struct ChangeSourceStats {
  std::uint64_t readings = 0;
  std::uint64_t quiet = 0;        // of these, how many nobody was told of
  std::uint64_t fired = 0;        // subscriptions that were told
  std::size_t pieces = 0;         // neighbours by threshold with one history
  std::size_t subscriptions = 0;  // that share it
};

struct EngineMemory {
  std::size_t matcher_bytes = 0;
  std::size_t shared_change_bytes = 0;  // what change filters share, and remember there
  std::size_t shared_source_count = 0;  // sources of readings there
  std::size_t shared_piece_count = 0;
  std::size_t text_bytes = 0;         // the index of text predicates
  std::size_t text_filter_count = 0;  // how many are in it
  std::size_t text_group_count = 0;   // different filters beside them
  std::size_t subscription_count = 0;
};

class SharedChange;
class SharedComposites;
class SharedText;

class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Ids are given in ascending order and never reused. Fails with kStoreCorrupt for a state that is
  // damaged, of another version, of another filter or beyond the limits.
  base::Result<SubscriptionId> subscribe(const filter::FilterPtr& filter,
                                         SubscribeOptions options = {});
  // A filter in the weir language, under the default limits.
  base::Result<SubscriptionId> subscribe(std::string_view filter, SubscribeOptions options = {});
  struct Begun {
    SubscriptionId id;
    std::span<const Delivery> told;  // valid until the next call
  };
  // The same for one that begins with current values: the readings of events from before it. A
  // composite then does not wait for the next reading of each source. Initial::kNone takes them as
  // the last values. Requires that no state is given, and a filter with a change and without text
  // if there are events. save() gives what it begins with.
  base::Result<Begun> subscribe_knowing(const filter::FilterPtr& filter, SubscribeOptions options,
                                        const KnownEvents& known);
  // Many at once: the same, one by one and each with its own result, but faster, and an index that
  // knows all of them before it places the first.
  std::vector<base::Result<SubscriptionId>> subscribe_all(std::vector<NewSubscription> wanted);
  base::Result<void> unsubscribe(SubscriptionId id);
  // Puts a filter in the place of one that differs from it only in how far something must move:
  // what was delivered is kept, and the next value is judged by the new thresholds. False, and no
  // change, if the filters differ otherwise or have text. A composite of many keys goes over to the
  // new thresholds key by key: each at its next reading at the latest, before that is judged. What
  // is held back of a key is judged again when its turn comes (see work()); until then the
  // thresholds that it was held by count for it.
  base::Result<bool> retune(SubscriptionId id, filter::FilterPtr filter);

  // The deliveries of this event, after those that were held back and are due by now. By ascending
  // subscription, but change filters that share what they remember come last, in an order of their
  // own: first those of one change, then composites by ascending subscription. Valid until the next
  // call.
  std::span<const Delivery> publish(const event::EventPtr& event, base::Instant now);
  // Only what was held back and is due by now, in the order in which it became due. At the same
  // instant: first those of one change that share what they remember, then composites, then others,
  // both by ascending subscription and with one delivery for all that one of them gets then.
  std::span<const Delivery> advance(base::Instant now);
  // What has this event's keys is new again for the subscription, as if it had not been seen: it is
  // distinct, and the next reading of a change is a first one; what is held back of it is dropped.
  // True if there was something to forget. Fails with kEngineKeys if the filter remembers nothing,
  // with kEngineTooManyForgotten if that was done too often within a window.
  base::Result<bool> forget(SubscriptionId id, const event::Event& event, base::Instant now);
  // When advance() may next have something to deliver.
  std::optional<base::Instant> next_wake() const;
  // Whether work was put off that concerns many keys of one subscription: to go over to other
  // thresholds, or to be removed. publish() does a little of it; work() a slice, some milliseconds
  // at most, for a caller that has nothing else to do. It delivers nothing.
  bool has_work() const;
  void work();

  // What publish() would do with the event for one subscription, and why. Changes nothing.
  base::Result<EventExplanation> explain(SubscriptionId id, const event::EventPtr& event,
                                         base::Instant now);

  // Everything that decides the future deliveries of one subscription, and the counts of what
  // became of its events but those that did not match. The same state gives the same bytes; a
  // filter that remembers nothing gives none. Layout: docs/formats/checkpoint.md.
  base::Result<std::string> save(SubscriptionId id) const;
  // Grows whenever save() may give other bytes than before, but for counts of events that were not
  // delivered; 0 at first, restored or not, and always for a filter that remembers nothing and for
  // an id that is not there.
  std::uint64_t state_revision(SubscriptionId id) const;

  // How rare words are, for text predicates: one corpus for each choice of fields and language in
  // use.
  std::string save_text() const;
  // The same in pieces of about so many bytes, each of which restore_text() takes; at least one.
  std::vector<std::string> save_text_pieces(std::size_t bytes_max) const;
  // Takes what save_text() gave, before or after the subscriptions that need it. Where there is
  // already a corpus for the same choice, the one that has seen more of the stream stays. Fails
  // with kStoreCorrupt and then changes nothing.
  base::Result<void> restore_text(std::string_view bytes);

  // The latest instant handed in.
  base::Instant now() const { return now_; }
  // Moves the engine's clock forward, never back, and delivers nothing yet. For an engine that goes
  // on where another was: states do not hold its clock, so that each can be of its own age. A
  // subscription that is ahead of the clock takes events as at the latest instant in its state.
  void set_now(base::Instant now) { now_ = std::max(now_, now); }

  std::size_t subscription_count() const { return subscriptions_.size(); }
  // What the index of filters takes in all, the filters themselves and what they remember apart.
  EngineMemory memory() const;
  EngineCounters counters() const;
  const match::MatchCounters& match_counters() const { return matcher_->counters(); }
  // How filters are found: conjunctions of the stateless parts of them, and what several share
  // once.
  match::MatchSizes match_sizes() const { return matcher_->sizes(); }
  const ChangeCounters& change_counters() const { return change_counters_; }
  const match::WorkCounters& work_counters() const { return meter_->counters(); }
  // Of the index of text predicates.
  match::text::TextCounters text_counters() const;
  // Of the source that the event is of; nothing if the subscription does not share one, or it had
  // no reading yet.
  base::Result<std::optional<ChangeSourceStats>> change_source_stats(
      SubscriptionId id, const event::Event& event) const;
  base::Result<SubscriptionCounters> counters(SubscriptionId id) const;
  // SubscriptionCounters::over_budget alone, in constant time; 0 if there is no such subscription.
  std::uint64_t over_budget(SubscriptionId id) const;
  // How the window of a distinct clause stands; nothing if the filter has none.
  base::Result<std::optional<match::DistinctStats>> distinct_stats(SubscriptionId id) const;

 private:
  class Subscription;
  // Change filters of one shape and gate.
  struct ShareKey {
    std::string shape;
    const Gate* gate;
    const base::MemoryAccount* memory;
    const match::WorkBudget* budget;

    auto operator<=>(const ShareKey&) const = default;
  };
  struct Share {
    ShareKey key;
    std::unique_ptr<SharedChange> change;
    match::WorkBudgetPtr budget;
    std::optional<base::Instant> wake;
  };
  using Matches = std::vector<match::Match>;

  base::Instant clamp(base::Instant now);
  bool is_ingest_duplicate(const event::Event& event, base::Instant now);
  void deliver_due(base::Instant now);
  void deliver_due_alone();
  void deliver_due_shared();
  void deliver_matches(const Matches& matches, const event::EventPtr& event, base::Instant now);
  void deliver_one(SubscriptionId id, Subscription& subscription,
                   const std::vector<std::uint32_t>& conjunctions, const event::EventPtr& event,
                   base::Instant now);
  struct Entered {
    SubscriptionId id;
    bool is_for_matcher = true;  // false: events find it otherwise
  };
  base::Result<Entered> enter(const filter::FilterPtr& filter, SubscribeOptions options,
                              const KnownEvents& known = {});
  void begin(SubscriptionId id, Subscription& subscription, const KnownEvents& known);
  bool shares_text(SubscriptionId id, Subscription& subscription);
  void displace(SubscriptionId id, Subscription& subscription);
  // Of the delivery that was handed out last.
  void annotate(const Subscription& subscription, const event::EventPtr& event);
  void count_below_score(const Matches& matches, const event::Event& event);
  void charge_matches(const event::Event& event);
  void charge_match(SubscriptionId id, const event::Event& event);
  void drop_unpaid();
  void reschedule(SubscriptionId id, Subscription& subscription);

  // engine_shared.cc
  void share(SubscriptionId id, Subscription& subscription, match::Initial initial);
  void end_sharing(Subscription& subscription);
  std::uint64_t make_share(const ShareKey& key, const Subscription& subscription);
  void tidy_share(std::uint64_t number);
  void reschedule_share(std::uint64_t number);
  void deliver_share(std::uint64_t number, const event::EventPtr& event, base::Instant now);
  void deliver_firing(const match::Firing& firing, const event::EventPtr& event, bool is_late);

  // engine_composites.cc
  void share_composite(SubscriptionId id, Subscription& subscription, match::Initial initial);
  void deliver_composites(std::span<const match::Match> matches, const event::EventPtr& event,
                          base::Instant now);
  void deliver_due_composites();
  void part_composite(SubscriptionId id, const event::EventPtr& event, base::Instant now);
  void settle_composites();

  void deliver_plain(SubscriptionId id, Subscription& subscription, const event::EventPtr& event);
  // A new delivery, to be filled.
  Delivery& hand_out(SubscriptionId id, const Subscription& subscription);
  void hand_out(SubscriptionId id, const Subscription& subscription, match::FiredEvents fired);
  std::span<const Delivery> handed_out() const { return {deliveries_.data(), delivery_count_}; }
  Outcome foretell(Subscription& subscription, const event::EventPtr& event, base::Instant now,
                   match::TextReader& reader) const;
  SubscriptionCounters counters_of(const Subscription& subscription) const;
  base::Result<Subscription*> find(SubscriptionId id) const;

  EngineOptions options_;
  std::unique_ptr<match::WorkMeter> meter_;
  std::unique_ptr<match::Matcher> matcher_;
  std::unique_ptr<match::TextScorer> scorer_;
  std::unique_ptr<match::DistinctWindow> ingest_;
  match::SubscriptionMap<std::unique_ptr<Subscription>> subscriptions_;
  std::unique_ptr<SharedText> texts_;
  std::set<SubscriptionId> with_text_;  // that stand alone
  std::set<std::pair<base::Instant, SubscriptionId>> wakes_;
  // Beyond all ids of subscriptions.
  static constexpr std::uint64_t kShareNumberMin = std::uint64_t{1} << 63U;
  std::uint64_t next_share_number_ = kShareNumberMin;
  std::map<ShareKey, std::uint64_t> share_numbers_;
  std::map<std::uint64_t, Share> shares_;  // by number, which is also a matcher's id
  std::set<std::pair<base::Instant, std::uint64_t>> share_wakes_;
  std::unique_ptr<SharedComposites> composites_;
  match::Firing firing_;  // of the event at hand
  ChangeCounters change_counters_;
  Matches matches_;                                              // of the event at hand
  std::map<SubscriptionId, match::WorkBudget*> with_long_keys_;  // of these, if they are paid for
  std::vector<Delivery> deliveries_;  // the first delivery_count_; the others keep their memory
  std::size_t delivery_count_ = 0;
  base::Instant now_{std::numeric_limits<std::int64_t>::min()};
  std::uint64_t last_id_ = 0;
  std::uint64_t published_ = 0;
  EngineCounters counters_;
  SubscriptionCounters ended_;  // outcomes of subscriptions that are gone
};

}  // namespace weir::engine
