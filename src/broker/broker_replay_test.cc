// SPDX-License-Identifier: Apache-2.0
// Subscriptions that begin with old events get what they would have got had they been there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "base/prng.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFilters[] = {
    "data.v > 20",
    "change(data.v, by subject) > 5",
    "change(data.v, by subject) > 5 at most every 3s",
    "distinct(data.v, subject) within 60s",
    "distinct(data.v, subject) within 60s exact",
    "change(data.v, subject = 's1') > 3 and change(data.v, subject = 's2') > 2",
    "text(data.t) about 'storm flood' score >= 0.1",
};

class BrokerReplayTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / std::to_string(crash_count_),
            .log = {.segment_bytes = 20'000},
            .dedup_window = std::nullopt,
            .recent_bytes_max = 2000,
            .clocks = [this] { return at_instant(base::Instant{now_.fetch_add(1000)}); }};
  }
  // A broker on what a crash now would leave of the directory.
  BrokerOptions after_crash() {
    const std::filesystem::path before = directory_ / std::to_string(crash_count_++);
    EXPECT_TRUE(eventually([&] { return copy_running(before, options().directory); }));
    return options();
  }

  std::string next_event() {
    now_ += static_cast<std::int64_t>(prng_.below(1'000'000'000));
    constexpr const char* kWords[] = {"storm", "flood", "calm", "sun", "rain"};
    return fmt::format(R"({{"id":"{}","subject":"s{}","data":{{"v":{},"t":"{} {}"}}}})", ++count_,
                       prng_.below(4), prng_.below(40), kWords[prng_.below(5)],
                       kWords[prng_.below(5)]);
  }
  void publish(TestBroker& broker, int count) {
    std::vector<std::string> events;
    for (int i = 0; i < count; ++i) events.push_back(next_event());
    for (const std::string& status : broker.publish_all(events)) ASSERT_EQ(status, "accepted");
  }

  static std::string document(std::string_view id, std::string_view filter,
                              std::string_view config) {
    return fmt::format(R"({{"id":"{}","filters":[{{"weir":"{}"}}],"config":{{{}}}}})", id, filter,
                       config);
  }
  static bool has_caught_up(TestBroker& broker, std::string_view id) {
    return eventually([&] { return !broker->get(everyone(), id)->replay; });
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
  base::Prng prng_{7};
  int crash_count_ = 0;
  int count_ = 0;
};

TEST_F(BrokerReplayTest, DeliversWhatASubscriptionFromTheStartHasGot) {
  TestBroker broker(options());
  std::size_t number = 0;
  for (const char* const filter : kFilters) {
    ASSERT_EQ(broker.put(document(fmt::format("a{}", number++), filter, "")), "ok") << filter;
  }
  for (int i = 0; i < 20; ++i) publish(broker, 50);
  number = 0;
  for (const char* const filter : kFilters) {
    ASSERT_EQ(broker.put(document(fmt::format("b{}", number++), filter, R"("start":"earliest")")),
              "ok");
  }
  for (int i = 0; i < 10; ++i) publish(broker, 20);  // beside the replays
  for (number = 0; number < std::size(kFilters); ++number) {
    SCOPED_TRACE(kFilters[number]);
    ASSERT_TRUE(has_caught_up(broker, fmt::format("b{}", number)));
  }
  publish(broker, 200);
  now_ += base::Duration::seconds(10).nanoseconds;  // for what is held back
  publish(broker, 1);
  for (number = 0; number < std::size(kFilters); ++number) {
    SCOPED_TRACE(kFilters[number]);
    const auto first = broker.attach(fmt::format("a{}", number));
    const SessionPtr first_session = broker.session;
    const auto second = broker.attach(fmt::format("b{}", number));
    const auto total = [&](char who) {
      return broker->get(everyone(), fmt::format("{}{}", who, number))->counts.deliveries;
    };
    ASSERT_TRUE(eventually([&] { return total('a') == total('b') && total('a') > 100; }))
        << total('a') << " and " << total('b');
    ASSERT_TRUE(first->wait_count(total('a')));
    ASSERT_TRUE(second->wait_count(total('b')));
    EXPECT_EQ(first->ids(), second->ids());
  }
}

TEST_F(BrokerReplayTest, WaitsForRoomInTheOutboxInsteadOfDropping) {
  TestBroker broker(options());
  publish(broker, 500);
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"start":"earliest","outbox":{"limit":10}}})"), "ok");
  ASSERT_TRUE(eventually([&] { return broker->get(everyone(), "a")->counts.pending == 5; }));
  const auto progress = broker->get(everyone(), "a")->replay;
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->next_sequence, 6U);
  EXPECT_EQ(progress->last_sequence, 500U);
  const auto consumer = broker.attach("a");
  for (std::uint64_t number = 1; number <= 500; ++number) {
    ASSERT_TRUE(consumer->wait_count(number));
    broker.session->acknowledge(number);
  }
  ASSERT_TRUE(has_caught_up(broker, "a"));
  EXPECT_EQ(broker->get(everyone(), "a")->counts.settled.dropped, 0U);
  publish(broker, 1);
  EXPECT_TRUE(consumer->wait_count(501));
}

