// SPDX-License-Identifier: Apache-2.0
#include "broker/local_broker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "base/hash.h"
#include "broker/stored_definition.h"
#include "event/event_memory.h"
#include "filter/limits.h"
#include "store/registry_file.h"
#include "store/store_identity.h"

namespace weir::broker {
namespace {

constexpr std::size_t kOwnersTold = 10;           // in statistics
constexpr std::uint64_t kBucketsPerSegment = 16;  // so that few hold events of two segments

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
    return refuse(fmt::format("broker.shards is {}, expected 1 to 256", options.shard_count));
  }
  for (const auto& [name, share] :
       {std::pair("broker.dedup_false_positives", options.dedup_false_positives),
        std::pair("filter.distinct_false_positives", options.engine.distinct_false_positives)}) {
    if (is_share(share)) continue;
    return refuse(fmt::format("{} is {}, expected a share from {} to {}, or 0", name, share,
                              filter::kFalsePositivesMin, filter::kFalsePositivesMax));
  }
  return {};
}

std::uint64_t queued_event_count(const std::vector<std::shared_ptr<Shard>>& shards) {
  std::uint64_t count = 0;
  for (const std::shared_ptr<Shard>& shard : shards) count += shard->queued_event_count();
  return count;
}

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

// Gives the subscriptions, which are in the order of their numbers, the secrets of their sinks.
base::Result<void> load_secrets(const store::RegistryContents& contents,
                                std::vector<DirectoryEntry>& entries) {
  for (const store::SinkSecretsRow& row : contents.sink_secrets) {
    auto secrets = parse_sink_secrets(row.secrets);
    if (!secrets) return secrets.error();
    const auto entry =
        std::ranges::lower_bound(entries, row.subscription, {}, &DirectoryEntry::number);
    if (entry == entries.end() || entry->number != row.subscription) continue;
    entry->sink_secrets = keep_secrets(*std::move(secrets));
  }
  return {};
}

