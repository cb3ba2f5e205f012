// SPDX-License-Identifier: Apache-2.0
// What grants, their end and their absence mean for subscriptions that are there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "store/registry.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;

std::string event(int id, std::string_view source) {
  return fmt::format(R"({{"id":"{}","source":"{}"}})", id, source);
}

Grants grants_on(std::string source) {
  const Scope scope{.source_prefix = std::move(source), .type_prefix = ""};
  return {.publish = {scope}, .subscribe = {scope}};
}

PrincipalPtr principal(std::string name, Grants grants) {
  return std::make_shared<const Principal>(
      Principal{.name = std::move(name), .grants = std::move(grants)});
}

class BrokerGrantsTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "data", .shard_count = 2, .now = [this] {
              return base::Instant{now_.fetch_add(1000)};
            }};
  }

  void pass(base::Duration duration) { now_ += duration.nanoseconds; }

  // As `weir token` does, beside a broker that runs.
  void add_token(const Principal& owner) {
    const auto registry = store::Registry::open(directory_ / "data" / "registry.sqlite");
    ASSERT_TRUE(registry);
    ASSERT_TRUE((*registry)->add_token({.name = owner.name,
                                        .lookup = owner.name,
                                        .hash = "none",
                                        .grants = owner.grants.to_json(),
                                        .created = {},
                                        .expires = owner.expires}));
  }
  void revoke_token(std::string_view name) {
    const auto registry = store::Registry::open(directory_ / "data" / "registry.sqlite");
    ASSERT_TRUE(registry);
    ASSERT_EQ((*registry)->revoke_token(name), true);
  }
  // With a full outbox that stops publishers.
  void block(TestBroker& broker, const PrincipalPtr& owner) {
    add_token(*owner);
    ASSERT_TRUE(broker->reload_tokens());
    ASSERT_EQ(broker.put(R"({"id":"a","config":{"outbox":{"policy":"block","limit":1}}})", owner),
              "ok");
    ASSERT_EQ(broker.publish(event(1, "/a")), "accepted");
    ASSERT_TRUE(eventually([&] { return broker->stats().blocking == 1; }));
    ASSERT_EQ(broker.publish(event(2, "/a")), "broker.outbox_full");
  }
  // Its outbox stops nobody and grows no more, neither now nor after a restart.
  static void expect_free(TestBroker& broker) {
    ASSERT_TRUE(eventually([&] { return broker->stats().blocking == 0; }));
    EXPECT_EQ(broker.publish(event(2, "/a")), "accepted");
    broker.open_again();
    EXPECT_EQ(broker->stats().blocking, 0U);
    EXPECT_EQ(broker.publish(event(3, "/a")), "accepted");
    EXPECT_EQ(broker->stats().pending, 1U);
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
};

TEST_F(BrokerGrantsTest, AnonymousSubscriptionsHaveTheGrantsOfTheDay) {
  ASSERT_EQ(TestBroker(options()).put(R"({"id":"a"})"), "ok");
  BrokerOptions narrow = options();
  narrow.anonymous_grants = grants_on("/a/");
  TestBroker broker(narrow);
  EXPECT_EQ(broker.publish(event(1, "/b/1")), "accepted");
  EXPECT_EQ(broker.publish(event(2, "/a/1")), "accepted");
  const auto consumer = broker.attach("a", {}, principal("", *narrow.anonymous_grants));
  ASSERT_TRUE(consumer->wait_count(1));
  EXPECT_THAT(consumer->ids(), ElementsAre("2"));
}

TEST_F(BrokerGrantsTest, AnonymousSubscriptionsGetNothingWhereNobodyIsAnonymous) {
  {
    TestBroker broker(options());
    ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
    ASSERT_EQ(broker.put(R"({"id":"hook","sink":"https://example.com/hook"})"), "ok");
  }
  BrokerOptions closed = options();
  closed.anonymous_grants.reset();
  TestBroker broker(closed);
  const PrincipalPtr admin = principal("admin", Grants::all());
  EXPECT_EQ(broker.publish(event(1, "/a"), admin), "accepted");
  EXPECT_EQ(broker.attach("a", {}, admin)->wait_end(), "broker.ended");
  const auto sink = std::make_shared<RecordingConsumer>();
  const SessionPtr session = broker->attach_sink("hook", sink);
  EXPECT_EQ(sink->wait_end(), "broker.ended");
  EXPECT_EQ(broker->stats().pending, 0U);
}

TEST_F(BrokerGrantsTest, AFullOutboxOfARevokedTokenStopsNobody) {
  TestBroker broker(options());
  block(broker, principal("owner", Grants::all()));
  revoke_token("owner");
  ASSERT_TRUE(broker->reload_tokens());
  expect_free(broker);
}

TEST_F(BrokerGrantsTest, AFullOutboxOfAnExpiredTokenStopsNobody) {
  TestBroker broker(options());
  const base::Instant expires = options().now() + base::Duration::seconds(10);
  block(broker, std::make_shared<const Principal>(
                    Principal{.name = "owner", .grants = Grants::all(), .expires = expires}));
  const auto consumer = broker.attach("a", {}, everyone(), 0);
  ASSERT_TRUE(consumer->wait_begin());
  pass(base::Duration::seconds(11));
  EXPECT_EQ(consumer->wait_end(), "broker.ended") << "without anybody asking";
  expect_free(broker);
}

}  // namespace
}  // namespace weir::broker
