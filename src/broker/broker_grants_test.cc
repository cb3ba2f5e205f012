// SPDX-License-Identifier: Apache-2.0
// What grants, their end and their absence mean for subscriptions that are there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "broker/tokens.h"
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
    return {.directory = directory_ / "data", .shard_count = 2, .clocks = [this] {
              return at_instant(base::Instant{now_.fetch_add(1000)});
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
  const base::Instant expires = options().wall_now() + base::Duration::seconds(10);
  block(broker, std::make_shared<const Principal>(
                    Principal{.name = "owner", .grants = Grants::all(), .expires = expires}));
  const auto consumer = broker.attach("a", {}, everyone(), 0);
  ASSERT_TRUE(consumer->wait_begin());
  pass(base::Duration::seconds(11));
  EXPECT_EQ(consumer->wait_end(), "broker.ended") << "without anybody asking";
  expect_free(broker);
}

TEST_F(BrokerGrantsTest, ATokenThatWasSeenIsToldAtOnceUntilItIsRevoked) {
  TestBroker broker(options());
  const auto registry = store::Registry::open(directory_ / "data" / "registry.sqlite");
  const auto token = Tokens().create(**registry, "owner", Grants::all(), {}, options().wall_now());
  ASSERT_TRUE(token);
  ASSERT_TRUE(broker->reload_tokens());
  EXPECT_FALSE(broker->recall(token->text)) << "not seen yet";
  ASSERT_TRUE(broker->authenticate(token->text));
  ASSERT_TRUE(broker->recall(token->text));
  EXPECT_EQ(broker->recall(token->text)->value()->name, "owner");
  revoke_token("owner");
  ASSERT_TRUE(broker->reload_tokens());
  EXPECT_EQ(base::describe(*broker->recall(token->text)),
            "broker.unauthenticated - no valid token was presented");
}

// An admin without grants to subscribe, one with too few, and one with enough.
TEST_F(BrokerGrantsTest, AnAdminReadsOnlyWhatItMaySee) {
  TestBroker broker(options());
  const PrincipalPtr owner = principal("owner", grants_on("/a/"));
  ASSERT_EQ(broker.put(R"({"id":"a"})", owner), "ok");
  ASSERT_EQ(broker.publish(event(1, "/a/1")), "accepted");
  Grants admin{.publish = {}, .subscribe = {}, .admin = true};
  for (const char* const source : {"", "/a/1", "/b"}) {
    SCOPED_TRACE(source);
    if (*source != 0) admin.subscribe = {{.source_prefix = source, .type_prefix = ""}};
    const PrincipalPtr other = principal("admin", admin);
    EXPECT_TRUE(broker->get(other, "a"));
    EXPECT_EQ(broker.attach("a", {}, other)->wait_end(), "broker.forbidden");
    EXPECT_EQ(broker->dead_letters(other, "a", 0, 10).error().id, base::ErrorId::kBrokerForbidden);
    EXPECT_EQ(broker.put(R"({"id":"a","sink":"https://example.com/mine"})", other),
              "broker.forbidden");
  }
  admin.subscribe = {{.source_prefix = "/a", .type_prefix = ""}};
  const auto consumer = broker.attach("a", {}, principal("admin", admin));
  ASSERT_TRUE(consumer->wait_count(1));
  EXPECT_TRUE(broker->dead_letters(principal("admin", admin), "a", 0, 10));
  EXPECT_EQ(broker.put(R"({"id":"a"})", owner), "ok") << "a refusal leaves nothing behind";
}

TEST_F(BrokerGrantsTest, ARevokedTokenLosesItsStreamOfAnothersSubscription) {
  TestBroker broker(options());
  add_token({.name = "admin", .grants = Grants::all()});
  ASSERT_TRUE(broker->reload_tokens());
  ASSERT_EQ(broker.put(R"({"id":"a"})", principal("owner", grants_on("/"))), "ok");
  const auto consumer = broker.attach("a", {}, principal("admin", Grants::all()));
  ASSERT_TRUE(consumer->wait_begin());
  revoke_token("admin");
  ASSERT_TRUE(broker->reload_tokens());
  EXPECT_EQ(consumer->wait_end(), "broker.ended");
  EXPECT_EQ(broker.publish(event(1, "/a")), "accepted");
  const auto own = broker.attach("a", {}, principal("owner", grants_on("/")));
  ASSERT_TRUE(own->wait_count(1)) << "the owner's deliveries go on";
}

// A connection keeps what it was told of its token for a while.
TEST_F(BrokerGrantsTest, ARevokedTokenBeginsNothingAnyMore) {
  TestBroker broker(options());
  const PrincipalPtr admin = principal("admin", Grants::all());
  add_token(*admin);
  ASSERT_TRUE(broker->reload_tokens());
  ASSERT_EQ(broker.put(R"({"id":"a"})", principal("owner", grants_on("/"))), "ok");
  revoke_token("admin");
  ASSERT_TRUE(broker->reload_tokens());
  EXPECT_EQ(broker.attach("a", {}, admin)->wait_end(), "broker.unauthenticated");
  EXPECT_EQ(broker.put(R"({"id":"b"})", admin), "broker.unauthenticated");
  const auto consumer = std::make_shared<RecordingConsumer>();
  const auto definition = Definition::of_filter("true").value();
  const SessionPtr session = broker->stream(admin, definition, consumer);
  EXPECT_EQ(consumer->wait_end(), "broker.unauthenticated");
  EXPECT_EQ(broker->stats().subscriptions_ephemeral, 0U);
}

TEST_F(BrokerGrantsTest, AnExpiredTokenLosesItsStreamOfAnothersSubscription) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})", principal("owner", grants_on("/"))), "ok");
  const auto admin = std::make_shared<const Principal>(
      Principal{.name = "admin",
                .grants = Grants::all(),
                .expires = options().wall_now() + base::Duration::seconds(10)});
  const auto consumer = broker.attach("a", {}, admin);
  ASSERT_TRUE(consumer->wait_begin());
  pass(base::Duration::seconds(11));
  EXPECT_EQ(consumer->wait_end(), "broker.ended");
}

