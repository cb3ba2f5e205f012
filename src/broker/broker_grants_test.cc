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

namespace weir::broker {
namespace {

using testing::ElementsAre;

class BrokerGrantsTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "data", .shard_count = 2, .now = [this] {
              return base::Instant{now_.fetch_add(1000)};
            }};
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
};

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

}  // namespace
}  // namespace weir::broker