// An error about a damaged store names the place and the next step.
base::Error with_place(base::Error error, const std::filesystem::path& directory) {
  using enum base::ErrorId;
  constexpr std::array kOfStore = {kStoreCorrupt, kStoreVersion, kStoreDatabase, kStoreMismatch,
                                   kStoreIncomplete};
  if (std::ranges::find(kOfStore, error.id) == kOfStore.end()) return error;
  if (error.message.find(directory.native()) == std::string::npos) {
    error.message = fmt::format("{}: {}", directory.native(), error.message);
  }
  if (error.message.find("weir doctor") == std::string::npos) {
    error.message += "; weir doctor tells more";
  }
  return error;
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
      memory_(options_),
      shares_({.owner_bytes_max = options_.log_bytes_per_owner_max,
               .bucket_bytes = options_.log.segment_bytes / kBucketsPerSegment + 1}),
      quota_(std::make_shared<Quota>(
          Quota::Limits{.total_max = options_.subscription_count_max,
                        .per_owner_max = options_.subscriptions_per_owner_max})) {
  if (options_.engine.hash_seed == 0) options_.engine.hash_seed = random_seed();
}

LocalBroker::~LocalBroker() { stop(); }

base::Result<void> LocalBroker::open() {
  auto opened = open_all();
  if (!opened) return with_place(std::move(opened.error()), options_.directory);
  return opened;
}

base::Result<void> LocalBroker::open_all() {
  if (auto opened = open_store(); !opened) return opened;
  if (auto loaded = tokens_->reload(); !loaded) return loaded;
  const auto contents = registry_->contents();
  if (!contents) return contents.error();
  if (auto started = start_time(*contents); !started) return started;
  clerk_ = std::make_unique<Clerk>(*registry_, *log_);
  sequencer_ = std::make_unique<Sequencer>(
      Sequencer::Context{options_, *log_, counters_, *clerk_, memory_, shares_, *time_});
  for (std::size_t i = 0; i < options_.shard_count; ++i) {
    shards_.push_back(
        std::make_shared<Shard>(Shard::Context{options_, *log_, counters_, *sequencer_, *clerk_,
                                               *registry_, losses_, memory_, *time_, i}));
  }
  if (auto restored = restore_shares(*contents); !restored) return restored;
  const auto known = known_subscriptions(*contents);
  if (!known) return known.error();
  Recovery recovery({options_, *log_, *contents, shards_, *sequencer_, counters_, *time_, memory_},
                    *known);
  if (auto recovered = recovery.run(); !recovered) return recovered;
  if (auto kept = keep_numbers(recovery.highest_noted_subscription()); !kept) return kept;
  for (const std::shared_ptr<Shard>& shard : shards_) shard->start();
  sequencer_->start(shards_);
  tokens_->start();
  return {};
}

base::Result<void> LocalBroker::open_store() {
  auto lock = store::DirectoryLock::acquire(options_.directory, options_.lock_patience);
  if (!lock) return lock.error();
  lock_ = std::move(*lock);
  const std::filesystem::path file = options_.directory / store::kRegistryName;
  const std::filesystem::path log_directory = options_.directory / "log";
  if (auto fits = store::check_new_registry(*options_.files, options_.directory); !fits)
    return fits;
  auto registry = store::Registry::open(file);
  if (!registry) return registry.error();
  registry_ = std::move(*registry);
  tokens_ = std::make_unique<TokenService>(TokenService::Context{
      options_, *registry_, counters_, [this](const TokenChanges& changes) { forbid(changes); }});
  auto reconciled = store::reconcile_identity(*options_.files, options_.directory, *registry_,
                                              random_seed() >> 1U | 1U);
  if (!reconciled) return reconciled;
  auto log = store::EventLog::open(*options_.files, log_directory, options_.log);
  if (!log) return log.error();
  log_ = std::move(*log);
  return {};
}

// Broker time goes on behind everything that was stored, also if the wall clock was set back.
base::Result<void> LocalBroker::start_time(const store::RegistryContents& contents) {
  const auto stored = read_stored_time(contents.shared_states);
  if (!stored) return stored.error();
  time_ = std::make_unique<BrokerTime>(options_.clocks, std::max(*stored, log_->newest()));
  return {};
}

base::Result<void> LocalBroker::restore_shares(const store::RegistryContents& contents) {
  for (const store::SharedState& shared : contents.shared_states) {
    if (shared.name != kLogSharesName) continue;
    if (auto restored = shares_.restore(shared.state); !restored) return restored;
  }
  shares_.retire_before(log_->first_sequence());
  return {};
}

// A registry that is older than the log does not know subscriptions that deliveries were noted of:
// their numbers are not given again, or those deliveries would be another's.
base::Result<void> LocalBroker::keep_numbers(std::uint64_t noted) {
  if (!directory_.raise_last_number(noted)) return {};
  const std::vector<store::RegistryChange> changes = {store::NumberMark{noted}};
  auto kept = registry_->apply(changes);
  // On a full disk it starts all the same: the next start finds the notes again.
  if (!kept && kept.error().id != base::ErrorId::kStoreFull) return kept;
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
    auto definition = parse_stored_definition(row.definition);
    if (!definition) {
      return base::Error{base::ErrorId::kStoreCorrupt,
                         fmt::format("{}: the definition of subscription '{}' cannot be read: {}",
                                     (options_.directory / store::kRegistryName).native(), row.id,
                                     definition.error().to_string()),
                         std::nullopt};
    }
    const auto dead = registry_->dead_letter_count(row.number);
    if (!dead) return dead.error();
    DirectoryEntry entry{
        .number = row.number,
        .id = row.id,
        .owner = row.owner,
        .principal = row.owner.empty() ? anonymous : tokens_->tokens().find(row.owner),
        .definition = *definition,
        .created = row.created,
        .shard = shard_for(**definition, row.number),
        .gauges = std::make_shared<SubscriptionGauges>(),
        .since_sequence = row.since_sequence,
        .settled = true,
        .sink_number = ++sink_count_};
    entry.gauges->letters_kept = *dead;
    entry.gauges->allowed = entry.principal && !entry.principal->has_expired(options_.wall_now());
    known.push_back({row,
                     {.number = row.number,
                      .id = row.id,
                      .durable = true,
                      .definition = *definition,
                      .principal = entry.principal,
                      .owner = row.owner,
                      .gauges = entry.gauges,
                      .place = quota_->take_anyway(row.owner)},
                     entry.shard});
    entries.push_back(std::move(entry));
  }
  if (auto loaded = load_secrets(contents, entries); !loaded) return loaded.error();
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
  tokens_->stop();
  listen_to_sinks(nullptr);
  for (const std::shared_ptr<Shard>& shard : shards_) {
    shard->post([shard = shard.get()] { shard->write_cursors(); });
  }
  sequencer_->stop();
  for (const std::shared_ptr<Shard>& shard : shards_) shard->stop();
  clerk_->stop();
  // If it fails, a later loss of power may hide a loss; nothing is lost by it.
  [[maybe_unused]] const auto finished = log_->finish();
}

base::Result<PrincipalPtr> LocalBroker::authenticate(std::string_view token) {
  return tokens_->tokens().authenticate(token, options_.wall_now());
}

std::optional<base::Result<PrincipalPtr>> LocalBroker::recall(std::string_view token) {
  return tokens_->tokens().recall(token, options_.wall_now());
}

base::Result<void> LocalBroker::reload_tokens() { return tokens_->reload(); }

void LocalBroker::forbid(const TokenChanges& changes) {
  for (const std::shared_ptr<Shard>& shard : shards_) {
    for (const std::string& name : changes.gone) {
      shard->post([shard = shard.get(), name] { shard->forbid(name); });
    }
    for (const std::string& lookup : changes.ended) {
      shard->post([shard = shard.get(), lookup] { shard->forbid_secret(lookup); });
    }
  }
}

