// SPDX-License-Identifier: Apache-2.0
// Owners publish in turns: long batches are written in pieces, and others come between.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "event/event_testing.h"
#include "store/fault_file_system_testing.h"

namespace weir::broker {
namespace {

using Outcomes = base::Result<std::vector<PublishOutcome>>;

PrincipalPtr principal(std::string name) {
  return std::make_shared<Principal>(
      Principal{.name = std::move(name), .grants = everyone()->grants});
}

std::future<Outcomes> publish(TestBroker& broker, const PrincipalPtr& by,
                              const std::vector<std::string>& texts) {
  std::vector<base::Result<event::EventPtr>> events;
  for (const std::string& text : texts) events.emplace_back(event::event_of(text));
  auto promise = std::make_shared<std::promise<Outcomes>>();
  broker->publish(by, std::move(events),
                  [promise](Outcomes outcomes) { promise->set_value(std::move(outcomes)); });
  return promise->get_future();
}

std::vector<std::string> batch(const std::string& name, int count) {
  std::vector<std::string> events;
  events.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) events.push_back(fmt::format(R"({{"id":"{}{}"}})", name, i));
  return events;
}

class BrokerTurnsTest : public testing::Test {
 protected:
  BrokerOptions options() { return {.directory = directory_ / "data", .files = &files_}; }

  base::TemporaryDirectory directory_;
  store::FaultFileSystem files_;
};

// A busy machine may keep this thread from publishing until the batch is written, so it tries
// again.
TEST_F(BrokerTurnsTest, AnEventOvertakesTheLongBatchOfAnotherOwner) {
  constexpr int kSubscriptions = 200;
  constexpr int kEvents = 4000;
  TestBroker broker(options());
  for (int i = 0; i < kSubscriptions; ++i) {
    ASSERT_EQ(broker.put(fmt::format(R"({{"id":"s{0}","filters":[{{"weir":"id != 'x{0}'"}}]}})", i),
                         principal("hostile")),
              "ok");
  }
  bool has_overtaken = false;
  for (int round = 0; round < 20 && !has_overtaken; ++round) {
    auto hostile =
        publish(broker, principal("hostile"), batch(fmt::format("h{}-", round), kEvents));
    auto healthy = publish(broker, principal("healthy"), batch(fmt::format("o{}-", round), 1));
    const Outcomes one = healthy.get();
    const Outcomes many = hostile.get();
    ASSERT_TRUE(one && many);
    EXPECT_TRUE(std::ranges::is_sorted(*many, {}, &PublishOutcome::sequence)) << "in its order";
    has_overtaken = one->front().sequence < many->back().sequence;
  }
  EXPECT_TRUE(has_overtaken);
  EXPECT_TRUE(eventually([&] { return broker->stats().shard_queue_bytes == 0; }));
  EXPECT_EQ(broker->stats().publish_queue_bytes, 0U);
}

// Once it is known how long they take. As above, a busy machine needs several rounds.
TEST_F(BrokerTurnsTest, EventsThatTakeLongToMatchAreWrittenFewAtATime) {
  constexpr int kEvents = 10;
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
  ASSERT_EQ(broker.put(R"({"id":"t","filters":[{"weir":"text(data) in 'none' about 'storm'"}]})"),
            "ok");
  const auto all = broker.attach("all");
  std::string words;
  for (int i = 0; i < 10'000; ++i) words += fmt::format(" word{}", i);
  std::size_t count = 0;
  bool has_overtaken = false;
  for (int round = 0; round < 20 && !has_overtaken; ++round) {
    std::vector<std::string> events;
    for (int i = 0; i < kEvents; ++i) {
      events.push_back(fmt::format(R"({{"id":"{}-{}","data":"{}"}})", round, i, words));
    }
    auto hostile = publish(broker, principal("hostile"), events);
    ASSERT_TRUE(all->wait_count(count + 1)) << "the first of them are matched";
    auto healthy = publish(broker, principal("healthy"), batch(fmt::format("o{}-", round), 1));
    const Outcomes one = healthy.get();
    const Outcomes many = hostile.get();
    ASSERT_TRUE(one && many);
    has_overtaken = one->front().sequence < many->back().sequence;
    count += kEvents + 1;
    ASSERT_TRUE(all->wait_count(count));
  }
  EXPECT_TRUE(has_overtaken);
}

// Pieces without a new event are matched by nobody, and the next ones do not wait for that.
TEST_F(BrokerTurnsTest, ALongBatchOfDuplicatesIsAnsweredAtOnce) {
  constexpr int kEvents = 8000;
  TestBroker broker(options());
  const std::vector<std::string> events = batch("e", kEvents);
  EXPECT_EQ(std::ranges::count(broker.publish_all(events, principal("a")), "accepted"), kEvents);
  const std::uint64_t commit_count = broker->stats().commits;
  auto again = publish(broker, principal("a"), events);
  ASSERT_TRUE(eventually(
      [&] { return again.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
  EXPECT_GT(broker->stats().commits, commit_count);
  EXPECT_EQ(broker->stats().duplicates, static_cast<std::uint64_t>(kEvents));
}

TEST_F(BrokerTurnsTest, AFailureOnTheWayTellsWhatWasAccepted) {
  constexpr int kEvents = 3000;
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
  const std::vector<std::string> events = batch("e", kEvents);
  std::uint64_t used_bytes = 0;
  for (const auto& [path, content] : files_.contents()) used_bytes += content.size();
  files_.set_capacity(used_bytes + 100'000);

  const std::vector<std::string> first = broker.publish_all(events, principal("a"));
  const auto accepted = static_cast<std::uint64_t>(std::ranges::count(first, "accepted"));
  EXPECT_GT(accepted, 0U);
  EXPECT_EQ(accepted + static_cast<std::uint64_t>(std::ranges::count(first, "store.full")),
            static_cast<std::uint64_t>(kEvents));
  EXPECT_TRUE(
      std::ranges::is_partitioned(first, [](const auto& name) { return name == "accepted"; }));
  BrokerStats stats = broker->stats();
  EXPECT_EQ(stats.accepted, accepted);
  EXPECT_EQ(stats.unavailable, kEvents - accepted);
  EXPECT_EQ(stats.publish_queue_bytes, 0U) << "the rest waits for nothing";

  files_.set_capacity(UINT64_MAX);
  ASSERT_TRUE(eventually([&] { return !broker->trouble(); }));
  const std::vector<std::string> again = broker.publish_all(events, principal("a"));
  EXPECT_EQ(std::ranges::count(again, "duplicate"), static_cast<std::ptrdiff_t>(accepted));
  EXPECT_EQ(std::ranges::count(again, "accepted"), static_cast<std::ptrdiff_t>(kEvents - accepted));
  const auto all = broker.attach("all");
  ASSERT_TRUE(all->wait_count(kEvents));
  const std::vector<std::string> ids = all->ids();
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], fmt::format("e{}", i));
}

}  // namespace
}  // namespace weir::broker
