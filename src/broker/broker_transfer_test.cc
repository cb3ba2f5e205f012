// SPDX-License-Identifier: Apache-2.0
// Subscriptions that an admin gives to another owner.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

using base::describe;
using testing::ElementsAre;

std::string event(int id, std::string_view source, double value = 0) {
  return fmt::format(R"({{"id":"{}","source":"{}","data":{{"x":{}}}}})", id, source, value);
}

Grants grants_on(std::string source) {
  const Scope scope{.source_prefix = std::move(source), .type_prefix = ""};
  return {.publish = {scope}, .subscribe = {scope}};
}

class BrokerTransferTest : public testing::Test {
 protected:
  BrokerOptions options() const {
    return {.directory = directory_ / "data",
            .shard_count = 2,
            .subscriptions_per_owner_max = 3,
            .clocks = system_clocks};
  }

  static PrincipalPtr make(TestBroker& broker, std::string name, Grants grants) {
    const auto token = broker->token_admin().create(
        *everyone(), {.name = std::move(name), .grants = std::move(grants)});
    EXPECT_EQ(describe(token), "ok");
    return broker->authenticate(token->text).value();
  }

  base::TemporaryDirectory directory_;
};

constexpr std::string_view kChange =
    R"({"id":"a","filters":[{"weir":"change(data.x, by source) > 1"}]})";

TEST_F(BrokerTransferTest, KeepsStateNumbersAndOutbox) {
  TestBroker broker(options());
  const PrincipalPtr before = make(broker, "before", grants_on("/"));
  const PrincipalPtr after = make(broker, "after", grants_on("/a"));
  ASSERT_EQ(broker.put(kChange, before), "ok");
  const auto old_consumer = broker.attach("a", {}, before);
  ASSERT_EQ(broker.publish(event(1, "/a", 10)), "accepted");
  ASSERT_TRUE(old_consumer->wait_count(1));

  EXPECT_EQ(broker.transfer("a", "after"), "ok");
  EXPECT_EQ(old_consumer->wait_end(), "broker.ended");
  EXPECT_EQ(describe(broker->get(before, "a")),
            "broker.no_such_subscription - there is no subscription 'a'");
  EXPECT_EQ(broker->get(after, "a")->owner, "after");
  for (int round = 0; round < 2; ++round) {
    SCOPED_TRACE(round == 0 ? "at once" : "after a restart");
    const int first = 10 * (round + 1);
    const double level = 10 + 5 * round;
    ASSERT_EQ(broker.publish(event(first, "/a", level + 0.5)), "accepted");
    ASSERT_EQ(broker.publish(event(first + 1, "/b", level + 50)), "accepted");
    ASSERT_EQ(broker.publish(event(first + 2, "/a", level + 5)), "accepted");
    const auto consumer = broker.attach("a", {}, after);
    ASSERT_TRUE(consumer->wait_count(round == 0 ? 2 : 3));
    EXPECT_EQ(consumer->received().front().number, 1U) << "was not acknowledged";
    EXPECT_EQ(consumer->ids().back(), fmt::to_string(first + 2))
        << "the last value is known, what the new owner may not see is gated";
    if (round == 0) broker.open_again();
  }
}

TEST_F(BrokerTransferTest, WithholdsWhatTheNewOwnerMayNotSee) {
  TestBroker broker(options());
  const PrincipalPtr before = make(broker, "before", grants_on("/"));
  const PrincipalPtr after = make(broker, "after", grants_on("/a"));
  ASSERT_EQ(broker.put(R"({"id":"a"})", before), "ok");
  for (int i = 1; i <= 4; ++i) {
    ASSERT_EQ(broker.publish(event(i, i % 2 == 0 ? "/a" : "/b")), "accepted");
  }
  ASSERT_EQ(broker.transfer("a", "after"), "ok");
  ASSERT_EQ(broker.publish(event(5, "/b")), "accepted");
  ASSERT_EQ(broker.publish(event(6, "/a")), "accepted");
  const auto consumer = broker.attach("a", {}, after);
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_THAT(consumer->ids(), ElementsAre("2", "4", "6"));
  EXPECT_EQ(consumer->received().back().number, 5U);
  EXPECT_TRUE(eventually([&] { return broker->get(after, "a")->counts.settled.withheld == 2; }))
      << "it is told that they are lost";
}

