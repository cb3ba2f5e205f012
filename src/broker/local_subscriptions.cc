// SPDX-License-Identifier: Apache-2.0
// The local broker's subscriptions and sessions.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "broker/local_broker.h"
#include "broker/read_refusal.h"

namespace weir::broker {
namespace {

constexpr std::uint64_t kEphemeral = std::uint64_t{1} << 63U;  // numbers from here on

// A session of a consumer that was refused.
class NoSession final : public Session {
 public:
  void add_credit(std::uint64_t /*delivery_count*/) override {}
  void acknowledge(std::uint64_t /*number*/) override {}
  void answer(Answer /*answer*/) override {}
  void bury(std::uint64_t /*number*/, std::string /*reason*/) override {}
  void close() override {}
};

std::string new_id() {
  thread_local std::random_device device;
  return fmt::format("sub-{:08x}{:08x}", device(), device());
}

base::Error error(base::ErrorId id, std::string message) {
  return {id, std::move(message), std::nullopt};
}

// What the registry is to hold of a sink's secrets.
store::RegistryChange secrets_change(std::uint64_t number, const SinkSecretsPtr& secrets) {
  if (!secrets) return store::RemoveSinkSecrets{number};
  return store::SinkSecretsRow{number, to_json(*secrets)};
}

}  // namespace

// Why this principal may not have this definition.
base::Result<std::shared_ptr<const void>> LocalBroker::take_place(const std::string& owner) {
  if (auto checked = memory_.check_filters(owner); !checked) return checked.error();
  return quota_->take(owner);
}

std::optional<base::Error> LocalBroker::refusal(const Principal& principal,
                                                const Definition& definition,
                                                const std::string& id) const {
  using enum base::ErrorId;
  if (stopping_) return error(kBrokerStopping, "the broker is stopping");
  if (!is_subscription_id(id, options_.definition)) {
    return error(kBrokerDefinition, fmt::format("expected an id of 1 to {} letters, digits and . _ "
                                                "-, beginning with a letter or digit",
                                                options_.definition.id_bytes_max));
  }
  if (definition.id() && *definition.id() != id) {
    return error(kBrokerDefinition, fmt::format("the document is about '{}', the request about "
                                                "'{}'",
                                                *definition.id(), id));
  }
  if (definition.policy() == OutboxPolicy::kBlock && !principal.grants.block) {
    return error(kBrokerForbidden, "the outbox policy 'block' is not granted");
  }
  if (principal.grants.subscribe.empty()) {
    return error(kBrokerForbidden, "subscribing is not granted");
  }
  return std::nullopt;
}

void LocalBroker::put(const PrincipalPtr& principal, DefinitionPtr definition,
                      std::optional<std::string> id, PutMode mode, SubscriptionDone done) {
  if (!id) id = definition->id() ? *definition->id() : new_id();
  if (const auto refused = refusal(*principal, *definition, *id)) return done(*refused);
  const auto is_free = directory_.check_not_anothers(*principal, *id);
  if (!is_free) return done(is_free.error());
  const bool is_there = directory_.find(*id).has_value();
  if (mode == PutMode::kCreate || (mode == PutMode::kCreateOrReplace && !is_there)) {
    return create(principal, definition, *id, done);
  }
  const auto entry = directory_.begin_change(*principal, *id);
  if (!entry) return done(entry.error());
  if (const auto refused = refusal_to_read(*principal, *entry)) {
    directory_.settle(*entry);
    return done(*refused);
  }
  replace(*entry, definition, done);
}

// Not who presented a secret: that may be replaced by another.
PrincipalPtr LocalBroker::owner_of(const PrincipalPtr& principal) const {
  PrincipalPtr owner = tokens_->tokens().find(principal->name);
  return owner ? owner : principal;
}

void LocalBroker::create(const PrincipalPtr& principal, const DefinitionPtr& definition,
                         const std::string& id, const SubscriptionDone& done) {
  const auto granted =
      grant_secrets(definition->sink_config(), {.sink = definition->sink()}, options_.wall_now());
  if (!granted) return done(granted.error());
  auto place = take_place(principal->name);
  if (!place) return done(place.error());
  const PrincipalPtr owner = owner_of(principal);
  DirectoryEntry entry{.id = id,
                       .owner = owner->name,
                       .principal = owner,
                       .definition = definition,
                       .created = options_.wall_now(),
                       .shard = {},
                       .gauges = std::make_shared<SubscriptionGauges>(),
                       .sink_number = ++sink_count_,
                       .sink_secrets = granted->secrets};
  const auto number = directory_.reserve(entry);
  if (!number) return done(number.error());
  entry.number = *number;
  entry.shard = shard_for(*definition, *number);
  const ShardSubscription subscription{.number = *number,
                                       .id = id,
                                       .durable = true,
                                       .definition = definition,
                                       .principal = owner,
                                       .owner = owner->name,
                                       .gauges = entry.gauges,
                                       .place = std::move(*place)};
  entry.shard->post([this, entry, subscription, done, made = granted->made_secret]() mutable {
    const auto added = entry.shard->add(subscription);
    if (!added) {
      directory_.erase(entry.id);
      return done(added.error());
    }
    entry.since_sequence = added->since_sequence;
    const store::SubscriptionRow row{.number = entry.number,
                                     .id = entry.id,
                                     .owner = entry.owner,
                                     .definition = entry.definition->to_json(),
                                     .created = entry.created,
                                     .since_sequence = entry.since_sequence};
    std::vector<store::RegistryChange> changes = {row,
                                                  secrets_change(entry.number, entry.sink_secrets)};
    if (!added->state.empty()) {
      changes.emplace_back(store::CheckpointRow{entry.number, added->state});
    }
    if (added->replay) changes.emplace_back(*added->replay);
    const auto on_written = [this, entry, done, made](const base::Result<void>& written) {
      if (!written) {
        directory_.erase(entry.id);
        entry.shard->post(
            [entry, reason = written.error()] { entry.shard->remove(entry.number, reason); });
        return done(written.error());
      }
      directory_.settle(entry);
      tell_sink(entry, true);
      SubscriptionInfo info = entry.info();
      info.made_secret = made;
      done(std::move(info));
    };
    write_noted(std::move(changes), added->cursor, added->batch, on_written);
  });
}

// A cursor rests on notes, which come first.
void LocalBroker::write_noted(std::vector<store::RegistryChange> changes,
                              const std::optional<store::CursorRow>& cursor, std::uint64_t batch,
                              const Done& done) {
  if (!cursor) return clerk_->write(std::move(changes), done);
  changes.emplace_back(*cursor);
  sequencer_->after_notes(
      batch, [this, changes = std::move(changes), done](const base::Result<void>& noted) {
        if (!noted) return done(noted);
        clerk_->write(changes, done);
      });
}

void LocalBroker::replace(const DirectoryEntry& before, const DefinitionPtr& definition,
                          const SubscriptionDone& done) {
  const auto granted = grant_secrets(definition->sink_config(),
                                     {.sink = definition->sink(),
                                      .sink_before = before.definition->sink(),
                                      .secrets_before = before.sink_secrets.get()},
                                     options_.wall_now());
  if (!granted) {
    directory_.settle(before);
    return done(granted.error());
  }
  before.shard->post([this, before, definition, done, granted = *granted] {
    const auto replaced = before.shard->replace(before.number, definition);
    if (!replaced) {
      directory_.settle(before);
      return done(replaced.error());
    }
    DirectoryEntry entry = before;
    entry.definition = definition;
    entry.sink_number = ++sink_count_;
    entry.sink_secrets = granted.secrets;
    entry.since_sequence = replaced->since_sequence.value_or(entry.since_sequence);
    std::vector<store::RegistryChange> changes;
    changes.emplace_back(store::SubscriptionRow{.number = entry.number,
                                                .id = entry.id,
                                                .owner = entry.owner,
                                                .definition = definition->to_json(),
                                                .created = entry.created,
                                                .since_sequence = entry.since_sequence});
    changes.push_back(secrets_change(entry.number, entry.sink_secrets));
    if (replaced->since_sequence && replaced->state.empty()) {
      changes.emplace_back(store::RemoveCheckpoint{entry.number});
    } else if (replaced->since_sequence) {
      changes.emplace_back(store::CheckpointRow{entry.number, replaced->state});
    }
    if (replaced->since_sequence) {
      changes.emplace_back(store::EndReplay{entry.number, entry.since_sequence});
    }
    if (replaced->replay) changes.emplace_back(*replaced->replay);
    const std::string& made = granted.made_secret;
    const auto on_written = [this, before, entry, done, made](const base::Result<void>& written) {
      if (written) {
        directory_.settle(entry);
        // What the sink before was in trouble with is none of the new one's.
        entry.gauges->set_trouble("");
        tell_sink(before, false);
        tell_sink(entry, true);
        SubscriptionInfo info = entry.info();
        info.made_secret = made;
        return done(std::move(info));
      }
      // The registry still has the definition before, so that is the one that counts.
      entry.shard->post([this, before, done, reason = written.error()] {
        const auto restored =
            before.shard->replace(before.number, before.definition, Shard::Room::kAnyway);
        directory_.settle(before);
        done(restored ? reason : restored.error());
      });
    };
    write_noted(std::move(changes), replaced->cursor, replaced->batch, on_written);
  });
}

void LocalBroker::remove(const PrincipalPtr& principal, std::string_view id, Done done) {
  const auto entry = directory_.begin_change(*principal, id);
  if (!entry) return done(entry.error());
  clerk_->write({store::RemoveSubscription{entry->number}},
                [this, entry = *entry, done = std::move(done)](const base::Result<void>& written) {
                  if (!written) {
                    directory_.settle(entry);
                    return done(written);
                  }
                  directory_.erase(entry.id);
                  tell_sink(entry, false);
                  entry.shard->post([entry] {
                    entry.shard->remove(entry.number, error(base::ErrorId::kBrokerEnded,
                                                            "the subscription was deleted"));
                  });
                  done({});
                });
}

base::Result<SubscriptionInfo> LocalBroker::get(const PrincipalPtr& principal,
                                                std::string_view id) {
  const auto entry = directory_.find(*principal, id);
  if (!entry) return entry.error();
  return entry->info();
}

std::vector<SubscriptionInfo> LocalBroker::list(const PrincipalPtr& principal,
                                                std::string_view after_id, std::size_t count_max) {
  return directory_.list(*principal, after_id, count_max);
}

void LocalBroker::acknowledge(const PrincipalPtr& principal, std::string_view id,
                              const DeliveryId& delivery, Done done) {
  const auto entry = directory_.find(*principal, id);
  if (!entry) return done(entry.error());
  entry->shard->post(
      [shard = entry->shard, subscription = entry->number, delivery, done = std::move(done)] {
        shard->acknowledge(subscription, delivery, done);
      });
}

void LocalBroker::answer(const PrincipalPtr& principal, std::string_view id, Answer answer,
                         AnswerDone done) {
  const auto entry = directory_.find(*principal, id);
  if (!entry) return done(entry.error());
  entry->shard->post([shard = entry->shard, subscription = entry->number,
                      answer = std::move(answer),
                      done = std::move(done)] { shard->answer(subscription, answer, done); });
}

void LocalBroker::forget(const PrincipalPtr& principal, std::string_view id, event::EventPtr event,
                         ForgetDone done) {
  const auto entry = directory_.find(*principal, id);
  if (!entry) return done(entry.error());
  entry->shard->post([shard = entry->shard, subscription = entry->number, event = std::move(event),
                      done = std::move(done)] { shard->forget(subscription, event, done); });
}

void LocalBroker::explain(const PrincipalPtr& principal, std::string_view id, event::EventPtr event,
                          ExplainDone done) {
  const auto entry = directory_.find(*principal, id);
  if (!entry) return done(entry.error());
  if (const auto refused = refusal_to_read(*principal, *entry)) return done(*refused);
  entry->shard->post([shard = entry->shard, subscription = entry->number, event = std::move(event),
                      done = std::move(done)] { done(shard->explain(subscription, event)); });
}

SessionPtr LocalBroker::refuse(const std::shared_ptr<Consumer>& consumer,
                               const base::Error& reason) {
  shards_.front()->post([consumer, reason] { consumer->on_end(reason); });
  return std::make_shared<NoSession>();
}

SessionPtr LocalBroker::attach(const PrincipalPtr& principal, std::string_view id,
                               std::optional<DeliveryId> acknowledged,
                               std::shared_ptr<Consumer> consumer) {
  const auto entry = directory_.find(*principal, id);
  if (!entry) return refuse(consumer, entry.error());
  if (const auto refused = refusal_to_read(*principal, *entry)) return refuse(consumer, *refused);
  if (!entry->definition->sink().empty()) {
    return refuse(consumer, error(base::ErrorId::kBrokerInUse,
                                  "the deliveries of this subscription go to its sink"));
  }
  auto session =
      std::make_shared<ShardSession>(entry->shard, entry->number, principal, std::move(consumer));
  entry->shard->post(
      [shard = entry->shard, session, acknowledged] { shard->attach(session, acknowledged); });
  return session;
}

SessionPtr LocalBroker::attach_sink(std::string_view id, std::shared_ptr<Consumer> consumer) {
  const auto entry = directory_.find(id);
  if (!entry) return refuse(consumer, entry.error());
  auto session = std::make_shared<ShardSession>(entry->shard, entry->number, entry->principal,
                                                std::move(consumer));
  entry->shard->post([shard = entry->shard, session] { shard->attach(session, std::nullopt); });
  return session;
}

SessionPtr LocalBroker::stream(const PrincipalPtr& principal, DefinitionPtr definition,
                               std::shared_ptr<Consumer> consumer) {
  if (const auto refused = refusal(*principal, *definition, "stream")) {
    return refuse(consumer, *refused);
  }
  if (definition->policy() == OutboxPolicy::kBlock) {
    return refuse(consumer, error(base::ErrorId::kBrokerDefinition,
                                  "only a durable subscription can block publishers"));
  }
  if (definition->shared()) {
    return refuse(consumer, error(base::ErrorId::kBrokerDefinition,
                                  "only a durable subscription can have shared consumers"));
  }
  auto place = take_place(principal->name);
  if (!place) return refuse(consumer, place.error());
  const std::uint64_t number = kEphemeral | ++stream_count_;
  const ShardSubscription subscription{.number = number,
                                       .id = {},
                                       .durable = false,
                                       .definition = definition,
                                       .principal = principal,
                                       .owner = principal->name,
                                       .gauges = std::make_shared<SubscriptionGauges>(),
                                       .place = std::move(*place)};
  const auto shard = shard_for(*definition, number);
  auto session = std::make_shared<ShardSession>(shard, number, principal, std::move(consumer));
  shard->post([shard, subscription, session] {
    const auto added = shard->add(subscription);
    if (!added) return session->consumer->on_end(added.error());
    shard->attach(session, std::nullopt);
  });
  return session;
}

void LocalBroker::listen_to_sinks(std::shared_ptr<SinkListener> listener) {
  const std::scoped_lock lock(listener_mutex_);
  listener_ = std::move(listener);
  if (!listener_) return;
  for (const DirectoryEntry& entry : directory_.with_sink()) listener_->on_sink(entry.info());
}

void LocalBroker::tell_sink(const DirectoryEntry& entry, bool is_there) {
  if (entry.definition->sink().empty()) return;
  const std::scoped_lock lock(listener_mutex_);
  if (!listener_) return;
  is_there ? listener_->on_sink(entry.info()) : listener_->on_sink_removed(entry.id);
}

void LocalBroker::report_trouble(std::string_view id, std::uint64_t sink_number,
                                 std::string trouble) {
  directory_.set_trouble(id, sink_number, std::move(trouble));
}

}  // namespace weir::broker
