// SPDX-License-Identifier: Apache-2.0
// Broker: engine and store together: admit, log, match, deliver, acknowledge, redeliver.
//
//   publish --> sequencer: duplicates, log, fsync, answer --> shards: match, outbox --> consumers
//                                                               |
//                clerk: cursors, subscriptions, checkpoints <---+
//
// What publish() has answered as accepted survives a crash and reaches every durable subscription
// that matches it, at least once, in order. Subscriptions are spread over shards that share
// nothing; each event is decoded once and matched by all of them.
//
// Threads: the sequencer, the clerk, one per shard and one that watches for changed tokens are its
// own. Every call may come from any thread. Those that wait say so: open(), stop(),
// authenticate(), reload_tokens(), token_admin() and those about dead letters for the disk or a
// hash; the others return at once. Callbacks come from the broker's threads and must return at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/broker_options.h"
#include "broker/broker_stats.h"
#include "broker/counters.h"
#include "broker/definition.h"
#include "broker/delivery.h"
#include "broker/grants.h"
#include "broker/loss_journal.h"
#include "broker/sink_secrets.h"
#include "broker/token_admin.h"
#include "engine/engine.h"
#include "event/event.h"
#include "store/registry.h"

namespace weir::broker {

enum class PublishStatus : std::uint8_t { kAccepted, kDuplicate, kRejected };

// What became of one event of a request.
struct PublishOutcome {
  PublishStatus status = PublishStatus::kRejected;
  std::uint64_t sequence = 0;             // if it was accepted
  std::optional<base::Error> error = {};  // if it was rejected
};

// The outcomes in the order of the events; or why none of them could be taken.
using PublishDone = std::function<void(base::Result<std::vector<PublishOutcome>>)>;

// A subscription as others see it.
struct SubscriptionInfo {
  std::string id;
  std::string owner;  // empty: anonymous
  DefinitionPtr definition;
  base::Instant created;
  // As of now.
  DeliveryCounts counts = {};
  std::uint64_t delivered = 0;    // handed to consumers since the broker was opened
  std::uint64_t redelivered = 0;  // more than once among these
  std::uint64_t letters_kept = 0;
  bool connected = false;
  std::optional<ReplayProgress> replay = {};  // while it still reads old events
  // Of a shared subscription.
  std::uint64_t consumers = 0;  // connected
  std::uint64_t in_flight = 0;  // handed out and neither acknowledged nor given back
  // Of a distinct clause; as of the last delivery or checkpoint.
  std::optional<match::DistinctStats> window = {};
  std::uint64_t over_budget = 0;  // events that were too costly to be judged
  std::string trouble;            // why its sink gets nothing at the moment; empty: all is well
  // Of its sink. Only made_secret is ever shown, in the answer to the put() that made it.
  std::uint64_t sink_number = 0;  // unique: a definition that is put in place gets another
  SinkSecretsPtr sink_secrets = {};
  std::string made_secret = {};
};

using SubscriptionDone = std::function<void(base::Result<SubscriptionInfo>)>;
using TransferDone = std::function<void(base::Result<std::size_t>)>;  // how many
using ExplainDone = std::function<void(base::Result<engine::EventExplanation>)>;

enum class PutMode : std::uint8_t { kCreate, kReplace, kCreateOrReplace };

// Told of durable subscriptions with a sink: those at open() when it begins to listen, later ones
// as they come. From the broker's threads.
class SinkListener {
 public:
  virtual ~SinkListener() = default;
  virtual void on_sink(const SubscriptionInfo& subscription) = 0;
  virtual void on_sink_removed(const std::string& id) = 0;
};

// Events of the dead letters in one answer; the last one may be longer.
inline constexpr std::size_t kLetterPageBytesMax = std::size_t{4} << 20U;

class Broker {
 public:
  static base::Result<std::unique_ptr<Broker>> open(BrokerOptions options);
  virtual ~Broker() = default;

  // Refuses what comes from now on, finishes what was taken, writes everything, ends all sessions.
  virtual void stop() = 0;

  // Who presents this token. Waits for its verification, some 60 ms, when it is new.
  virtual base::Result<PrincipalPtr> authenticate(std::string_view token) = 0;
  // The same if it can be told at once, because the token was seen before; nothing otherwise.
  virtual std::optional<base::Result<PrincipalPtr>> recall(std::string_view token) = 0;
  // Reads the tokens again; the sessions and deliveries of those that are gone end. The broker does
  // so itself, within a fraction of a second, when another process has changed them.
  virtual base::Result<void> reload_tokens() = 0;
  // Of the tokens as they were read last: those whose grants are no grants, so nobody can use them.
  virtual std::vector<base::Error> unreadable_tokens() const = 0;
  // Another number than before: who was authenticated before must be again.
  virtual std::uint64_t token_revision() const = 0;
  virtual TokenAdmin& token_admin() = 0;

