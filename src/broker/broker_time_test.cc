// SPDX-License-Identifier: Apache-2.0
// A broker whose wall clock is set while it runs and while it does not.
#include "broker/broker_time.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

using base::Duration;
using base::Instant;
using testing::ElementsAre;

constexpr Duration kDay = Duration::seconds(86'400);

// How the wall clock is set. Each ends a day or more away from broker time, or was.
enum class Setting : std::uint8_t {
  kBack,
  kBackAtRestart,
  kForward,
  kForwardAndBack,
  kForwardAtRestartThenBack,
};

class BrokerTimeTest : public testing::TestWithParam<Setting> {
 protected:
  BrokerOptions options() {
    return {
        .directory = directory_ / "data", .shard_count = 2, .clocks = [this] { return read(); }};
  }
  ClockReading read() {
    const Instant steady{steady_.fetch_add(1000)};
    return {.steady = steady, .wall = steady + Duration{ahead_.load()}};
  }
  // By both clocks. Broker time may be slower or faster by a sixteenth.
  void pass(Duration duration) { steady_ += duration.nanoseconds; }
  void set_forward(TestBroker& broker, Duration step) {
    ahead_ += step.nanoseconds;
    static_cast<void>(broker->stats());  // which reads the clocks
  }
  void set_back(TestBroker& broker, Duration step) { set_forward(broker, {-step.nanoseconds}); }

  void set_clock(TestBroker& broker) {
    switch (GetParam()) {
      case Setting::kBack:
        return set_back(broker, kDay);
      case Setting::kBackAtRestart:
        broker.stop();
        ahead_ -= kDay.nanoseconds;
        return broker.open_again();
      case Setting::kForward:
        return set_forward(broker, kDay);
      case Setting::kForwardAndBack:
        set_forward(broker, kDay);
        return set_back(broker, kDay);
      case Setting::kForwardAtRestartThenBack:
        broker.stop();
        ahead_ += kDay.nanoseconds;
        broker.open_again();
        return set_back(broker, kDay);
    }
  }
  // A broker that starts with a clock that is ahead cannot know that no day has passed.
  static bool seems_to_be_a_day() { return GetParam() == Setting::kForwardAtRestartThenBack; }

  static std::string event(int id, int value) {
    return fmt::format(R"({{"id":"{}","subject":"s","data":{{"v":{}}}}})", id, value);
  }
  static std::string put(TestBroker& broker, std::string_view id, std::string_view filter,
                         std::string_view config = "") {
    return broker.put(fmt::format(R"({{"id":"{}","filters":[{{"weir":"{}"}}],"config":{{{}}}}})",
                                  id, filter, config));
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> steady_{1'700'000'000'000'000'000};
  std::atomic<std::int64_t> ahead_{0};  // of the wall clock
};

TEST_P(BrokerTimeTest, AtMostEveryGoesOn) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "a", "change(data.v) > 1 at most every 10s"), "ok");
  ASSERT_EQ(broker.publish(event(1, 10)), "accepted");
  set_clock(broker);
  pass(Duration::seconds(11));
  ASSERT_EQ(broker.publish(event(2, 20)), "accepted");
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(2));
  pass(Duration::seconds(2));
  ASSERT_EQ(broker.publish(event(3, 30)), "accepted");
  pass(Duration::seconds(2));
  ASSERT_EQ(broker.publish(event(4, 40)), "accepted");
  pass(Duration::seconds(7));
  ASSERT_TRUE(consumer->wait_count(3)) << "without another event";
  EXPECT_THAT(consumer->ids(), ElementsAre("1", "2", "4")) << "3 came too soon";
}

TEST_P(BrokerTimeTest, DistinctWithinGoesOn) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "a", "distinct(data.v) within 3s"), "ok");
  ASSERT_EQ(broker.publish(event(1, 7)), "accepted");
  set_clock(broker);
  ASSERT_EQ(broker.publish(event(2, 7)), "accepted");
  pass(Duration::seconds(4));
  ASSERT_EQ(broker.publish(event(3, 7)), "accepted");
  pass(Duration::seconds(2));
  ASSERT_EQ(broker.publish(event(4, 7)), "accepted");
  pass(Duration::seconds(2));
  ASSERT_EQ(broker.publish(event(5, 7)), "accepted");
  ASSERT_EQ(broker.publish(event(6, 8)), "accepted");
  const auto consumer = broker.attach("a");
  const std::vector<std::string> expected = seems_to_be_a_day()
                                                ? std::vector<std::string>{"1", "2", "3", "5", "6"}
                                                : std::vector<std::string>{"1", "3", "5", "6"};
  ASSERT_TRUE(consumer->wait_count(expected.size()));
  EXPECT_EQ(consumer->ids(), expected);
}

