// SPDX-License-Identifier: Apache-2.0
// LocalBroker: the broker of one machine. Puts the parts together and asks who may do what.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/broker.h"
#include "broker/clerk.h"
#include "broker/counters.h"
#include "broker/directory.h"
#include "broker/quota.h"
#include "broker/recovery.h"
#include "broker/sequencer.h"
#include "broker/shard.h"
#include "broker/tokens.h"
#include "store/directory_lock.h"
#include "store/event_log.h"
#include "store/registry.h"

namespace weir::broker {

class LocalBroker final : public Broker {
 public:
  explicit LocalBroker(BrokerOptions options);
  ~LocalBroker() override;

  base::Result<void> open();

  void stop() override;
  base::Result<PrincipalPtr> authenticate(std::string_view token) override;
  std::optional<base::Result<PrincipalPtr>> recall(std::string_view token) override;
  base::Result<void> reload_tokens() override;
  std::vector<base::Error> unreadable_tokens() const override;
  void publish(const PrincipalPtr& principal, std::vector<base::Result<event::EventPtr>> events,
               PublishDone done) override;
  void put(const PrincipalPtr& principal, DefinitionPtr definition, std::optional<std::string> id,
           PutMode mode, SubscriptionDone done) override;
  void remove(const PrincipalPtr& principal, std::string_view id, Done done) override;
  base::Result<SubscriptionInfo> get(const PrincipalPtr& principal, std::string_view id) override;
  std::vector<SubscriptionInfo> list(const PrincipalPtr& principal, std::string_view after_id,
                                     std::size_t count_max) override;
  void acknowledge(const PrincipalPtr& principal, std::string_view id, std::uint64_t number,
                   Done done) override;
  void forget(const PrincipalPtr& principal, std::string_view id, event::EventPtr event,
              ForgetDone done) override;
  void explain(const PrincipalPtr& principal, std::string_view id, event::EventPtr event,
               ExplainDone done) override;
  base::Result<std::vector<store::DeadLetterRow>> dead_letters(const PrincipalPtr& principal,
                                                               std::string_view id,
                                                               std::uint64_t after_delivery,
                                                               std::size_t count_max) override;
  SessionPtr attach(const PrincipalPtr& principal, std::string_view id,
                    std::optional<std::uint64_t> acknowledged,
                    std::shared_ptr<Consumer> consumer) override;
  SessionPtr attach_sink(std::string_view id, std::shared_ptr<Consumer> consumer) override;
  SessionPtr stream(const PrincipalPtr& principal, DefinitionPtr definition,
                    std::shared_ptr<Consumer> consumer) override;
  void listen_to_sinks(std::shared_ptr<SinkListener> listener) override;
  void report_trouble(std::string_view id, std::string trouble) override;
  BrokerStats stats() const override;
  std::optional<base::Error> trouble() const override { return sequencer_->trouble(); }
  const BrokerOptions& options() const override { return options_; }

 private:
  base::Result<void> open_store();
  base::Result<std::vector<std::string>> read_tokens();  // names of those that are gone
  base::Result<std::vector<KnownSubscription>> known_subscriptions(
      const store::RegistryContents& contents);
  std::shared_ptr<Shard> shard_for(const Definition& definition, std::uint64_t number) const;
  std::optional<base::Error> refusal(const Principal& principal, const Definition& definition,
                                     const std::string& id) const;
  void create(const PrincipalPtr& principal, const DefinitionPtr& definition, const std::string& id,
              const SubscriptionDone& done);
  void replace(const DirectoryEntry& before, const DefinitionPtr& definition,
               const SubscriptionDone& done);
  SessionPtr refuse(const std::shared_ptr<Consumer>& consumer, const base::Error& reason);
  void tell_sink(const DirectoryEntry& entry, bool is_there);

  BrokerOptions options_;
  Counters counters_;
  std::unique_ptr<store::DirectoryLock> lock_;
  std::unique_ptr<store::Registry> registry_;
  std::unique_ptr<store::EventLog> log_;
  Tokens tokens_;
  mutable std::mutex unreadable_mutex_;
  std::vector<base::Error> unreadable_tokens_;
  std::shared_ptr<Quota> quota_;
  std::unique_ptr<Clerk> clerk_;
  std::unique_ptr<Sequencer> sequencer_;
  std::vector<std::shared_ptr<Shard>> shards_;
  Directory directory_;
  std::atomic<std::uint64_t> stream_count_{0};  // ephemeral subscriptions ever
  std::atomic<bool> stopping_{false};
  std::mutex listener_mutex_;
  std::shared_ptr<SinkListener> listener_;
};

}  // namespace weir::broker
