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
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "engine/counters.h"
#include "event/event.h"
#include "filter/explain.h"
#include "filter/filter.h"
#include "match/change_filter.h"
#include "match/distinct_window.h"
#include "match/matcher.h"
#include "match/text_scorer.h"

namespace weir::engine {

using match::SubscriptionId;

struct EngineOptions {
  // Events with the source and id of one published less than this long ago are dropped at ingest.
  std::optional<base::Duration> dedup_window = {};
  std::size_t dedup_key_count_max = 10'000'000;
  std::size_t subscription_count_max = 1'000'000;
  std::size_t change_key_count_max = 1'000'000;     // per subscription
  std::size_t distinct_key_count_max = 10'000'000;  // per subscription
  match::TextAnalysis text = {};
  match::TextCorpusOptions corpus = {};
};

struct SubscribeOptions {
  match::Initial initial = match::Initial::kDeliver;
};

// Events for one subscriber. Several events are one group: the current values of all the sources of
// a composite change filter that fired, oldest first.
struct Delivery {
  SubscriptionId subscription;
  std::vector<event::EventPtr> events;
};

struct EventExplanation {
  Outcome outcome = Outcome::kNoMatch;
  filter::Explanation filter;
  std::string distinct;  // what the window says, empty if the filter has none
};

class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Ids are given in ascending order and never reused.
  base::Result<SubscriptionId> subscribe(filter::FilterPtr filter, SubscribeOptions options = {});
  // A filter in the weir language, under the default limits.
  base::Result<SubscriptionId> subscribe(std::string_view filter, SubscribeOptions options = {});
  base::Result<void> unsubscribe(SubscriptionId id);

  // The deliveries of this event, by ascending subscription, after those that were held back and
  // are due by now. Valid until the next call.
  std::span<const Delivery> publish(const event::EventPtr& event, base::Instant now);
  // Only what was held back and is due by now, in the order in which it became due.
  std::span<const Delivery> advance(base::Instant now);
  // When advance() will next have something to deliver.
  std::optional<base::Instant> next_wake() const;

  // What publish() would do with the event for one subscription, and why. Changes nothing.
  base::Result<EventExplanation> explain(SubscriptionId id, const event::EventPtr& event,
                                         base::Instant now);

  std::size_t subscription_count() const { return subscriptions_.size(); }
  EngineCounters counters() const;
  base::Result<SubscriptionCounters> counters(SubscriptionId id) const;

 private:
  class Subscription;
  using Matches = std::vector<match::Match>;
  using Subscriptions = std::map<SubscriptionId, std::unique_ptr<Subscription>>;

  base::Instant clamp(base::Instant now);
  bool is_ingest_duplicate(const event::Event& event, base::Instant now);
  void deliver_due(base::Instant now);
  void deliver_matches(const Matches& matches, const event::EventPtr& event, base::Instant now);
  void deliver_one(SubscriptionId id, Subscription& subscription,
                   const std::vector<std::uint32_t>& conjunctions, const event::EventPtr& event,
                   base::Instant now);
  void count_below_score(const Matches& matches, const event::Event& event);
  void reschedule(SubscriptionId id, Subscription& subscription);
  void hand_out(SubscriptionId id, std::vector<event::EventPtr> events);
  Outcome foretell(Subscription& subscription, const event::EventPtr& event, base::Instant now,
                   filter::Scorer& scorer) const;
  SubscriptionCounters counters_of(const Subscription& subscription) const;
  base::Result<Subscriptions::const_iterator> find(SubscriptionId id) const;

  EngineOptions options_;
  std::unique_ptr<match::Matcher> matcher_;
  match::TextScorer scorer_;
  std::unique_ptr<match::DistinctWindow> ingest_;
  Subscriptions subscriptions_;
  std::set<SubscriptionId> with_text_;
  std::set<std::pair<base::Instant, SubscriptionId>> wakes_;
  Matches matches_;  // of the event at hand
  std::vector<Delivery> deliveries_;
  base::Instant now_{std::numeric_limits<std::int64_t>::min()};
  std::uint64_t last_id_ = 0;
  std::uint64_t published_ = 0;
  EngineCounters counters_;
  SubscriptionCounters ended_;  // outcomes of subscriptions that are gone
};

}  // namespace weir::engine
