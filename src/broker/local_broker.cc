// SPDX-License-Identifier: Apache-2.0
#include "broker/local_broker.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "base/hash.h"
#include "filter/limits.h"

namespace weir::broker {
namespace {

// Definitions that were once accepted stay readable when limits are lowered.
DefinitionLimits unlimited() {
  constexpr std::size_t kMuch = std::size_t{1} << 40U;
  return {.document_bytes_max = kMuch,
          .id_bytes_max = kMuch,
          .sink_bytes_max = kMuch,
          .type_count_max = kMuch,
          .outbox_count_max = kMuch,
          .filter = {.text_bytes_max = std::size_t{1} << 30U,
                     .depth_max = 1024,
                     .list_count_max = kMuch,
                     .pattern_bytes_max = kMuch,
                     .conjunction_count_max = kMuch,
                     .term_count_max = kMuch}};
}

// Zero stands for none.
bool is_share(double false_positives) {
  return false_positives == 0 || (false_positives >= filter::kFalsePositivesMin &&
                                  false_positives <= filter::kFalsePositivesMax);
}

base::Result<void> check_options(const BrokerOptions& options) {
  const auto refuse = [](std::string message) {
    return base::Error{base::ErrorId::kBrokerOption, std::move(message), std::nullopt};
  };
  if (options.shard_count < 1 || options.shard_count > 256) {
    return refuse(fmt::format("expected 1 to 256 shards, not {}", options.shard_count));
  }
  for (const double share :
       {options.dedup_false_positives, options.engine.distinct_false_positives}) {
    if (is_share(share)) continue;
    return refuse(fmt::format("expected a share of false positives from {} to {}, or 0, not {}",
                              filter::kFalsePositivesMin, filter::kFalsePositivesMax, share));
  }
  return {};
}

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

}  // namespace

base::Result<std::unique_ptr<Broker>> Broker::open(BrokerOptions options) {
  if (auto checked = check_options(options); !checked) return checked.error();
  auto broker = std::make_unique<LocalBroker>(std::move(options));
  if (auto opened = broker->open(); !opened) return opened.error();
  return std::unique_ptr<Broker>(std::move(broker));
}

LocalBroker::LocalBroker(BrokerOptions options)
    : options_(std::move(options)),
      quota_(std::make_shared<Quota>(
          Quota::Limits{.total_max = options_.subscription_count_max,
                        .per_owner_max = options_.subscriptions_per_owner_max})) {
  if (options_.engine.hash_seed == 0) options_.engine.hash_seed = random_seed();
}

LocalBroker::~LocalBroker() { stop(); }

base::Result<void> LocalBroker::open() {
  if (auto opened = open_store(); !opened) return opened;
  if (auto loaded = read_tokens(); !loaded) return loaded.error();
  const auto contents = registry_->contents();
  if (!contents) return contents.error();
  clerk_ = std::make_unique<Clerk>(*registry_);
  sequencer_ = std::make_unique<Sequencer>(Sequencer::Context{options_, *log_, counters_, *clerk_});
  for (std::size_t i = 0; i < options_.shard_count; ++i) {
    shards_.push_back(std::make_shared<Shard>(
        Shard::Context{options_, *log_, counters_, *sequencer_, *clerk_, i}));
  }
  const auto known = known_subscriptions(*contents);
  if (!known) return known.error();
  Recovery recovery({options_, *log_, *contents, shards_, *sequencer_, counters_}, *known);
  if (auto recovered = recovery.run(); !recovered) return recovered;
  for (const std::shared_ptr<Shard>& shard : shards_) shard->start();
  sequencer_->start(shards_);
  return {};
}

base::Result<void> LocalBroker::open_store() {
  auto lock = store::DirectoryLock::acquire(options_.directory, options_.lock_patience);
  if (!lock) return lock.error();
  lock_ = std::move(*lock);
  auto registry = store::Registry::open(options_.directory / "registry.sqlite");
  if (!registry) return registry.error();
  registry_ = std::move(*registry);
  auto log = store::EventLog::open(*options_.files, options_.directory / "log", options_.log);
  if (!log) return log.error();
  log_ = std::move(*log);
  return {};
}

base::Result<std::vector<KnownSubscription>> LocalBroker::known_subscriptions(
    const store::RegistryContents& contents) {
  PrincipalPtr anonymous;
  if (options_.anonymous_grants) {
    anonymous = std::make_shared<const Principal>(
        Principal{.name = {}, .grants = *options_.anonymous_grants});
  }
  std::vector<KnownSubscription> known;
  std::vector<DirectoryEntry> entries;
  for (const store::SubscriptionRow& row : contents.subscriptions) {
    auto definition = Definition::parse(row.definition, unlimited());
    if (!definition) {
      return base::Error{base::ErrorId::kStoreCorrupt,
                         fmt::format("the definition of subscription '{}' cannot be read: {}",
                                     row.id, definition.error().to_string()),
                         std::nullopt};
    }
    const auto dead = registry_->dead_letter_count(row.number);
    if (!dead) return dead.error();
    DirectoryEntry entry{.number = row.number,
                         .id = row.id,
                         .owner = row.owner,
                         .principal = row.owner.empty() ? anonymous : tokens_.find(row.owner),
                         .definition = *definition,
                         .created = row.created,
                         .shard = shard_for(**definition, row.number),
                         .gauges = std::make_shared<SubscriptionGauges>(),
                         .since_sequence = row.since_sequence,
                         .settled = true};
    entry.gauges->dead_letters = *dead;
    entry.gauges->allowed = entry.principal && !entry.principal->has_expired(options_.now());
    known.push_back({row,
                     {.number = row.number,
                      .durable = true,
                      .definition = *definition,
                      .principal = entry.principal,
                      .gauges = entry.gauges,
                      .place = quota_->take_anyway(row.owner)},
                     entry.shard});
    entries.push_back(std::move(entry));
  }
  directory_.load(std::move(entries), contents.last_subscription_number);
  return known;
}

// Filters on the same texts are kept together, so that their statistics are.
std::shared_ptr<Shard> LocalBroker::shard_for(const Definition& definition,
                                              std::uint64_t number) const {
  std::uint64_t choice = number;
  if (!definition.filter()->text_sources().empty()) {
    std::string fields;
    for (const filter::TextField& field : definition.filter()->text_sources().front()->fields) {
      fields += field.path.to_string() + ',';
    }
    choice = base::hash_bytes(fields);
  }
  return shards_[choice % shards_.size()];
}

void LocalBroker::stop() {
  if (stopping_.exchange(true) || !sequencer_) return;
  listen_to_sinks(nullptr);
  for (const std::shared_ptr<Shard>& shard : shards_) {
    shard->post([shard = shard.get()] { shard->write_cursors(); });
  }
  sequencer_->stop();
  for (const std::shared_ptr<Shard>& shard : shards_) shard->stop();
  clerk_->stop();
}

base::Result<PrincipalPtr> LocalBroker::authenticate(std::string_view token) {
  return tokens_.authenticate(token, options_.now());
}

std::optional<base::Result<PrincipalPtr>> LocalBroker::recall(std::string_view token) {
  return tokens_.recall(token, options_.now());
}

base::Result<std::vector<std::string>> LocalBroker::read_tokens() {
  auto changes = tokens_.reload(*registry_);
  if (!changes) return changes.error();
  const std::scoped_lock lock(unreadable_mutex_);
  unreadable_tokens_ = std::move(changes->unreadable);
  return std::move(changes->gone);
}

std::vector<base::Error> LocalBroker::unreadable_tokens() const {
  const std::scoped_lock lock(unreadable_mutex_);
  return unreadable_tokens_;
}

base::Result<void> LocalBroker::reload_tokens() {
  const auto gone = read_tokens();
  if (!gone) return gone.error();
  for (const std::string& name : *gone) {
    for (const std::shared_ptr<Shard>& shard : shards_) {
      shard->post([shard = shard.get(), name] { shard->forbid(name); });
    }
  }
  return {};
}

void LocalBroker::publish(const PrincipalPtr& principal,
                          std::vector<base::Result<event::EventPtr>> events, PublishDone done) {
  const auto refuse_all = [&](base::ErrorId id, std::string message) {
    done(base::Error{id, std::move(message), std::nullopt});
  };
  using enum base::ErrorId;
  if (stopping_) return refuse_all(kBrokerStopping, "the broker is stopping");
  if (events.size() > options_.publish_event_count_max) {
    return refuse_all(kBrokerTooManyEvents,
                      fmt::format("{} events in one request, at most {} are allowed", events.size(),
                                  options_.publish_event_count_max));
  }
  if (counters_.blocking > 0) {
    ++counters_.refused_blocked;
    return refuse_all(kBrokerOutboxFull, "the outbox of a blocking subscription is full");
  }
  PublishRequest request;
  request.outcomes.resize(events.size());
  request.done = std::move(done);
  counters_.received += events.size();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool granted = events[i] && principal->grants.may_publish(**events[i]);
    if (!granted) {
      request.outcomes[i].error =
          events[i] ? base::Error{kBrokerForbidden,
                                  fmt::format("publishing events of source '{}' and type '{}' is "
                                              "not granted",
                                              (*events[i])->source(), (*events[i])->type()),
                                  std::nullopt}
                    : events[i].error();
    }
    request.bytes += granted ? (*events[i])->json().size() : 0;
    request.events.push_back(granted ? std::move(*events[i]) : nullptr);
  }
  if (counters_.publish_queue_bytes + request.bytes > options_.publish_queue_bytes_max) {
    ++counters_.refused_busy;
    return request.done(
        base::Error{kBrokerBusy, "more events wait to be written than the limit allows; try again",
                    std::nullopt});
  }
  sequencer_->publish(std::move(request));
}