TEST_P(BrokerTimeTest, DuplicatesAreDroppedForAsLongAsBefore) {
  TestBroker broker(options());
  EXPECT_EQ(broker.publish(event(1, 1)), "accepted");
  set_clock(broker);
  EXPECT_EQ(broker.publish(event(1, 1)), seems_to_be_a_day() ? "accepted" : "duplicate");
  pass(Duration::seconds(130));
  EXPECT_EQ(broker.publish(event(1, 1)), "accepted");
  pass(Duration::seconds(100));
  EXPECT_EQ(broker.publish(event(1, 1)), "duplicate");
  broker.open_again();
  const bool is_ahead = GetParam() == Setting::kForward;  // at this start
  EXPECT_EQ(broker.publish(event(1, 1)), is_ahead ? "accepted" : "duplicate");
}

TEST_P(BrokerTimeTest, AReplayDeliversWhatWasDeliveredThen) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "live", "distinct(data.v) within 3s"), "ok");
  const auto publish = [&](int first) {
    for (int id = first; id < first + 20; ++id) {
      pass(Duration::milliseconds(700));
      ASSERT_EQ(broker.publish(event(id, id % 2)), "accepted");
    }
  };
  publish(100);
  set_clock(broker);
  publish(200);
  broker.open_again();
  publish(300);
  ASSERT_EQ(broker.publish(event(999, 999)), "accepted");
  const auto has_all = [](RecordingConsumer& consumer) {
    return eventually([&] { return !consumer.ids().empty() && consumer.ids().back() == "999"; });
  };
  const auto live = broker.attach("live");
  ASSERT_TRUE(has_all(*live));
  EXPECT_GT(live->ids().size(), 9U);
  ASSERT_EQ(put(broker, "replayed", "distinct(data.v) within 3s", R"("start":"earliest")"), "ok");
  ASSERT_TRUE(eventually([&] { return !broker->get(everyone(), "replayed")->replay; }));
  const auto replayed = broker.attach("replayed");
  ASSERT_TRUE(has_all(*replayed));
  EXPECT_EQ(replayed->ids(), live->ids());
}

// Instants in the log ascend, so that the first event since a time can be found.
TEST_P(BrokerTimeTest, AStartByTimeIsByBrokerTime) {
  TestBroker broker(options());
  const auto now = [&] { return options().wall_now() + broker->stats().clock_offset; };
  for (int id = 1; id <= 3; ++id) ASSERT_EQ(broker.publish(event(id, id)), "accepted");
  set_clock(broker);
  pass(Duration::seconds(10));
  const Instant since = now();
  for (int id = 4; id <= 6; ++id) ASSERT_EQ(broker.publish(event(id, id)), "accepted");
  const Start start{.kind = Start::Kind::kTime, .time = since};
  ASSERT_EQ(put(broker, "a", "data.v > 0", fmt::format(R"("start":{})", to_json(start))), "ok");
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_THAT(consumer->ids(), ElementsAre("4", "5", "6"));
}

TEST_P(BrokerTimeTest, DeliveriesThatAreNotAnsweredComeAgain) {
  TestBroker broker(options());
  ASSERT_EQ(
      broker.put(
          R"({"id":"a","config":{"consumers":{"mode":"shared","acknowledge_within":"30s"}}})"),
      "ok");
  set_clock(broker);
  const auto consumer = broker.attach("a");
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  ASSERT_TRUE(consumer->wait_count(1));
  pass(Duration::seconds(33));
  ASSERT_TRUE(consumer->wait_count(2));
  EXPECT_THAT(consumer->ids(), ElementsAre("1", "1"));
}

TEST_P(BrokerTimeTest, RetentionByAgeRemovesOnlyWhatIsOldByBrokerTime) {
  BrokerOptions old = options();
  old.log = {.segment_bytes = 4096, .retention_age = Duration::seconds(3600)};
  old.retention_interval = Duration::milliseconds(1);
  TestBroker broker(old);
  for (int id = 0; id < 100; ++id) ASSERT_EQ(broker.publish(event(id, id)), "accepted");
  set_clock(broker);
  // Rounds of retention run meanwhile.
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  for (int id = 100; std::chrono::steady_clock::now() < until; ++id) {
    ASSERT_EQ(broker.publish(event(id, id)), "accepted");
  }
  EXPECT_EQ(broker->stats().log_first_sequence, 1U);
  pass(Duration::seconds(4000));
  EXPECT_TRUE(eventually([&] { return broker->stats().log_first_sequence > 50; }));
}