TEST_F(BrokerTransferTest, BringsASilencedSubscriptionToLifeAgain) {
  for (const bool restarts : {false, true}) {
    SCOPED_TRACE(restarts ? "after a restart" : "at once");
    const std::string name = restarts ? "second" : "first";
    TestBroker broker(options());
    const PrincipalPtr before = make(broker, name, grants_on("/"));
    const PrincipalPtr after = make(broker, name + "-heir", grants_on("/"));
    ASSERT_EQ(broker.put(fmt::format(R"({{"id":"{}","filters":[{{"weir":)"
                                     R"("change(data.x, by source) > 1"}}]}})",
                                     name),
                         before),
              "ok");
    ASSERT_EQ(broker.publish(event(1, "/" + name, 10)), "accepted");
    ASSERT_TRUE(eventually([&] { return broker->get(before, name)->counts.pending == 1; }));
    ASSERT_EQ(describe(broker->token_admin().revoke(*everyone(), name)), "ok");
    EXPECT_EQ(broker.attach(name, {}, everyone())->wait_end(), "broker.ended");
    ASSERT_EQ(broker.publish(event(2, "/" + name, 20)), "accepted");
    if (restarts) broker.open_again();

    ASSERT_EQ(broker.transfer(name, name + "-heir"), "ok");
    ASSERT_EQ(broker.publish(event(3, "/" + name, 10.5)), "accepted");
    ASSERT_EQ(broker.publish(event(4, "/" + name, 12)), "accepted");
    const auto consumer = broker.attach(name, {}, after);
    ASSERT_TRUE(consumer->wait_count(2));
    EXPECT_THAT(consumer->ids(), ElementsAre("1", "4")) << "what it remembered is still there";
  }
}

// The outbox leaves room for one delivery of old events at a time.
TEST_F(BrokerTransferTest, ReadsOldEventsOnForTheNewOwner) {
  TestBroker broker(options());
  const PrincipalPtr before = make(broker, "before", grants_on("/"));
  const PrincipalPtr after = make(broker, "after", grants_on("/a"));
  for (int i = 1; i <= 4; ++i) {
    ASSERT_EQ(broker.publish(event(i, i == 2 ? "/b" : "/a")), "accepted");
  }
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"start":"earliest","outbox":{"limit":2}}})", before),
            "ok");
  ASSERT_TRUE(eventually([&] { return broker->get(before, "a")->counts.pending == 1; }));
  ASSERT_EQ(describe(broker->token_admin().revoke(*everyone(), "before")), "ok");
  broker.open_again();
  ASSERT_EQ(broker.transfer("a", "after"), "ok");
  const auto consumer = broker.attach("a", {}, after);
  for (std::size_t count = 1; count <= 3; ++count) {
    ASSERT_TRUE(consumer->wait_count(count));
    broker.session->acknowledge(consumer->received().back().number);
  }
  EXPECT_THAT(consumer->ids(), ElementsAre("1", "3", "4"));
}

TEST_F(BrokerTransferTest, NeedsAnAdminWhoseGrantsCoverBothOwners) {
  TestBroker broker(options());
  const PrincipalPtr before = make(broker, "before", grants_on("/a/"));
  make(broker, "after", grants_on("/b/"));
  ASSERT_EQ(broker.put(R"({"id":"a"})", before), "ok");
  const auto transferred_by = [&](std::string name, Grants grants) {
    grants.admin = true;
    return broker.transfer("a", "after", make(broker, std::move(name), std::move(grants)));
  };
  EXPECT_EQ(broker.transfer("a", "after", before), "broker.forbidden") << "no admin";
  EXPECT_EQ(transferred_by("blind", {}), "broker.forbidden");
  EXPECT_EQ(transferred_by("sees-before", grants_on("/a/")), "broker.forbidden");
  EXPECT_EQ(transferred_by("sees-after", grants_on("/b/")), "broker.forbidden")
      << "a sink could be anybody's";
  EXPECT_EQ(broker->get(before, "a")->owner, "before");
  EXPECT_EQ(broker.put(R"({"id":"a"})", before), "ok") << "a refusal leaves nothing behind";
  EXPECT_EQ(transferred_by("sees-both", grants_on("/")), "ok");
}

TEST_F(BrokerTransferTest, NeedsANewOwnerThatMayHaveIt) {
  TestBroker broker(options());
  const PrincipalPtr before = make(broker, "before", Grants::all());
  make(broker, "publisher", {.publish = {{}}, .subscribe = {}});
  make(broker, "meek", grants_on("/"));
  make(broker, "gone", grants_on("/"));
  ASSERT_EQ(describe(broker->token_admin().revoke(*everyone(), "gone")), "ok");
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"outbox":{"policy":"block"}}})", before), "ok");
  EXPECT_EQ(broker.transfer("a", "nobody"), "broker.no_such_token");
  EXPECT_EQ(broker.transfer("a", "gone"), "broker.no_such_token");
  EXPECT_EQ(broker.transfer("a", ""), "broker.no_such_token");
  EXPECT_EQ(broker.transfer("a", "publisher"), "broker.forbidden");
  EXPECT_EQ(broker.transfer("a", "meek"), "broker.forbidden") << "may not block";
  EXPECT_EQ(broker.transfer("b", "before"), "broker.no_such_subscription");
  EXPECT_EQ(broker.transfer("a", "before"), "ok") << "it is the owner already";
  EXPECT_EQ(broker->get(before, "a")->owner, "before");
}

