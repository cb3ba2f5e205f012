// SPDX-License-Identifier: Apache-2.0
// Groups of composite filters in a broker: their marks, what they begin with, crashes, retention.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;

constexpr std::string_view kShared =
    "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'C') > 1 or "
    "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'D') > 1";
constexpr std::string_view kTwo =
    "change(data.v, subject = 'A') > 1 and change(data.v, subject = 'C') > 1";

// Shows all deliveries: "[a,b*]" is a group whose second event is repeated, "c" no group; "-2"
// stands for two events that are missing.
std::vector<std::string> shown(RecordingConsumer& consumer) {
  std::vector<std::string> all;
  for (const Received& received : consumer.received()) {
    std::string ids;
    for (std::size_t i = 0; i < received.ids.size(); ++i) {
      const std::string& text = received.texts[i];
      if (i > 0) ids += ',';
      ids += received.ids[i];
      if (text.find(R"("weirrepeated":true)") != std::string::npos) ids += '*';
      const std::size_t missing = text.find(R"("weirmissing":)");
      if (missing != std::string::npos) ids += fmt::format("-{}", text[missing + 14]);
    }
    all.push_back(received.is_group ? '[' + ids + ']' : ids);
  }
  return all;
}

class BrokerCompositeTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "0", .shard_count = 2, .clocks = [this] {
              return at_instant(base::Instant{now_.fetch_add(1000)});
            }};
  }
  // A broker that is started after the one on the last directory has crashed now.
  std::unique_ptr<TestBroker> after_crash() {
    BrokerOptions again = options();
    const std::filesystem::path before = directory_ / std::to_string(crash_count_);
    again.directory = directory_ / std::to_string(++crash_count_);
    EXPECT_TRUE(eventually([&] { return copy_running(before, again.directory); }));
    return std::make_unique<TestBroker>(again);
  }
  static void publish(TestBroker& broker, std::string_view id, std::string_view subject,
                      double value) {
    ASSERT_EQ(broker.publish(fmt::format(R"({{"id":"{}","subject":"{}","data":{{"v":{}}}}})", id,
                                         subject, value)),
              "accepted");
  }
  static std::string definition(std::string_view id, std::string_view filter,
                                std::string_view initial = "deliver") {
    return fmt::format(R"({{"id":"{}","filters":[{{"weir":"{}"}}],"config":{{"initial":"{}"}}}})",
                       id, filter, initial);
  }
  static std::vector<std::string> deliveries(TestBroker& broker, std::string_view id,
                                             std::size_t count) {
    const auto consumer = broker.attach(id);
    EXPECT_TRUE(consumer->wait_count(count));
    return shown(*consumer);
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
  int crash_count_ = 0;
};

TEST_F(BrokerCompositeTest, TheSameGroupsAndMarksComeAfterACrash) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(definition("s", kShared)), "ok");
  ASSERT_EQ(broker.put(definition("one", "change(data.v) > 1 and change(data.w) > 1")), "ok");
  publish(broker, "a1", "A", 10);
  publish(broker, "c1", "C", 10);
  publish(broker, "d1", "D", 10);
  ASSERT_EQ(broker.publish(R"({"id":"b","data":{"v":1,"w":1}})"), "accepted");
  EXPECT_THAT(deliveries(broker, "s", 2), ElementsAre("[a1,c1]", "[a1*,d1]"));
  EXPECT_THAT(deliveries(broker, "one", 1), ElementsAre("[b]"));

  const auto once = after_crash();
  EXPECT_THAT(deliveries(*once, "s", 2), ElementsAre("[a1,c1]", "[a1*,d1]"));
  EXPECT_THAT(deliveries(*once, "one", 1), ElementsAre("[b]"));
  publish(*once, "c2", "C", 20);
  publish(*once, "a2", "A", 20);
  EXPECT_THAT(deliveries(*once, "s", 3), ElementsAre("[a1,c1]", "[a1*,d1]", "[c2,a2]"));

  const auto twice = after_crash();
  publish(*twice, "d2", "D", 20);
  EXPECT_THAT(deliveries(*twice, "s", 4),
              ElementsAre("[a1,c1]", "[a1*,d1]", "[c2,a2]", "[a2*,d2]"));
}

