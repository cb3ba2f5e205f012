// SPDX-License-Identifier: Apache-2.0
// FakeBroker: a broker for tests of the server, that does what it is told and notes what it gets.
//
// Publishing accepts every event, refuses a second one of the same id as a duplicate, and answers
// from a thread of its own. Sessions deliver what deliver() gives them, as far as credit goes. A
// window has seen events of the id "seen", and has enough of forgetting those of the id "often".
// Nothing is shared. Filters are explained as if nothing had been published yet, to who may
// subscribe. Every owner but "nobody" may be given subscriptions.
#pragma once

#include <atomic>
#include <condition_variable>
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
#include <vector>

#include "broker/broker.h"
#include "server/fake_token_admin_testing.h"

namespace weir::server {

class FakeSession;

class FakeBroker final : public broker::Broker {
 public:
  FakeBroker();
  ~FakeBroker() override;

  // What tests say.
  void add_token(std::string token, broker::Grants grants);
  void forget_token(std::string_view token);  // as if it had been revoked
  void set_unreadable_tokens(std::vector<base::Error> errors);
  void refuse_publishing(std::optional<base::Error> error);
  void hold_publishing(bool hold);  // answers wait until it is false again
  void hold_authentication(bool hold);
  void set_trouble(std::optional<base::Error> error);
  struct Failures {
    std::uint64_t commit_failures = 0;
    std::uint64_t registry_failures = 0;
  };
  void set_failures(Failures failures);  // counted so far
  void set_clock(broker::ClockSteps steps, base::Duration offset);
  void add_dead_letter(store::DeadLetterRow letter);
  // To the open session, when there is one; waits for it.
  void deliver(broker::Dispatch dispatch);
  void deliver(std::uint64_t number, std::string json, bool redelivered = false);
  void end_session(base::Error reason);
  // The last delivery of all subscriptions, of incarnation 12: attach() refuses what comes after
  // it, and other incarnations.
  void set_last_number(std::uint64_t number);

  // What tests ask; these wait for it.
  std::string attached_with();                      // what the last attach() was told to be
                                                    // there; empty: nothing
  bool wait_until_closed();                         // the last session
  bool wait_for_publishers(std::size_t count);      // held ones
  bool wait_for_authentication(std::size_t count);  // begun ones
  std::uint64_t credit_max();                       // that the last session had at a time
  std::uint64_t total_credit();
  std::size_t authentication_count() const;

  void stop() override {}
  base::Result<broker::PrincipalPtr> authenticate(std::string_view token) override;
  std::optional<base::Result<broker::PrincipalPtr>> recall(std::string_view token) override;
  base::Result<void> reload_tokens() override { return {}; }
  std::vector<base::Error> unreadable_tokens() const override;
  std::uint64_t token_revision() const override { return token_revision_; }
  FakeTokenAdmin& token_admin() override { return token_admin_; }
  void publish(const broker::PrincipalPtr& principal,
               std::vector<base::Result<event::EventPtr>> events,
               broker::PublishDone done) override;
  void put(const broker::PrincipalPtr& principal, broker::DefinitionPtr definition,
           std::optional<std::string> id, broker::PutMode mode,
           broker::SubscriptionDone done) override;
  void remove(const broker::PrincipalPtr& principal, std::string_view id,
              broker::Done done) override;
  void transfer(const broker::PrincipalPtr& principal, std::string_view id, std::string_view owner,
                broker::SubscriptionDone done) override;
  void transfer_all(const broker::PrincipalPtr& principal, std::string_view from,
                    std::string_view owner, broker::TransferDone done) override;
  base::Result<broker::SubscriptionInfo> get(const broker::PrincipalPtr& principal,
                                             std::string_view id) override;
  std::vector<broker::SubscriptionInfo> list(const broker::PrincipalPtr& principal,
                                             std::string_view after_id,
                                             std::size_t count_max) override;
  void acknowledge(const broker::PrincipalPtr& principal, std::string_view id,
                   const broker::DeliveryId& delivery, broker::Done done) override;
  void answer(const broker::PrincipalPtr& principal, std::string_view id, broker::Answer answer,
              broker::AnswerDone done) override;
  void forget(const broker::PrincipalPtr& principal, std::string_view id, event::EventPtr event,
              broker::ForgetDone done) override;
  void explain(const broker::PrincipalPtr& principal, std::string_view id, event::EventPtr event,
               broker::ExplainDone done) override;
  base::Result<std::vector<store::DeadLetterRow>> dead_letters(
      const broker::PrincipalPtr& principal, std::string_view id, std::uint64_t after_delivery,
      std::size_t count_max) override;
  void resend_dead_letters(const broker::PrincipalPtr& principal, std::string_view id,
                           std::optional<std::uint64_t> delivery,
                           broker::LettersDone done) override;
  void purge_dead_letters(const broker::PrincipalPtr& principal, std::string_view id,
                          std::optional<std::uint64_t> delivery, broker::LettersDone done) override;
  broker::SessionPtr attach(const broker::PrincipalPtr& principal, std::string_view id,
                            std::optional<broker::DeliveryId> acknowledged,
                            std::shared_ptr<broker::Consumer> consumer) override;
  broker::SessionPtr attach_sink(std::string_view, std::shared_ptr<broker::Consumer>) override {
    return nullptr;
  }
  broker::SessionPtr stream(const broker::PrincipalPtr& principal, broker::DefinitionPtr definition,
                            std::shared_ptr<broker::Consumer> consumer) override;
  void listen_to_sinks(std::shared_ptr<broker::SinkListener>) override {}
  void report_trouble(std::string_view, std::uint64_t, std::string) override {}
  std::vector<broker::Loss> take_losses() override { return losses.take(); }
  broker::LossJournal losses;
  broker::BrokerStats stats() const override;
  std::optional<base::Error> trouble() const override;
  const broker::BrokerOptions& options() const override { return options_; }

 private:
  friend class FakeSession;

  void later(std::function<void()> work);
  std::uint64_t ask(std::function<std::uint64_t(const FakeSession&)> question);
  void work();
  broker::PublishOutcome publish_one(const base::Result<event::EventPtr>& event);
  broker::SessionPtr open(std::shared_ptr<broker::Consumer> consumer,
                          std::optional<base::Error> refusal, std::uint64_t incarnation);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  broker::BrokerOptions options_;
  std::map<std::string, broker::PrincipalPtr, std::less<>> tokens_;
  std::atomic<std::uint64_t> token_revision_ = 0;
  FakeTokenAdmin token_admin_;
  std::vector<base::Error> unreadable_tokens_;
  std::size_t authentication_count_ = 0;
  bool hold_authentication_ = false;
  std::set<std::string, std::less<>> verified_;
  std::set<std::string> published_;
  std::uint64_t sequence_ = 0;
  std::optional<base::Error> publish_error_;
  std::optional<base::Error> trouble_;
  Failures failures_;
  broker::ClockSteps clock_steps_;
  base::Duration clock_offset_;
  bool hold_ = false;
  std::vector<std::function<void()>> held_;
  std::map<std::string, broker::SubscriptionInfo, std::less<>> subscriptions_;
  std::vector<store::DeadLetterRow> letters_;
  std::shared_ptr<FakeSession> session_;
  std::optional<broker::DeliveryId> attached_with_;
  std::uint64_t last_number_ = UINT64_MAX;

  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace weir::server
