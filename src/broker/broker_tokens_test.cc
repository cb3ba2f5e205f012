// SPDX-License-Identifier: Apache-2.0
// Tokens of a broker that runs: changed by another process, by an admin, and by time.
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

using base::describe;
using base::Duration;
using testing::ElementsAre;

std::string event(int id) { return fmt::format(R"({{"id":"{}","source":"/a"}})", id); }

class BrokerTokensTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "data", .shard_count = 2, .clocks = [this] {
              return at_instant(base::Instant{now_.fetch_add(1000)});
            }};
  }
  void pass(Duration duration) { now_ += duration.nanoseconds; }

  // As `weir token` does it, in another process.
  std::unique_ptr<store::Registry> other_process() const {
    return store::Registry::open(directory_ / "data" / "registry.sqlite").value();
  }

  // In the name of an anonymous admin with all grants.
  IssuedToken create(TestBroker& broker, std::string name, Grants grants = Grants::all()) {
    auto token = broker->token_admin().create(
        *everyone(), {.name = std::move(name), .grants = std::move(grants)});
    EXPECT_EQ(describe(token), "ok");
    return std::move(token).value();
  }

  static PrincipalPtr principal_of(TestBroker& broker, const IssuedToken& token) {
    auto principal = broker->authenticate(token.text);
    EXPECT_EQ(describe(principal), "ok");
    return std::move(principal).value();
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
};

TEST_F(BrokerTokensTest, ATokenThatAnotherProcessRevokesEndsWithoutASignal) {
  TestBroker broker(options());
  const IssuedToken token = create(broker, "desk");
  const PrincipalPtr desk = principal_of(broker, token);
  ASSERT_EQ(broker.put(R"({"id":"a"})", desk), "ok");
  const auto consumer = broker.attach("a", {}, desk);
  ASSERT_TRUE(consumer->wait_begin());
  const auto streaming = std::make_shared<RecordingConsumer>();
  const SessionPtr stream = broker->stream(desk, Definition::of_filter("true").value(), streaming);
  ASSERT_TRUE(streaming->wait_begin());
  const std::uint64_t revision = broker->token_revision();

  ASSERT_TRUE(other_process()->revoke_token("desk").value());
  EXPECT_EQ(consumer->wait_end(), "broker.ended");
  EXPECT_EQ(streaming->wait_end(), "broker.ended");
  EXPECT_NE(broker->token_revision(), revision) << "connections ask again";
  EXPECT_EQ(describe(broker->authenticate(token.text)),
            "broker.unauthenticated - no valid token was presented");
  EXPECT_EQ(broker.publish(event(1)), "accepted");
  EXPECT_EQ(broker->get(everyone(), "a")->counts.pending, 0U) << "nothing is delivered in its name";
}

TEST_F(BrokerTokensTest, ATokenThatAnotherProcessMakesOrRotatesIsGoodWithoutASignal) {
  TestBroker broker(options());
  const auto registry = other_process();
  const auto made = Tokens().create(*registry, "desk", Grants::all(), {}, options().wall_now());
  ASSERT_EQ(describe(made), "ok");
  ASSERT_TRUE(eventually([&] { return broker->authenticate(made->text).has_value(); }));
  const auto rotated = Tokens().rotate(*registry, "desk", Duration{}, options().wall_now());
  ASSERT_EQ(describe(rotated), "ok");
  ASSERT_TRUE(eventually([&] { return broker->authenticate(rotated->text).has_value(); }));
  EXPECT_FALSE(broker->authenticate(made->text));
}

TEST_F(BrokerTokensTest, WhatTheBrokerItselfWritesMakesItReadNothing) {
  TestBroker broker(options());
  const std::uint64_t revision = broker->token_revision();
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(broker.put(fmt::format(R"({{"id":"s{}"}})", i)), "ok");
  }
  // The change of another process is seen after all that, and once.
  ASSERT_EQ(describe(Tokens().create(*other_process(), "desk", {}, {}, options().wall_now())),
            "ok");
  ASSERT_TRUE(eventually([&] { return broker->token_revision() != revision; }));
  EXPECT_EQ(broker->token_revision(), revision + 1);
  EXPECT_EQ(broker->stats().token_read_failures, 0U);
}