// As the one above, with a change filter of its own for the subscription.
TEST_F(BrokerCompositeTest, TheSameHoldsForFiltersThatStandAlone) {
  const std::string alone =
      "any change(data.v, subject = 'A') and any change(data.v, subject = 'C') or "
      "any change(data.v, subject = 'A') and any change(data.v, subject = 'D')";
  TestBroker broker(options());
  ASSERT_EQ(broker.put(definition("s", alone)), "ok");
  publish(broker, "a1", "A", 10);
  publish(broker, "c1", "C", 10);
  EXPECT_THAT(deliveries(broker, "s", 1), ElementsAre("[a1,c1]"));
  const auto again = after_crash();
  publish(*again, "d1", "D", 10);
  EXPECT_THAT(deliveries(*again, "s", 2), ElementsAre("[a1,c1]", "[a1*,d1]"));
}

TEST_F(BrokerCompositeTest, ANewOneBeginsWithCurrentValues) {
  TestBroker broker(options());
  publish(broker, "a1", "A", 10);
  publish(broker, "c1", "C", 10);
  ASSERT_EQ(broker.put(definition("deliver", kTwo)), "ok");
  ASSERT_EQ(broker.put(definition("none", kTwo, "none")), "ok");
  ASSERT_EQ(broker.put(definition("latest", kTwo, "latest")), "ok");
  EXPECT_THAT(deliveries(broker, "latest", 1), ElementsAre("[a1,c1]"));
  publish(broker, "a2", "A", 20);
  EXPECT_THAT(deliveries(broker, "deliver", 1), ElementsAre("[c1,a2]")) << "C was known";
  publish(broker, "c2", "C", 20);
  EXPECT_THAT(deliveries(broker, "none", 1), ElementsAre("[a2,c2]"));
  EXPECT_THAT(deliveries(broker, "latest", 2), ElementsAre("[a1,c1]", "[a2,c2]"));
}

// Known values are stored with it: a broker that starts again has other events in memory.
TEST_F(BrokerCompositeTest, WhatANewOneBeginsWithSurvivesACrash) {
  TestBroker broker(options());
  publish(broker, "a1", "A", 10);
  publish(broker, "c1", "C", 10);
  broker.open_again();
  publish(broker, "a2", "A", 11);
  publish(broker, "c2", "C", 11);
  for (const char* const initial : {"deliver", "none", "latest"}) {
    ASSERT_EQ(broker.put(definition(initial, kTwo, initial)), "ok");
  }
  const auto again = after_crash();
  publish(*again, "a3", "A", 20);
  publish(*again, "c3", "C", 20);
  EXPECT_THAT(deliveries(*again, "deliver", 1), ElementsAre("[c2,a3]"));
  EXPECT_THAT(deliveries(*again, "none", 1), ElementsAre("[a3,c3]"));
  EXPECT_THAT(deliveries(*again, "latest", 2), ElementsAre("[a2,c2]", "[a3,c3]"));
}

TEST_F(BrokerCompositeTest, AnotherFilterBeginsWithCurrentValuesToo) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(definition("s", "type = 'nothing'")), "ok");
  publish(broker, "a1", "A", 10);
  publish(broker, "c1", "C", 10);
  ASSERT_EQ(broker.put(definition("s", kTwo, "none")), "ok");
  const auto again = after_crash();
  publish(*again, "a2", "A", 20);
  publish(*again, "c2", "C", 20);
  EXPECT_THAT(deliveries(*again, "s", 1), ElementsAre("[a2,c2]"));
}

TEST_F(BrokerCompositeTest, AGroupWhoseOlderEventsAreGoneSaysSo) {
  BrokerOptions small = options();
  small.log = {.segment_bytes = 4096, .retention_bytes = 8192};
  small.recent_bytes_max = 100;
  small.retention_interval = base::Duration::milliseconds(1);
  TestBroker broker(small);
  ASSERT_EQ(broker.put(definition("s", kTwo)), "ok");
  publish(broker, "a1", "A", 10);
  int filler = 0;
  ASSERT_TRUE(eventually([&] {
    broker.publish(fmt::format(R"({{"id":"{}","data":"{}"}})", ++filler, std::string(400, 'x')));
    return broker->stats().log_first_sequence > 1;
  }));
  publish(broker, "c1", "C", 10);
  EXPECT_THAT(deliveries(broker, "s", 1), ElementsAre("[c1-1]"));
}

}  // namespace
}  // namespace weir::broker