TEST_P(BrokerTimeTest, StepsAreCountedAndTheOffsetIsTold) {
  TestBroker broker(options());
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  EXPECT_EQ(broker->stats().clock_offset, Duration{});
  set_clock(broker);
  const BrokerStats stats = broker->stats();
  const bool is_forward = GetParam() == Setting::kForward;
  EXPECT_EQ(stats.clock_steps_back, is_forward ? 0U : 1U);
  EXPECT_EQ(stats.clock_steps_forward,
            is_forward || GetParam() == Setting::kForwardAndBack ? 1U : 0U);
  const std::int64_t hours = stats.clock_offset.nanoseconds / 3'600'000'000'000;
  EXPECT_GE(std::abs(hours), GetParam() == Setting::kForwardAndBack ? 0 : 23);
  EXPECT_EQ(stats.clock_last_step < Duration{}, !is_forward);
}

std::string name_of(const testing::TestParamInfo<Setting>& info) {
  switch (info.param) {
    case Setting::kBack:
      return "Back";
    case Setting::kBackAtRestart:
      return "BackAtRestart";
    case Setting::kForward:
      return "Forward";
    case Setting::kForwardAndBack:
      return "ForwardAndBack";
    case Setting::kForwardAtRestartThenBack:
      return "ForwardAtRestartThenBack";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(All, BrokerTimeTest,
                         testing::Values(Setting::kBack, Setting::kBackAtRestart, Setting::kForward,
                                         Setting::kForwardAndBack,
                                         Setting::kForwardAtRestartThenBack),
                         name_of);

class BrokerTimeRestartTest : public BrokerTimeTest {};

// Time that passed without an event is known to states; it must not pass again.
TEST_F(BrokerTimeRestartTest, ARestartGoesOnBehindTheLastCheckpoint) {
  TestBroker broker(options());
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  pass(Duration::seconds(7200));
  const Instant before = options().wall_now() + broker->stats().clock_offset;
  broker.stop();
  ahead_ -= kDay.nanoseconds;
  broker.open_again();
  EXPECT_GE(options().wall_now() + broker->stats().clock_offset, before);
}

// Without a checkpoint behind the last event, the log alone tells.
TEST_F(BrokerTimeRestartTest, ARestartAfterACrashGoesOnBehindTheLog) {
  TestBroker broker(options());
  pass(Duration::seconds(7200));
  const Instant before = options().wall_now() + broker->stats().clock_offset;
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  BrokerOptions crashed = options();
  crashed.directory = directory_ / "crashed";
  ASSERT_TRUE(eventually([&] { return copy_running(directory_ / "data", crashed.directory); }));
  set_back(broker, kDay);
  TestBroker restarted(crashed);
  EXPECT_GE(options().wall_now() + restarted->stats().clock_offset, before);
}

// Tokens end by the wall clock, whatever broker time is.
TEST_F(BrokerTimeRestartTest, ATokenIsNotEndedByABrokerTimeThatIsAhead) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "a", "data.v > 0"), "ok");
  set_back(broker, kDay);
  const auto guest = std::make_shared<const Principal>(
      Principal{.name = {},
                .grants = Grants::all(),
                .expires = options().wall_now() + Duration::seconds(3600)});
  const auto consumer = broker.attach("a", {}, guest);
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  ASSERT_TRUE(consumer->wait_count(1)) << "by broker time it ended long ago";
  pass(Duration::seconds(3601));
  EXPECT_EQ(consumer->wait_end(), "broker.ended");
}

// A session whose token ends, on a clock that is set back just then.
TEST_F(BrokerTimeRestartTest, ATokenEndsLaterIfTheClockIsSetBackMeanwhile) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "a", "data.v > 0"), "ok");
  const auto guest = std::make_shared<const Principal>(
      Principal{.name = {},
                .grants = Grants::all(),
                .expires = options().wall_now() + Duration::seconds(100)});
  const auto consumer = broker.attach("a", {}, guest);
  ASSERT_TRUE(consumer->wait_begin());
  set_back(broker, kDay);
  pass(Duration::seconds(200));
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  ASSERT_TRUE(consumer->wait_count(1));
  pass(kDay);
  EXPECT_EQ(consumer->wait_end(), "broker.ended");
}

TEST(StoredTimeTest, IsReadAsItWasStored) {
  const Instant now{1'700'000'000'123'456'789};
  EXPECT_EQ(read_stored_time({stored_time(now)}).value(), now);
  EXPECT_EQ(read_stored_time({}).value(), Instant{std::numeric_limits<std::int64_t>::min()});
  store::SharedState damaged = stored_time(now);
  damaged.state.pop_back();
  EXPECT_EQ(read_stored_time({damaged}).error().id, base::ErrorId::kStoreCorrupt);
}

}  // namespace
}  // namespace weir::broker