TEST_F(BrokerTokensTest, SessionsOfAFormerSecretGoOnUntilTheOverlapEnds) {
  TestBroker broker(options());
  const IssuedToken first = create(broker, "desk");
  const PrincipalPtr with_first = principal_of(broker, first);
  ASSERT_EQ(broker.put(R"({"id":"a"})", with_first), "ok");
  const auto consumer = broker.attach("a", {}, with_first);
  ASSERT_TRUE(consumer->wait_begin());
  const auto second = broker->token_admin().rotate(*everyone(), "desk", Duration::seconds(60));
  ASSERT_EQ(describe(second), "ok");
  EXPECT_EQ(second->info.former_until.size(), 1U);
  ASSERT_EQ(broker.publish(event(1)), "accepted");
  ASSERT_TRUE(consumer->wait_count(1));
  ASSERT_EQ(broker.put(R"({"id":"b"})", with_first), "ok") << "the secret is valid yet";

  pass(Duration::seconds(61));
  EXPECT_EQ(consumer->wait_end(), "broker.ended") << "without anybody asking";
  EXPECT_FALSE(broker->authenticate(first.text));
  EXPECT_EQ(broker.attach("a", {}, with_first)->wait_end(), "broker.unauthenticated")
      << "who was let in just before";
  const PrincipalPtr with_second = principal_of(broker, *second);
  ASSERT_EQ(broker.publish(event(2)), "accepted");
  for (const char* const id : {"a", "b"}) {
    const auto later = broker.attach(id, {}, with_second);
    EXPECT_TRUE(eventually([&] { return !later->ids().empty() && later->ids().back() == "2"; }))
        << "the subscription belongs to the name";
  }
}

TEST_F(BrokerTokensTest, SessionsOfASecretWithoutAnOverlapEndAtOnce) {
  TestBroker broker(options());
  const PrincipalPtr desk = principal_of(broker, create(broker, "desk"));
  ASSERT_EQ(broker.put(R"({"id":"a"})", desk), "ok");
  const auto consumer = broker.attach("a", {}, desk);
  ASSERT_TRUE(consumer->wait_begin());
  const auto rotated = broker->token_admin().rotate(*everyone(), "desk", Duration{});
  ASSERT_EQ(describe(rotated), "ok");
  EXPECT_EQ(consumer->wait_end(), "broker.ended");
  const auto again = broker.attach("a", {}, principal_of(broker, *rotated));
  EXPECT_TRUE(again->wait_begin());
}

TEST_F(BrokerTokensTest, AnAdminIssuesNothingBeyondItsOwnGrants) {
  TestBroker broker(options());
  TokenAdmin& tokens = broker->token_admin();
  const Scope a{"/a/", ""};
  const Scope below_a{"/a/b/", "t."};
  const PrincipalPtr admin = principal_of(
      broker, create(broker, "lead", {.publish = {a}, .subscribe = {a}, .admin = true}));
  create(broker, "root");
  const auto created = [&](std::string name, Grants grants) {
    return describe(tokens.create(*admin, {.name = std::move(name), .grants = std::move(grants)}));
  };
  const std::string beyond = "broker.forbidden - the grants of the token go beyond yours";
  EXPECT_EQ(created("n1", {.publish = {{}}, .subscribe = {}}), beyond);
  EXPECT_EQ(created("n2", {.publish = {}, .subscribe = {a, Scope{"/b/", ""}}}), beyond);
  EXPECT_EQ(created("n3", {.publish = {}, .subscribe = {a}, .block = true}), beyond);
  EXPECT_EQ(created("n4", {.publish = {a}, .subscribe = {below_a}, .admin = true}), "ok");
  EXPECT_EQ(describe(tokens.rotate(*admin, "root", {})), beyond);
  EXPECT_EQ(describe(tokens.rotate(*admin, "n4", {})), "ok");
  EXPECT_EQ(describe(tokens.rotate(*admin, "lead", Duration::seconds(60))), "ok");
  EXPECT_EQ(tokens.list(*admin, "", 100)->size(), 3U) << "nothing was made that was refused";
  EXPECT_EQ(describe(tokens.revoke(*admin, "root")), "ok") << "that gives nobody anything";
}

