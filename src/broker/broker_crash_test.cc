// SPDX-License-Identifier: Apache-2.0
// Crashes of a broker at chosen moments: a copy of its directory is what a crash would have left.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;

class BrokerCrashTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "0", .shard_count = 2, .now = [this] {
              return base::Instant{now_.fetch_add(1000)};
            }};
  }
  void pass(base::Duration duration) { now_ += duration.nanoseconds; }

  // What a broker finds that is started after the one on the last directory has crashed now.
  std::unique_ptr<TestBroker> after_crash() {
    BrokerOptions again = options();
    const std::filesystem::path before = directory_ / std::to_string(crash_count_);
    again.directory = directory_ / std::to_string(++crash_count_);
    std::filesystem::copy(before, again.directory, std::filesystem::copy_options::recursive);
    return std::make_unique<TestBroker>(again);
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
  int crash_count_ = 0;
};

std::string event(int id, int value) {
  return fmt::format(R"({{"id":"{}","data":{{"v":{}}}}})", id, value);
}

constexpr const char* kPaced =
    R"({"id":"c","filters":[{"weir":"change(data.v) > 1 at most every 10s"}]})";

// Events 1 and 2, of which the second is delivered by the time that passes.
std::shared_ptr<RecordingConsumer> deliver_two(TestBroker& broker) {
  EXPECT_EQ(broker.put(kPaced), "ok");
  auto consumer = broker.attach("c");
  EXPECT_EQ(broker.publish(event(1, 1)), "accepted");
  EXPECT_EQ(broker.publish(event(2, 5)), "accepted");
  EXPECT_TRUE(consumer->wait_count(1));
  return consumer;
}

// What the subscriber gets of a third event: only that, under the next number.
void expect_third(TestBroker& broker) {
  const auto consumer = broker.attach("c");
  ASSERT_EQ(broker.publish(event(3, 50)), "accepted");
  ASSERT_TRUE(consumer->wait_count(1));
  EXPECT_THAT(consumer->ids(), ElementsAre("3"));
  EXPECT_EQ(consumer->received().front().number, 3U);
}

TEST_F(BrokerCrashTest, WhatTimeDeliveredAndWasAcknowledgedStaysSo) {
  TestBroker broker(options());
  const auto consumer = deliver_two(broker);
  pass(base::Duration::seconds(11));
  ASSERT_TRUE(consumer->wait_count(2));
  ASSERT_EQ(broker.acknowledge("c", 2), "ok");
  const auto again = after_crash();
  pass(base::Duration::seconds(11));
  expect_third(*again);
}

TEST_F(BrokerCrashTest, WhatTimeDeliveredIsNotLostToACheckpoint) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"d","filters":[{"weir":"distinct(data.v) within 1h"}]})"), "ok");
  const auto consumer = deliver_two(broker);
  pass(base::Duration::seconds(11));
  ASSERT_TRUE(consumer->wait_count(2));
  ASSERT_EQ(broker.forget("d", event(1, 1)), "true") << "answered when a checkpoint is written";
  const auto again = after_crash();
  const auto second = again->attach("c");
  ASSERT_TRUE(second->wait_count(2));
  EXPECT_THAT(second->ids(), ElementsAre("1", "2"));
  EXPECT_TRUE(second->received().back().redelivered);
  ASSERT_EQ(again->acknowledge("c", 2), "ok");
  pass(base::Duration::seconds(11));
  expect_third(*again);
}

TEST_F(BrokerCrashTest, WhatTimeDeliveredBeforeACrashIsMarkedAfterIt) {
  TestBroker broker(options());
  const auto consumer = deliver_two(broker);
  pass(base::Duration::seconds(11));
  ASSERT_TRUE(consumer->wait_count(2));
  const auto again = after_crash();
  const auto second = again->attach("c");
  ASSERT_TRUE(second->wait_count(2));
  EXPECT_THAT(second->ids(), ElementsAre("1", "2"));
  EXPECT_EQ(second->received().back().number, 2U);
  EXPECT_TRUE(second->received().back().redelivered);
}

// The first crash leaves events that are not noted; what recovery makes of them is acknowledged
// before the second.
TEST_F(BrokerCrashTest, WhatRecoveryDeliveredAndWasAcknowledgedStaysSo) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"c"})"), "ok");
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  ASSERT_EQ(broker.publish(event(2, 2)), "accepted");
  const auto once = after_crash();
  ASSERT_TRUE(once->attach("c")->wait_count(2));
  ASSERT_EQ(once->acknowledge("c", 2), "ok");
  const auto twice = after_crash();
  expect_third(*twice);
}

// Score, epoch and snippets are those of when it matched, whatever the statistics are later.
TEST_F(BrokerCrashTest, ADeliveryOfATextSaysWhyAfterACrashToo) {
  TestBroker broker(options());
  ASSERT_EQ(
      broker.put(R"({"id":"t","filters":[{"weir":"text(data.t) about 'storm' score >= 0.5"}],)"
                 R"("config":{"highlight":{"before":"*","after":"*"}}})"),
      "ok");
  const auto document = [](int id, std::string_view text) {
    return fmt::format(R"({{"id":"{}","data":{{"t":"{}"}}}})", id, text);
  };
  ASSERT_EQ(broker.publish(document(1, "calm")), "accepted");
  ASSERT_EQ(broker.publish(document(2, "storms at sea")), "accepted");
  const std::string said = R"("weirscore":"0.6931","weirepoch":2,"weirterms":"storm=0.6931",)"
                           R"("weirhighlight":"*storms* at sea"})";
  const auto before = broker.attach("t");
  ASSERT_TRUE(before->wait_count(1));
  EXPECT_THAT(before->received()[0].texts[0], testing::EndsWith(said));
  ASSERT_EQ(broker.publish(document(3, "calm")), "accepted");

  const auto again = after_crash();
  const auto after = again->attach("t");
  ASSERT_EQ(again->publish(document(4, "storm")), "accepted");
  ASSERT_TRUE(after->wait_count(2));
  EXPECT_THAT(after->received()[0].texts[0], testing::EndsWith(said));
  EXPECT_THAT(after->received()[1].texts[0],
              testing::HasSubstr(R"("weirscore":"0.6931","weirepoch":4,)"))
      << "what was counted is known after a crash";
}

}  // namespace
}  // namespace weir::broker