void LocalBroker::publish(const PrincipalPtr& principal,
                          std::vector<base::Result<event::EventPtr>> events, PublishDone done) {
  counters_.received += events.size();
  const auto refuse_all = [&](Counter& counter, base::ErrorId id, std::string message) {
    counter += events.size();
    done(base::Error{id, std::move(message), std::nullopt});
  };
  using enum base::ErrorId;
  if (stopping_) {
    return refuse_all(counters_.unavailable, kBrokerStopping, "the broker is stopping");
  }
  if (events.size() > options_.publish_event_count_max) {
    return refuse_all(counters_.rejected, kBrokerTooManyEvents,
                      fmt::format("{} events in one request, at most {} are allowed", events.size(),
                                  options_.publish_event_count_max));
  }
  if (counters_.blocking > 0) {
    ++counters_.refused_blocked;
    return refuse_all(counters_.unavailable, kBrokerOutboxFull,
                      "the outbox of a blocking subscription is full");
  }
  PublishRequest request;
  std::size_t bytes = 0;
  std::size_t text_bytes = 0;
  request.outcomes.resize(events.size());
  request.memory_bytes.resize(events.size());
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
    request.memory_bytes[i] = granted ? event::memory_bytes(**events[i]) : 0;
    bytes += request.memory_bytes[i];
    text_bytes += granted ? (*events[i])->json().size() : 0;
    request.events.push_back(granted ? std::move(*events[i]) : nullptr);
  }
  if (auto within = shares_.check(principal->name, text_bytes); !within) {
    counters_.unavailable += request.outcomes.size();
    return done(within.error());
  }
  request.owner = principal->name;
  request.queue = memory_.account(MemoryPart::kQueue, principal->name);
  request.waiting = base::MemoryCharge(memory_.account(MemoryPart::kPublish, principal->name));
  if (const base::MemoryAccount* const full = request.waiting.try_grow(bytes)) {
    ++counters_.refused_busy;
    counters_.unavailable += request.outcomes.size();
    return done(no_memory_for_events(*full, bytes));
  }
  request.done = std::move(done);
  sequencer_->publish(std::move(request));
}

base::Error LocalBroker::no_memory_for_events(const base::MemoryAccount& full,
                                              std::size_t bytes) const {
  const base::MemoryAccount& all = memory_.total(MemoryPart::kPublish);
  if (all.bytes() + bytes > all.bytes_max()) {
    return {base::ErrorId::kBrokerBusy,
            "more events wait to be written than the limit allows; try again", std::nullopt};
  }
  return {base::ErrorId::kBrokerMemory,
          fmt::format("your events that wait to be written take {} bytes, the limit is {}; try "
                      "again",
                      full.bytes(), full.bytes_max()),
          std::nullopt};
}

// Bytes that are held, and by whom.
void LocalBroker::tell_use(BrokerStats& stats) const {
  stats.publish_queue_bytes = memory_.total(MemoryPart::kPublish).bytes();
  stats.shard_queue_events = queued_event_count(shards_);
  stats.shard_queue_bytes = memory_.total(MemoryPart::kQueue).bytes();
  stats.transit_waits = counters_.transit_waits;
  stats.memory_by_part = memory_.by_part();
  stats.memory_by_owner = memory_.by_owner(kOwnersTold);
  stats.log_by_owner = shares_.largest(kOwnersTold);
  stats.registry_failure = clerk_->failure();
  const BrokerTime::Status clock = time_->status();
  stats.clock_steps_forward = clock.steps.forward_count;
  stats.clock_steps_back = clock.steps.back_count;
  stats.clock_last_step = clock.steps.last;
  stats.clock_offset = clock.offset;
  stats.work_steps = counters_.work_steps;
  stats.over_budget = counters_.over_budget;
}

BrokerStats LocalBroker::stats() const {
  BrokerStats stats = {.received = counters_.received,
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
                       .redelivered = counters_.redelivered,
                       .acknowledged = counters_.acknowledged,
                       .dropped = counters_.dropped,
                       .conflated = counters_.conflated,
                       .expired = counters_.expired,
                       .withheld = counters_.withheld,
                       .buried = counters_.buried,
                       .nacked = counters_.nacked,
                       .timed_out = counters_.timed_out,
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
                       .token_read_failures = counters_.token_read_failures,
                       .subscriptions_durable = counters_.subscriptions_durable,
                       .subscriptions_ephemeral = counters_.subscriptions_ephemeral,
                       .sessions = counters_.sessions,
                       .pending = counters_.pending,
                       .in_flight = counters_.in_flight,
                       .blocking = counters_.blocking,
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
                       .log_bytes = log_->size_bytes(),
                       .log_first_sequence = log_->first_sequence(),
                       .log_next_sequence = log_->next_sequence(),
                       .recovered_torn_bytes = log_->recovery().torn_bytes,
                       .recovered_events = counters_.recovered_events,
                       .recovered_deliveries = counters_.recovered_deliveries,
                       .recovered_skipped = counters_.recovered_skipped};
  tell_use(stats);
  return stats;
}

}  // namespace weir::broker