TEST_F(BrokerTokensTest, AnAdminIssuesNothingThatOutlivesIt) {
  TestBroker broker(options());
  TokenAdmin& tokens = broker->token_admin();
  const base::Instant soon = options().wall_now() + Duration::seconds(100);
  const auto made = tokens.create(*everyone(), {"guest", Grants::all(), soon});
  ASSERT_EQ(describe(made), "ok");
  const PrincipalPtr guest = principal_of(broker, *made);
  create(broker, "root");
  const std::string longer =
      "broker.forbidden - the token would be valid for longer than yours: expected an earlier "
      "expiry";
  EXPECT_EQ(describe(tokens.create(*guest, {"x", {}, {}})), longer);
  EXPECT_EQ(describe(tokens.create(*guest, {"x", {}, soon + Duration::seconds(1)})), longer);
  EXPECT_EQ(describe(tokens.rotate(*guest, "root", {})), longer);
  EXPECT_EQ(describe(tokens.create(*guest, {"x", {}, soon})), "ok");
}

TEST_F(BrokerTokensTest, AnAdminSeesAllTokensAndOthersNone) {
  TestBroker broker(options());
  TokenAdmin& tokens = broker->token_admin();
  const PrincipalPtr user =
      principal_of(broker, create(broker, "user", {.publish = {{}}, .subscribe = {{}}}));
  create(broker, "b");
  create(broker, "c");
  ASSERT_EQ(describe(tokens.revoke(*everyone(), "b")), "ok");
  const auto page = tokens.list(*everyone(), "b", 1);
  ASSERT_EQ(page->size(), 1U);
  EXPECT_EQ(page->front().name, "c");
  EXPECT_TRUE(tokens.get(*everyone(), "b")->revoked);
  EXPECT_EQ(tokens.get(*everyone(), "c")->grants, Grants::all());
  EXPECT_EQ(describe(tokens.get(*everyone(), "x")), "broker.no_such_token - there is no token 'x'");
  const std::string refusal = "broker.forbidden - this is for an admin";
  EXPECT_EQ(describe(tokens.list(*user, "", 1)), refusal);
  EXPECT_EQ(describe(tokens.get(*user, "user")), refusal);
  EXPECT_EQ(describe(tokens.create(*user, {"x", {}, {}})), refusal);
  EXPECT_EQ(describe(tokens.rotate(*user, "user", {})), refusal);
  EXPECT_EQ(describe(tokens.revoke(*user, "user")), refusal);
}

TEST_F(BrokerTokensTest, AnAdminMayRevokeItselfAndIsNoneFromThenOn) {
  TestBroker broker(options());
  TokenAdmin& tokens = broker->token_admin();
  const IssuedToken token = create(broker, "root");
  const PrincipalPtr root = principal_of(broker, token);
  ASSERT_EQ(broker.put(R"({"id":"a"})", root), "ok");
  const auto consumer = broker.attach("a", {}, root);
  ASSERT_TRUE(consumer->wait_begin());
  EXPECT_EQ(describe(tokens.revoke(*root, "root")), "ok");
  EXPECT_FALSE(broker->authenticate(token.text)) << "at once";
  EXPECT_EQ(describe(tokens.list(*root, "", 1)), "broker.unauthenticated - the token was revoked");
  EXPECT_EQ(consumer->wait_end(), "broker.ended");
}

TEST_F(BrokerTokensTest, AnIdThatAnotherHoldsIsTakenAndNothingMoreIsTold) {
  TestBroker broker(options());
  const Grants grants{.publish = {{}}, .subscribe = {{}}};
  const PrincipalPtr owner = principal_of(broker, create(broker, "owner", grants));
  const PrincipalPtr other = principal_of(broker, create(broker, "other", grants));
  ASSERT_EQ(broker.put(R"({"id":"a"})", owner), "ok");
  for (const PutMode mode : {PutMode::kCreate, PutMode::kCreateOrReplace}) {
    EXPECT_EQ(broker.put(R"({"id":"a"})", other, mode), "broker.owned");
  }
  EXPECT_EQ(broker.put(R"({"id":"a"})", owner, PutMode::kCreate), "broker.subscription_exists");
  const std::string absent = "broker.no_such_subscription";
  EXPECT_EQ(describe(broker->get(other, "a")), absent + " - there is no subscription 'a'");
  EXPECT_EQ(broker.remove("a", other), absent);
  EXPECT_EQ(broker.acknowledge("a", 1, other), absent);
  EXPECT_EQ(broker.forget("a", event(1), other), absent);
  EXPECT_EQ(broker.explain("a", event(1), other), absent);
  EXPECT_EQ(broker.attach("a", {}, other)->wait_end(), absent);
  EXPECT_EQ(broker->dead_letters(other, "a", 0, 1).error().id,
            base::ErrorId::kBrokerNoSuchSubscription);
  EXPECT_TRUE(broker->list(other, "", 10).empty());
}

}  // namespace
}  // namespace weir::broker
