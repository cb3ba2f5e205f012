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
#include "broker/broker_time.h"
#include "broker/clerk.h"
#include "broker/counters.h"
#include "broker/directory.h"
#include "broker/loss_journal.h"
#include "broker/memory_budget.h"
#include "broker/owner_transfer.h"
#include "broker/quota.h"
#include "broker/recovery.h"
#include "broker/sequencer.h"
#include "broker/shard.h"
#include "broker/token_service.h"
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
  std::vector<base::Error> unreadable_tokens() const override { return tokens_->unreadable(); }
  std::uint64_t token_revision() const override { return tokens_->revision(); }
  TokenAdmin& token_admin() override { return *tokens_; }
  void publish(const PrincipalPtr& principal, std::vector<base::Result<event::EventPtr>> events,
               PublishDone done) override;
  void put(const PrincipalPtr& principal, DefinitionPtr definition, std::optional<std::string> id,
           PutMode mode, SubscriptionDone done) override;
  void remove(const PrincipalPtr& principal, std::string_view id, Done done) override;
  void transfer(const PrincipalPtr& principal, std::string_view id, std::string_view owner,
                SubscriptionDone done) override;
  void transfer_all(const PrincipalPtr& principal, std::string_view from, std::string_view owner,
                    TransferDone done) override;
  base::Result<SubscriptionInfo> get(const PrincipalPtr& principal, std::string_view id) override;
  std::vector<SubscriptionInfo> list(const PrincipalPtr& principal, std::string_view after_id,
                                     std::size_t count_max) override;
  void acknowledge(const PrincipalPtr& principal, std::string_view id, const DeliveryId& delivery,
                   Done done) override;
  void answer(const PrincipalPtr& principal, std::string_view id, Answer answer,
              AnswerDone done) override;
  void forget(const PrincipalPtr& principal, std::string_view id, event::EventPtr event,
              ForgetDone done) override;
  void explain(const PrincipalPtr& principal, std::string_view id, event::EventPtr event,
               ExplainDone done) override;
  base::Result<std::vector<store::DeadLetterRow>> dead_letters(const PrincipalPtr& principal,
                                                               std::string_view id,
                                                               std::uint64_t after_delivery,
                                                               std::size_t count_max) override;
  void resend_dead_letters(const PrincipalPtr& principal, std::string_view id,
                           std::optional<std::uint64_t> delivery, LettersDone done) override;
  void purge_dead_letters(const PrincipalPtr& principal, std::string_view id,
                          std::optional<std::uint64_t> delivery, LettersDone done) override;
  SessionPtr attach(const PrincipalPtr& principal, std::string_view id,
                    std::optional<DeliveryId> acknowledged,
                    std::shared_ptr<Consumer> consumer) override;
  SessionPtr attach_sink(std::string_view id, std::shared_ptr<Consumer> consumer) override;
  SessionPtr stream(const PrincipalPtr& principal, DefinitionPtr definition,
                    std::shared_ptr<Consumer> consumer) override;
  void listen_to_sinks(std::shared_ptr<SinkListener> listener) override;
  void report_trouble(std::string_view id, std::uint64_t sink_number, std::string trouble) override;
  std::vector<Loss> take_losses() override { return losses_.take(); }
  BrokerStats stats() const override;
  std::optional<base::Error> trouble() const override { return sequencer_->trouble(); }
  const BrokerOptions& options() const override { return options_; }

 private:
  base::Result<void> open_all();
  base::Result<void> open_store();
  base::Result<void> keep_numbers(std::uint64_t noted);
  base::Result<void> start_time(const store::RegistryContents& contents);
  base::Result<void> restore_shares(const store::RegistryContents& contents);
  void forbid(const TokenChanges& changes);
  // The principal whose name the subscriptions of this one are in.
  PrincipalPtr owner_of(const PrincipalPtr& principal) const;
  base::Result<std::vector<KnownSubscription>> known_subscriptions(
      const store::RegistryContents& contents);
  std::shared_ptr<Shard> shard_for(const Definition& definition, std::uint64_t number) const;
  std::optional<base::Error> refusal(const Principal& principal, const Definition& definition,
                                     const std::string& id) const;
  void create(const PrincipalPtr& principal, const DefinitionPtr& definition, const std::string& id,
              const SubscriptionDone& done);
  void write_noted(std::vector<store::RegistryChange> changes,
                   const std::optional<store::CursorRow>& cursor, std::uint64_t batch,
                   const Done& done);
  void replace(const DirectoryEntry& before, const DefinitionPtr& definition,
               const SubscriptionDone& done);
  base::Result<PrincipalPtr> new_owner(const Principal& admin, std::string_view name) const;
  OwnerTransfer::Context transfer_context();
  void tell_use(BrokerStats& stats) const;
  // For one more subscription.
  base::Result<std::shared_ptr<const void>> take_place(const std::string& owner);
  base::Error no_memory_for_events(const base::MemoryAccount& full, std::size_t bytes) const;
  // Numbers of the dead letters that the principal may see: one, or all.
  base::Result<std::vector<std::uint64_t>> letter_numbers(const Principal& principal,
                                                          const DirectoryEntry& entry,
                                                          std::optional<std::uint64_t> delivery);
  SessionPtr refuse(const std::shared_ptr<Consumer>& consumer, const base::Error& reason);
  void tell_sink(const DirectoryEntry& entry, bool is_there);

  BrokerOptions options_;
  Counters counters_;
  MemoryBudget memory_;
  LogShares shares_;
  LossJournal losses_;
  std::unique_ptr<store::DirectoryLock> lock_;
  std::unique_ptr<store::Registry> registry_;
  std::unique_ptr<store::EventLog> log_;
  std::unique_ptr<BrokerTime> time_;
  std::unique_ptr<TokenService> tokens_;
  std::shared_ptr<Quota> quota_;
  std::unique_ptr<Clerk> clerk_;
  std::unique_ptr<Sequencer> sequencer_;
  std::vector<std::shared_ptr<Shard>> shards_;
  Directory directory_;
  std::atomic<std::uint64_t> stream_count_{0};  // ephemeral subscriptions ever
  std::atomic<std::uint64_t> sink_count_{0};    // definitions with a sink, since the start
  std::atomic<bool> stopping_{false};
  std::mutex listener_mutex_;
  std::shared_ptr<SinkListener> listener_;
};

}  // namespace weir::broker