TEST_F(BrokerReplayTest, GoesOnAfterACrashAtAnyMoment) {
  constexpr const char* kFilter = "change(data.v, by subject) > 5 at most every 3s";
  TestBroker whole(options());
  ASSERT_EQ(whole.put(document("whole", kFilter, "")), "ok");
  for (int i = 0; i < 200; ++i) publish(whole, 10);
  auto broker = std::make_unique<TestBroker>(after_crash());
  ASSERT_EQ(broker->put(document("a", kFilter, R"("start":"earliest","outbox":{"limit":60})")),
            "ok");
  std::vector<std::string> got;
  std::uint64_t taken = 0;
  for (int crash = 0; crash < 12; ++crash) {
    SCOPED_TRACE(crash);
    const auto consumer = broker->attach("a");
    const std::size_t count = 5 + prng_.below(25);
    ASSERT_TRUE(consumer->wait_count(count));
    const auto received = consumer->received();
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(received[i].number, taken + 1);
      got.push_back(received[i].ids.front());
      ++taken;
    }
    ASSERT_EQ(broker->acknowledge("a", taken), "ok");
    ASSERT_EQ((*broker)->get(everyone(), "a")->counts.settled.dropped, 0U);
    broker = std::make_unique<TestBroker>(after_crash());
    publish(*broker, 5);
  }
  const auto expected = broker->attach("whole");
  ASSERT_TRUE(expected->wait_count(got.size()));
  auto ids = expected->ids();
  ids.resize(got.size());
  EXPECT_EQ(got, ids);
}

TEST_F(BrokerReplayTest, AReplayThatHasEndedStaysEndedAfterACrash) {
  TestBroker broker(options());
  publish(broker, 100);
  ASSERT_EQ(broker.put(document("a", kFilters[1], R"("start":"earliest")")), "ok");
  ASSERT_TRUE(has_caught_up(broker, "a"));
  publish(broker, 100);
  const auto deliveries = [](TestBroker& of) {
    return of->get(everyone(), "a")->counts.deliveries;
  };
  ASSERT_EQ(broker.put(document("b", "distinct(data.v) within 1h", "")), "ok");
  ASSERT_TRUE(eventually([&] { return broker->stats().log_next_sequence == 201; }));
  ASSERT_EQ(broker.forget("b", R"({"id":"x","data":{"v":1}})"), "false") << "a checkpoint";
  const std::uint64_t before = deliveries(broker);
  TestBroker again(after_crash());
  EXPECT_FALSE(again->get(everyone(), "a")->replay);
  EXPECT_EQ(deliveries(again), before);
}

