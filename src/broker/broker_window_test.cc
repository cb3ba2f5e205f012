// SPDX-License-Identifier: Apache-2.0
// Windows of distinct clauses in a broker: what is said of them, forgetting, and the log as a
// judge.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>

#include "base/bytes.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "match/distinct_window.h"
#include "store/chunks.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;

class BrokerWindowTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "data",
            .clocks = [this] { return at_instant(base::Instant{now_.fetch_add(1000)}); }};
  }
  static std::string put(TestBroker& broker, std::string_view id, std::string_view filter) {
    return broker.put(fmt::format(R"({{"id":"{}","filters":[{{"weir":"{}"}}]}})", id, filter));
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
};

std::string event(int id, int value) {
  return fmt::format(R"({{"id":"{}","data":{{"v":{}}}}})", id, value);
}

TEST_F(BrokerWindowTest, SaysHowMuchMemoryAWindowMayTake) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "a", "distinct(data.v) within 1h"), "ok");
  ASSERT_EQ(put(broker, "e", "distinct(data.v) within 1h exact"), "ok");
  ASSERT_EQ(put(broker, "p", "data.v > 1"), "ok");
  const auto window = [&](std::string_view id) { return broker->get(everyone(), id)->window; };
  ASSERT_TRUE(window("a").has_value());
  EXPECT_GT(window("a")->memory_bytes_max.value_or(0), 1'000'000U);
  EXPECT_EQ(window("a")->key_count_max, 10'000'000U);
  EXPECT_EQ(window("e")->memory_bytes_max, std::nullopt);
  EXPECT_FALSE(window("p").has_value());
}

TEST_F(BrokerWindowTest, CountsWhatWindowsDo) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "a", "distinct(data.v) within 1h"), "ok");
  for (int i = 0; i < 30; ++i) broker.publish(event(i, i % 20));
  broker.open_again();
  EXPECT_TRUE(eventually([&] { return broker->stats().window_keys == 20; })) << "as before";
  for (int i = 30; i < 40; ++i) broker.publish(event(i, 15 + i));
  ASSERT_TRUE(eventually([&] { return broker->get(everyone(), "a")->window->key_count == 30; }));
  EXPECT_EQ(broker->stats().window_keys, 30U);
  EXPECT_GT(broker->stats().window_bytes, 0U);
  EXPECT_EQ(broker->stats().dedup_keys, 40U);
  EXPECT_EQ(broker.remove("a"), "ok");
  ASSERT_TRUE(eventually([&] { return broker->stats().window_keys == 0; }));
  EXPECT_EQ(broker->stats().window_bytes, 0U);
}

TEST_F(BrokerWindowTest, WhatWasForgottenStaysForgottenAfterARestart) {
  for (const char* const mode : {"", " exact", " verify"}) {
    SCOPED_TRACE(mode);
    TestBroker broker(options());
    ASSERT_EQ(put(broker, "a", fmt::format("distinct(data.v) within 1h{}", mode)), "ok");
    const int first = static_cast<int>(std::string_view(mode).size()) * 100;
    broker.publish(event(first + 1, 7));
    broker.publish(event(first + 2, 8));
    EXPECT_EQ(broker.forget("a", event(0, 9)), "false");
    EXPECT_EQ(broker.forget("a", event(0, 7)), "true");
    broker.open_again();
    broker.publish(event(first + 3, 8));
    broker.publish(event(first + 4, 7));
    broker.publish(event(first + 5, 7));
    const auto consumer = broker.attach("a");
    ASSERT_TRUE(consumer->wait_count(3));
    EXPECT_THAT(consumer->ids(), ElementsAre(std::to_string(first + 1), std::to_string(first + 2),
                                             std::to_string(first + 4)));
    ASSERT_EQ(broker.remove("a"), "ok");
  }
}

