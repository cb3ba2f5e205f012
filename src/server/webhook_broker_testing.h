// SPDX-License-Identifier: Apache-2.0
// WebhookBroker: as much of a broker as a sender of webhooks sees, for tests.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "broker/broker.h"
#include "server/fake_token_admin_testing.h"

namespace weir::server {

// What a test can see of a subscription.
struct SinkRecord {
  std::vector<std::uint64_t> acknowledged;
  std::vector<std::pair<std::uint64_t, std::string>> buried;
  std::vector<std::string> troubles;  // as they were reported
  std::size_t attach_count = 0;
  std::size_t close_count = 0;
};

class WebhookBroker final : public broker::Broker {
 public:
  // One more delivery; the numbers count from 1. More than one event is a group.
  void add(const std::string& id, std::vector<std::string> events, bool redelivered = false);
  // Ends the session.
  void end(const std::string& id, const base::Error& reason);

  // False, after ten seconds.
  bool wait_until(const std::string& id, const std::function<bool(const SinkRecord&)>& satisfied);
  SinkRecord record(const std::string& id);

  // A subscription as listeners get it.
  static broker::SubscriptionInfo subscription(std::string id, std::string_view sink,
                                               std::string owner = {});

  broker::SessionPtr attach_sink(std::string_view id,
                                 std::shared_ptr<broker::Consumer> consumer) override;
  void report_trouble(std::string_view id, std::uint64_t sink_number, std::string trouble) override;

  // Nothing else is there.
  void stop() override {}
  std::optional<base::Result<broker::PrincipalPtr>> recall(std::string_view) override { return {}; }
  base::Result<broker::PrincipalPtr> authenticate(std::string_view token) override;
  base::Result<void> reload_tokens() override;
  std::vector<base::Error> unreadable_tokens() const override { return {}; }
  std::uint64_t token_revision() const override { return 0; }
  broker::TokenAdmin& token_admin() override { return token_admin_; }
  void publish(const broker::PrincipalPtr&, std::vector<base::Result<event::EventPtr>>,
               broker::PublishDone) override {}
  void put(const broker::PrincipalPtr&, broker::DefinitionPtr, std::optional<std::string>,
           broker::PutMode, broker::SubscriptionDone) override {}
  void remove(const broker::PrincipalPtr&, std::string_view, broker::Done) override {}
  void transfer(const broker::PrincipalPtr&, std::string_view, std::string_view,
                broker::SubscriptionDone) override {}
  void transfer_all(const broker::PrincipalPtr&, std::string_view, std::string_view,
                    broker::TransferDone) override {}
  base::Result<broker::SubscriptionInfo> get(const broker::PrincipalPtr&,
                                             std::string_view) override;
  std::vector<broker::SubscriptionInfo> list(const broker::PrincipalPtr&, std::string_view,
                                             std::size_t) override {
    return {};
  }
  void acknowledge(const broker::PrincipalPtr&, std::string_view, const broker::DeliveryId&,
                   broker::Done) override {}
  void answer(const broker::PrincipalPtr&, std::string_view, broker::Answer,
              broker::AnswerDone) override {}
  void forget(const broker::PrincipalPtr&, std::string_view, event::EventPtr,
              broker::ForgetDone) override {}
  void explain(const broker::PrincipalPtr&, std::string_view, event::EventPtr,
               broker::ExplainDone) override {}
  base::Result<std::vector<store::DeadLetterRow>> dead_letters(const broker::PrincipalPtr&,
                                                               std::string_view, std::uint64_t,
                                                               std::size_t) override;
  void resend_dead_letters(const broker::PrincipalPtr&, std::string_view,
                           std::optional<std::uint64_t>, broker::LettersDone) override {}
  void purge_dead_letters(const broker::PrincipalPtr&, std::string_view,
                          std::optional<std::uint64_t>, broker::LettersDone) override {}
  broker::SessionPtr attach(const broker::PrincipalPtr&, std::string_view,
                            std::optional<broker::DeliveryId>,
                            std::shared_ptr<broker::Consumer>) override {
    return nullptr;
  }
  broker::SessionPtr stream(const broker::PrincipalPtr&, broker::DefinitionPtr,
                            std::shared_ptr<broker::Consumer>) override {
    return nullptr;
  }
  void listen_to_sinks(std::shared_ptr<broker::SinkListener>) override {}
  std::vector<broker::Loss> take_losses() override { return {}; }
  broker::BrokerStats stats() const override;
  std::optional<base::Error> trouble() const override { return {}; }
  const broker::BrokerOptions& options() const override;

 private:
  class Session;
  struct Delivery {
    std::vector<std::string> events;
    bool redelivered = false;
  };
  struct Sink {
    SinkRecord record;
    std::vector<Delivery> deliveries;  // by number - 1
    std::size_t settled_count = 0;
    std::size_t dispatched_count = 0;
    std::uint64_t credit = 0;
    std::shared_ptr<broker::Consumer> consumer;  // null: none
    std::uint64_t round = 0;
  };

  void change(const std::string& id, const std::function<void(Sink&)>& apply);
  static void pump(Sink& sink);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Sink> sinks_;
  FakeTokenAdmin token_admin_;
};

}  // namespace weir::server