// What was matched under wider grants is not handed out under narrower ones, neither from memory
// nor from the log, nor as a dead letter.
TEST_F(BrokerGrantsTest, WhatWasMatchedBeforePassesTheGrantsOfTheDayToo) {
  {
    TestBroker broker(options());
    ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
    ASSERT_EQ(broker.put(R"({"id":"hook","sink":"https://example.com/hook"})"), "ok");
    ASSERT_EQ(broker.publish(event(1, "/b/1")), "accepted");
    ASSERT_EQ(broker.publish(event(2, "/a/1")), "accepted");
    const auto sink = std::make_shared<RecordingConsumer>();
    const SessionPtr session = broker->attach_sink("hook", sink);
    session->add_credit(10);
    ASSERT_TRUE(sink->wait_count(2));
    session->bury(1, "no");
    session->bury(2, "no");
    ASSERT_TRUE(sink->wait_acknowledged(2));
  }
  for (const std::size_t recent_bytes_max : {0U, 1U << 20U}) {
    BrokerOptions narrow = options();
    narrow.anonymous_grants = grants_on("/a/");
    narrow.recent_bytes_max = recent_bytes_max;
    TestBroker broker(narrow);
    const PrincipalPtr anonymous = principal("", *narrow.anonymous_grants);
    const auto consumer = broker.attach("a", {}, anonymous);
    ASSERT_TRUE(consumer->wait_count(1));
    EXPECT_THAT(consumer->ids(), ElementsAre("2"));
    const auto letters = broker->dead_letters(anonymous, "hook", 0, 1);
    ASSERT_EQ(letters->size(), 1U);
    EXPECT_EQ(letters->front().delivery, 2U);
  }
}

}  // namespace
}  // namespace weir::broker