  // A position in `events` that holds an error is answered with it.
  virtual void publish(const PrincipalPtr& principal,
                       std::vector<base::Result<event::EventPtr>> events, PublishDone done) = 0;

  // A durable subscription. Without an id in the call or the definition it gets one.
  virtual void put(const PrincipalPtr& principal, DefinitionPtr definition,
                   std::optional<std::string> id, PutMode mode, SubscriptionDone done) = 0;
  virtual void remove(const PrincipalPtr& principal, std::string_view id, Done done) = 0;
  // Gives a subscription to another owner, a token that may subscribe, on behalf of an admin whose
  // grants cover those of both owners. What it remembers, its outbox and its numbers stay; from
  // then on the grants and the quota of the new owner count. Answered when that is durable.
  virtual void transfer(const PrincipalPtr& principal, std::string_view id, std::string_view owner,
                        SubscriptionDone done) = 0;
  // The same with all subscriptions of a name, or none.
  virtual void transfer_all(const PrincipalPtr& principal, std::string_view from,
                            std::string_view owner, TransferDone done) = 0;
  virtual base::Result<SubscriptionInfo> get(const PrincipalPtr& principal,
                                             std::string_view id) = 0;
  // In the order of ids, at most count_max after the given id; others' only for an admin.
  virtual std::vector<SubscriptionInfo> list(const PrincipalPtr& principal,
                                             std::string_view after_id, std::size_t count_max) = 0;
  // Acknowledges without a session everything up to this delivery.
  virtual void acknowledge(const PrincipalPtr& principal, std::string_view id,
                           const DeliveryId& delivery, Done done) = 0;
  // The same for single deliveries of a shared subscription, whichever consumer has them in flight.
  // An acknowledgement is answered when it is durable.
  virtual void answer(const PrincipalPtr& principal, std::string_view id, Answer answer,
                      AnswerDone done) = 0;
  // What has the event's keys is new again for the subscription, as if it had not been seen.
  // True if it had been; answered when that is durable.
  virtual void forget(const PrincipalPtr& principal, std::string_view id, event::EventPtr event,
                      ForgetDone done) = 0;
  // What would become of the event for the subscription if it were published now, and why: with
  // all that its filter remembers. Changes nothing. Others' as for attach().
  virtual void explain(const PrincipalPtr& principal, std::string_view id, event::EventPtr event,
                       ExplainDone done) = 0;
  // After a delivery number, the oldest first; those that the principal may see, as for attach().
  // Fewer than count_max only if there are no more, or these take kLetterPageBytesMax.
  virtual base::Result<std::vector<store::DeadLetterRow>> dead_letters(
      const PrincipalPtr& principal, std::string_view id, std::uint64_t after_delivery,
      std::size_t count_max) = 0;
  // Delivers dead letters again, as new deliveries, as far as the outbox has room. A letter leaves
  // the list when that delivery is acknowledged, or buried anew. One, or all that the principal may
  // see; kBrokerNoSuchDeadLetter if there is no such one.
  virtual void resend_dead_letters(const PrincipalPtr& principal, std::string_view id,
                                   std::optional<std::uint64_t> delivery, LettersDone done) = 0;
  // Removes dead letters for good, but for those that are on their way again.
  virtual void purge_dead_letters(const PrincipalPtr& principal, std::string_view id,
                                  std::optional<std::uint64_t> delivery, LettersDone done) = 0;

  // Consumes a durable subscription: from what is acknowledged on, or what the subscriber says to
  // have. A consumer that is already there is told kBrokerTaken, unless consumers share the
  // subscription: then there is one more, and what the subscriber says to have is passed over.
  // Another's only for an admin whose grants cover the owner's; deliveries that the principal may
  // not see are left out.
  virtual SessionPtr attach(const PrincipalPtr& principal, std::string_view id,
                            std::optional<DeliveryId> acknowledged,
                            std::shared_ptr<Consumer> consumer) = 0;
  // The same for the sender of a sink, in the name of the subscription's owner.
  virtual SessionPtr attach_sink(std::string_view id, std::shared_ptr<Consumer> consumer) = 0;
  // An ephemeral subscription: it ends with the session, and what was dispatched is forgotten.
  virtual SessionPtr stream(const PrincipalPtr& principal, DefinitionPtr definition,
                            std::shared_ptr<Consumer> consumer) = 0;

  // Tells on_sink for every subscription with a sink, then for each change. Null: no longer.
  virtual void listen_to_sinks(std::shared_ptr<SinkListener> listener) = 0;
  // What get() says about the sink; empty: all is well. Ignored if the sink was replaced since.
  virtual void report_trouble(std::string_view id, std::uint64_t sink_number,
                              std::string trouble) = 0;

  // Losses since the last call, for the log.
  virtual std::vector<Loss> take_losses() = 0;
  virtual BrokerStats stats() const = 0;
  // Why nothing can be published at the moment; nothing if all is well.
  virtual std::optional<base::Error> trouble() const = 0;
  virtual const BrokerOptions& options() const = 0;
};

}  // namespace weir::broker