TEST_F(BrokerWindowTest, TheLastValueOfAChangeThatWasForgottenStaysSoAfterARestart) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "a", "change(data.v) > 5 with previous"), "ok");
  broker.publish(event(1, 7));
  broker.publish(event(2, 8));
  EXPECT_EQ(broker.forget("a", event(0, 9)), "true") << "without keys there is one";
  EXPECT_EQ(broker.forget("a", event(0, 9)), "false");
  broker.open_again();
  broker.publish(event(3, 8));
  broker.publish(event(4, 9));
  broker.open_again();
  broker.publish(event(5, 20));
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_THAT(consumer->ids(), ElementsAre("1", "3", "4", "5")) << "4 goes with 5";
}

TEST_F(BrokerWindowTest, ForgettingNeedsASubscriptionThatRemembers) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "p", "data.v > 1"), "ok");
  EXPECT_EQ(broker.forget("p", event(1, 1)), "engine.keys");
  EXPECT_EQ(broker.forget("none", event(1, 1)), "broker.no_such_subscription");
}

// The log is asked for the event that was seen first, before and after a restart.
TEST_F(BrokerWindowTest, AVerifiedWindowFindsItsEventsInTheLog) {
  BrokerOptions small = options();
  small.recent_bytes_max = 300;  // so that most events are only on disk
  TestBroker broker(small);
  ASSERT_EQ(put(broker, "a", "distinct(data.v) within 1h verify"), "ok");
  for (int i = 0; i < 100; ++i) broker.publish(event(i, i % 50));
  broker.open_again();
  for (int i = 100; i < 200; ++i) broker.publish(event(i, i % 60));
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(60));
  EXPECT_EQ(consumer->ids().size(), 60U);
  EXPECT_EQ(broker->stats().window_refuted_hits, 0U);
}

TEST_F(BrokerWindowTest, DuplicatesAtIngestCanBeFoundByAFilter) {
  BrokerOptions approximate = options();
  approximate.dedup_false_positives = 1e-6;
  TestBroker broker(approximate);
  EXPECT_EQ(broker.publish(event(1, 1)), "accepted");
  EXPECT_EQ(broker.publish(event(1, 1)), "duplicate");
  broker.open_again();
  EXPECT_EQ(broker.publish(event(1, 1)), "duplicate");
  EXPECT_EQ(broker.publish(event(2, 1)), "accepted");
}

// Generations that are complete stay as they are, so that the registry need not write them again.
TEST(WindowCheckpointTest, MostOfALargeWindowIsNotWrittenAgain) {
  constexpr std::int64_t kKeysPerWindow = 400'000;
  const auto window = match::make_distinct_window({.within = {7 * kKeysPerWindow},
                                                   .mode = match::DistinctMode::kApproximate,
                                                   .false_positives_max = 1e-6});
  std::int64_t count = 0;
  const auto state_after = [&](std::int64_t key_count) {
    for (; key_count > 0; --key_count, ++count) {
      window->test_and_set(std::to_string(count), {count * 7}, 0);
    }
    base::ByteWriter writer;
    window->save(writer);
    return writer.take();
  };
  std::set<std::string> names;
  const std::string first = state_after(2 * kKeysPerWindow);
  for (const auto chunk : store::cut_chunks(first)) names.insert(store::chunk_name(chunk));
  const std::string second = state_after(kKeysPerWindow / 50);
  std::size_t known_bytes = 0;
  for (const auto chunk : store::cut_chunks(second)) {
    if (names.contains(store::chunk_name(chunk))) known_bytes += chunk.size();
  }
  EXPECT_GT(second.size(), 2'000'000U);
  EXPECT_GT(known_bytes, second.size() / 2);
}

TEST_F(BrokerWindowTest, RefusesSharesThatNoFilterCanKeep) {
  BrokerOptions wrong = options();
  wrong.dedup_false_positives = 0.9;
  EXPECT_EQ(Broker::open(wrong).error().id, base::ErrorId::kBrokerOption);
}

}  // namespace
}  // namespace weir::broker