TEST_F(BrokerReplayTest, BeginsWithASequenceOrATime) {
  TestBroker broker(options());
  publish(broker, 50);
  const base::Instant middle{now_.load()};
  now_ += 1'000'000'000;
  publish(broker, 50);
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"start":{"sequence":91}}})"), "ok");
  const auto by_sequence = broker.attach("a");
  ASSERT_TRUE(by_sequence->wait_count(10));
  EXPECT_EQ(by_sequence->ids().front(), "91");
  ASSERT_EQ(broker.put(fmt::format(R"({{"id":"b","config":{{"start":{}}}}})",
                                   to_json({.kind = Start::Kind::kTime, .time = middle}))),
            "ok");
  const auto by_time = broker.attach("b");
  ASSERT_TRUE(by_time->wait_count(50));
  EXPECT_EQ(by_time->ids().front(), "51");
  EXPECT_EQ(broker.put(R"({"id":"c","config":{"start":{"sequence":102}}})"), "broker.definition");
  EXPECT_EQ(broker.put(R"({"id":"c","config":{"start":{"sequence":101}}})"), "ok") << "the next";
}

TEST_F(BrokerReplayTest, TellsHowManyEventsAreGone) {
  BrokerOptions small = options();
  small.log = {.segment_bytes = 2000, .retention_bytes = 6000};
  small.retention_interval = base::Duration::milliseconds(1);
  TestBroker broker(small);
  for (int i = 0; i < 20; ++i) publish(broker, 10);
  ASSERT_TRUE(eventually([&] { return broker->stats().log_bytes <= 6000; }));
  const std::uint64_t first = broker->stats().log_first_sequence;
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"start":{"sequence":1},"outbox":{"limit":2}}})"),
            "ok");
  const auto progress = broker->get(everyone(), "a")->replay;
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->skipped, first - 1);
}

TEST_F(BrokerReplayTest, AStreamBeginsWithOldEventsToo) {
  TestBroker broker(options());
  publish(broker, 30);
  const auto consumer = std::make_shared<RecordingConsumer>();
  const auto definition = Definition::parse(R"({"config":{"start":"earliest"}})");
  const SessionPtr session = broker->stream(everyone(), *definition, consumer);
  session->add_credit(1000);
  ASSERT_TRUE(consumer->wait_count(30));
  publish(broker, 3);
  ASSERT_TRUE(consumer->wait_count(33));
  EXPECT_EQ(consumer->ids().back(), "33");
}

TEST_F(BrokerReplayTest, AReplacementWithAnotherStartBeginsThere) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  publish(broker, 10);
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(10));
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"start":{"sequence":4}}})"), "ok");
  ASSERT_TRUE(consumer->wait_count(17));
  EXPECT_EQ(consumer->ids()[10], "4");
  EXPECT_EQ(consumer->received().back().number, 17U);
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"start":{"sequence":4}}})"), "ok")
      << "the same again";
  publish(broker, 1);
  ASSERT_TRUE(consumer->wait_count(18));
  EXPECT_EQ(consumer->ids().back(), "11");
  ASSERT_EQ(broker.acknowledge("a", 18), "ok");
  TestBroker again(after_crash());
  EXPECT_EQ(again->get(everyone(), "a")->counts.deliveries, 18U);
}

TEST_F(BrokerReplayTest, WhatNeedsItsStateWaitsUntilItHasCaughtUp) {
  TestBroker broker(options());
  publish(broker, 50);
  ASSERT_EQ(broker.put(document("a", "distinct(id) within 1h",
                                R"("start":"earliest","outbox":{"limit":2})")),
            "ok");
  EXPECT_EQ(broker.explain("a", R"({"id":"1"})"), "broker.replaying");
  EXPECT_EQ(broker.forget("a", R"({"id":"1"})"), "broker.replaying");
}

}  // namespace
}  // namespace weir::broker