TEST_F(BrokerTransferTest, MovesAllOfAnOwnerOrNoneAndCountsTheQuota) {
  TestBroker broker(options());
  const PrincipalPtr before = make(broker, "before", grants_on("/"));
  const PrincipalPtr full = make(broker, "full", grants_on("/"));
  const PrincipalPtr after = make(broker, "after", grants_on("/"));
  for (const char* const id : {"a", "b"}) {
    ASSERT_EQ(broker.put(fmt::format(R"({{"id":"{}"}})", id), before), "ok");
  }
  for (const char* const id : {"x", "y"}) {
    ASSERT_EQ(broker.put(fmt::format(R"({{"id":"{}"}})", id), full), "ok");
  }
  EXPECT_EQ(broker.transfer_all("before", "full"), "broker.too_many_subscriptions");
  EXPECT_EQ(broker->list(before, "", 10).size(), 2U);
  EXPECT_EQ(broker.transfer_all("before", "after"), "2");
  EXPECT_EQ(broker->list(before, "", 10).size(), 0U);
  EXPECT_EQ(broker->list(after, "", 10).size(), 2U);
  EXPECT_EQ(broker.transfer_all("before", "after"), "0");
  EXPECT_EQ(broker.transfer_all("nobody", "after"), "broker.no_such_token");
  EXPECT_EQ(broker.put(R"({"id":"c"})", after), "ok");
  EXPECT_EQ(broker.put(R"({"id":"d"})", after), "broker.too_many_subscriptions");
  for (const char* const id : {"d", "e", "f"}) {
    EXPECT_EQ(broker.put(fmt::format(R"({{"id":"{}"}})", id), before), "ok")
        << "its own places are free again";
  }
}

class RecordingListener final : public SinkListener {
 public:
  void on_sink(const SubscriptionInfo& subscription) override {
    note(subscription.id + " of " + subscription.owner);
  }
  void on_sink_removed(const std::string& id) override { note(id + " removed"); }
  std::vector<std::string> notes() {
    const std::scoped_lock lock(mutex_);
    return notes_;
  }

 private:
  void note(std::string text) {
    const std::scoped_lock lock(mutex_);
    notes_.push_back(std::move(text));
  }
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

TEST_F(BrokerTransferTest, LetsASinkGoOnInTheNameOfTheNewOwner) {
  TestBroker broker(options());
  const PrincipalPtr before = make(broker, "before", grants_on("/"));
  make(broker, "after", grants_on("/a"));
  const auto listener = std::make_shared<RecordingListener>();
  broker->listen_to_sinks(listener);
  ASSERT_EQ(broker.put(R"({"id":"hook","sink":"https://example.com/hook"})", before), "ok");
  const auto old_sink = std::make_shared<RecordingConsumer>();
  const SessionPtr old_session = broker->attach_sink("hook", old_sink);
  ASSERT_TRUE(old_sink->wait_begin());
  ASSERT_EQ(broker.transfer("hook", "after"), "ok");
  EXPECT_EQ(old_sink->wait_end(), "broker.ended");
  EXPECT_THAT(listener->notes(), ElementsAre("hook of before", "hook removed", "hook of after"));
  const auto sink = std::make_shared<RecordingConsumer>();
  const SessionPtr session = broker->attach_sink("hook", sink);
  session->add_credit(10);
  ASSERT_EQ(broker.publish(event(1, "/b")), "accepted");
  ASSERT_EQ(broker.publish(event(2, "/a")), "accepted");
  ASSERT_TRUE(sink->wait_count(1));
  EXPECT_THAT(sink->ids(), ElementsAre("2"));
}

TEST_F(BrokerTransferTest, EndsWithTheNewOwnersToken) {
  TestBroker broker(options());
  const PrincipalPtr before = make(broker, "before", grants_on("/"));
  const PrincipalPtr after = make(broker, "after", grants_on("/"));
  ASSERT_EQ(broker.put(R"({"id":"a"})", before), "ok");
  ASSERT_EQ(broker.transfer("a", "after"), "ok");
  ASSERT_EQ(describe(broker->token_admin().revoke(*everyone(), "before")), "ok");
  const auto consumer = broker.attach("a", {}, after);
  ASSERT_EQ(broker.publish(event(1, "/a")), "accepted");
  ASSERT_TRUE(consumer->wait_count(1)) << "the owner before has nothing to do with it";
  ASSERT_EQ(describe(broker->token_admin().revoke(*everyone(), "after")), "ok");
  EXPECT_EQ(consumer->wait_end(), "broker.ended");
}

}  // namespace
}  // namespace weir::broker