BrokerStats LocalBroker::stats() const {
  std::uint64_t queued = 0;
  for (const std::shared_ptr<Shard>& shard : shards_) queued += shard->queued_event_count();
  return {.received = counters_.received,
          .accepted = counters_.accepted,
          .duplicates = counters_.duplicates,
          .rejected = counters_.rejected,
          .unavailable = counters_.unavailable,
          .refused_busy = counters_.refused_busy,
          .refused_blocked = counters_.refused_blocked,
          .commits = counters_.commits,
          .commit_failures = counters_.commit_failures,
          .commit_nanoseconds = counters_.commit_nanoseconds,
          .matched = counters_.matched,
          .dispatched = counters_.dispatched,
          .acknowledged = counters_.acknowledged,
          .redelivered = counters_.redelivered,
          .dropped = counters_.dropped,
          .conflated = counters_.conflated,
          .expired = counters_.expired,
          .buried = counters_.buried,
          .window_hits = counters_.window_hits,
          .window_refuted_hits = counters_.window_refuted_hits,
          .window_overflow = counters_.window_overflow,
          .match_candidates = counters_.match_candidates,
          .match_signature_rejects = counters_.match_signature_rejects,
          .match_verified = counters_.match_verified,
          .match_matches = counters_.match_matches,
          .match_moves = counters_.match_moves,
          .match_placements = counters_.match_placements,
          .text_scanned = counters_.text_scanned,
          .text_verified = counters_.text_verified,
          .text_matched = counters_.text_matched,
          .change_readings = counters_.change_readings,
          .change_quiet = counters_.change_quiet,
          .change_fired = counters_.change_fired,
          .dedup_forgotten = counters_.dedup_forgotten,
          .registry_failures = clerk_->failure_count(),
          .checkpoints = counters_.checkpoints,
          .subscriptions_durable = counters_.subscriptions_durable,
          .subscriptions_ephemeral = counters_.subscriptions_ephemeral,
          .sessions = counters_.sessions,
          .pending = counters_.pending,
          .blocking = counters_.blocking,
          .publish_queue_bytes = counters_.publish_queue_bytes,
          .window_keys = counters_.window_keys,
          .window_bytes = counters_.window_bytes,
          .text_filters = counters_.text_filters,
          .text_bytes = counters_.text_bytes,
          .match_conjunctions = counters_.match_conjunctions,
          .match_unindexed = counters_.match_unindexed,
          .match_always = counters_.match_always,
          .matcher_bytes = counters_.matcher_bytes,
          .change_sources = counters_.change_sources,
          .change_pieces = counters_.change_pieces,
          .change_bytes = counters_.change_bytes,
          .dedup_keys = counters_.dedup_keys,
          .dedup_bytes = counters_.dedup_bytes,
          .shard_queue_events = queued,
          .log_bytes = log_->size_bytes(),
          .log_first_sequence = log_->first_sequence(),
          .log_next_sequence = log_->next_sequence(),
          .recovered_torn_bytes = log_->recovery().torn_bytes,
          .recovered_events = counters_.recovered_events,
          .recovered_deliveries = counters_.recovered_deliveries};
}

}  // namespace weir::broker
