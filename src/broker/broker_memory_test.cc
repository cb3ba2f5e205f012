// SPDX-License-Identifier: Apache-2.0
// The memory of the broker is bounded, by owner and in total.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/temporary_directory_testing.h"
#include "broker/broker.h"
#include "broker/broker_testing.h"
#include "broker/outbox.h"
#include "event/event_testing.h"

namespace weir::broker {
namespace {

using testing::Contains;
using testing::Each;

constexpr std::size_t kEventBytes = 20'000;

// Keeps its shard busy, as a filter that takes long would.
class SlowConsumer final : public Consumer {
 public:
  explicit SlowConsumer(std::chrono::milliseconds each) : each_(each) {}

  void on_begin(const SessionStart& /*start*/) override {}
  void on_dispatch(std::vector<Dispatch> dispatches) override {
    std::unique_lock lock(mutex_);
    count_ += dispatches.size();
    lock.unlock();
    std::this_thread::sleep_for(each_);
    lock.lock();
    released_.wait(lock, [this] { return !held_; });
  }
  void on_acknowledged(std::uint64_t /*number*/) override {}
  void on_settled(std::vector<std::uint64_t> /*numbers*/) override {}
  void on_end(const base::Error& /*reason*/) override {}

  void hold() { set_held(true); }
  void release() { set_held(false); }
  std::size_t count() {
    const std::scoped_lock lock(mutex_);
    return count_;
  }

 private:
  void set_held(bool held) {
    const std::scoped_lock lock(mutex_);
    held_ = held;
    released_.notify_all();
  }

  std::chrono::milliseconds each_;
  std::mutex mutex_;
  std::condition_variable released_;
  bool held_ = false;
  std::size_t count_ = 0;
};

// Answers that may come late.
class Answers {
 public:
  PublishDone add() {
    return [this](const base::Result<std::vector<PublishOutcome>>& outcomes) {
      const std::scoped_lock lock(mutex_);
      ++counts_[outcomes ? "accepted" : std::string(base::error_info(outcomes.error().id).name)];
    };
  }
  std::size_t count(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    return counts_[name];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::size_t> counts_;
};

PrincipalPtr principal(std::string name) {
  return std::make_shared<const Principal>(
      Principal{.name = std::move(name), .grants = Grants::all()});
}

class BrokerMemoryTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "data",
            .publish_queue_bytes_max = 400'000,
            .shard_queue_bytes_max = 300'000,
            .recent_bytes_max = 100'000};
  }
  static std::string large_event(int id) {
    return fmt::format(R"({{"id":"{}","data":"{}"}})", id, std::string(kEventBytes, 'x'));
  }
  void publish(TestBroker& broker, const PrincipalPtr& by, Answers& answers) {
    std::vector<base::Result<event::EventPtr>> events;
    events.emplace_back(event::event_of(large_event(++last_id_)));
    broker->publish(by, std::move(events), answers.add());
  }

  base::TemporaryDirectory directory_;
  int last_id_ = 0;
};

TEST_F(BrokerMemoryTest, PublishersWaitAndAreRefusedWhileLargeEventsAreNotMatched) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const auto consumer = std::make_shared<SlowConsumer>(std::chrono::milliseconds(0));
  consumer->hold();
  const SessionPtr session = broker->attach(everyone(), "a", std::nullopt, consumer);
  session->add_credit(1000);
  Answers mine;
  publish(broker, principal("a"), mine);
  ASSERT_TRUE(eventually([&] { return consumer->count() == 1; })) << "the shard is busy";
  constexpr std::size_t kMany = 100;  // 2 MB
  for (std::size_t i = 1; i < kMany; ++i) {
    publish(broker, principal("a"), mine);
    // One at a time is written, so that the queue of the shard fills before the other one.
    ASSERT_TRUE(eventually([&] {
      return broker->stats().publish_queue_bytes == 0 ||
             broker->stats().shard_queue_bytes + kEventBytes > 300'000;
    }));
  }
  ASSERT_TRUE(eventually([&] { return broker->stats().shard_queue_bytes > 300'000; }));
  EXPECT_LE(broker->stats().shard_queue_bytes, 300'000U + kEventBytes + 1000);
  EXPECT_LE(broker->stats().publish_queue_bytes, 300'000U) << "an owner has three quarters";
  EXPECT_GT(mine.count("broker.memory"), kMany / 2);
  Answers others;
  publish(broker, principal("b"), others);
  EXPECT_EQ(others.count("broker.memory") + others.count("broker.busy"), 0U) << "it has its share";
  consumer->release();
  ASSERT_TRUE(eventually([&] {
    return others.count("accepted") == 1 &&
           mine.count("accepted") + mine.count("broker.memory") == kMany;
  }));
  ASSERT_TRUE(eventually([&] { return consumer->count() == mine.count("accepted") + 1; }));
  ASSERT_TRUE(eventually([&] { return broker->stats().shard_queue_bytes == 0; }));
  EXPECT_EQ(broker->stats().publish_queue_bytes, 0U);
}

TEST_F(BrokerMemoryTest, StopsInTimeWithAFullQueueAndTheNextStartMatchesTheRest) {
  constexpr std::size_t kEvents = 100;
  BrokerOptions slow = options();
  slow.shard_queue_bytes_max = 10'000'000;
  slow.stop_grace = base::Duration::milliseconds(20);
  TestBroker broker(slow);
  ASSERT_EQ(broker.put(R"({"id":"a","filters":[{"weir":"distinct(id) within 1h"}]})"), "ok");
  const auto consumer = std::make_shared<SlowConsumer>(std::chrono::milliseconds(100));
  SessionPtr session = broker->attach(everyone(), "a", std::nullopt, consumer);
  session->add_credit(1000);
  for (std::size_t i = 0; i < kEvents; ++i) {
    ASSERT_EQ(broker.publish(large_event(++last_id_)), "accepted");
  }
  const auto begin = std::chrono::steady_clock::now();
  session.reset();
  broker.stop();
  const auto taken = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(consumer->count(), kEvents) << "the queue was full";
  EXPECT_LT(taken, std::chrono::seconds(5)) << "all of it takes 10 s";
  broker.open_again();
  EXPECT_EQ(broker->stats().pending, kEvents) << "nothing is lost";
  EXPECT_TRUE(broker.attach("a")->wait_count(kEvents));
}

// Publishes events with keys of this owner's filter, longer than memory has room for.
void fill_memory(TestBroker& broker, const PrincipalPtr& owner) {
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(broker.publish(fmt::format(R"({{"id":"{0}","source":"/fill","subject":"{1}{0}"}})", i,
                                         std::string(3000, 'k')),
                             owner),
              "accepted");
  }
}

TEST_F(BrokerMemoryTest, AnOwnerWhoseFiltersRememberTooMuchGetsNoMoreSubscriptions) {
  BrokerOptions tight = options();
  tight.memory_bytes_max = 4'000'000;
  tight.memory_per_owner_bytes_max = 500'000;
  TestBroker broker(tight);
  const PrincipalPtr greedy = principal("greedy");
  const PrincipalPtr other = principal("other");
  ASSERT_EQ(
      broker.put(R"({"id":"g","filters":[{"weir":"distinct(subject) within 1h exact"}]})", greedy),
      "ok");
  ASSERT_EQ(broker.put(R"({"id":"o","filters":[{"weir":"distinct(id) within 1h exact"}]})", other),
            "ok");
  fill_memory(broker, greedy);
  ASSERT_TRUE(eventually([&] { return broker->stats().shard_queue_events == 0; }));
  ASSERT_TRUE(eventually([&] { return broker->stats().window_overflow > 0; })) << "it is told";
  EXPECT_EQ(broker.put(R"({"id":"h"})", greedy), "broker.memory");
  EXPECT_EQ(broker.put(R"({"id":"p"})", other), "ok") << "others have their own share";
  const auto consumer = broker.attach("o", std::nullopt, other);
  EXPECT_TRUE(consumer->wait_count(300)) << "and all their deliveries";
  const BrokerStats stats = broker->stats();
  ASSERT_FALSE(stats.memory_by_owner.empty());
  EXPECT_EQ(stats.memory_by_owner.front().name, "greedy");
  EXPECT_LE(stats.memory_by_owner.front().bytes, 520'000U);
  EXPECT_EQ(broker.remove("g", greedy), "ok");
  EXPECT_TRUE(eventually([&] { return broker.put(R"({"id":"h"})", greedy) == "ok"; }))
      << "the memory is given back";
}

std::uint64_t part(TestBroker& broker, std::string_view name) {
  for (const MemoryUse& use : broker->stats().memory_by_part) {
    if (use.name == name) return use.bytes;
  }
  return 0;
}

TEST_F(BrokerMemoryTest, OutboxesOfAnOwnerAreBoundedAndOthersKeepTheirs) {
  BrokerOptions tight = options();
  tight.outbox_bytes_max = 40'000;
  TestBroker broker(tight);
  const PrincipalPtr greedy = principal("greedy");
  const PrincipalPtr other = principal("other");
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(broker.put(fmt::format(R"({{"id":"g{}"}})", i), greedy), "ok");
  }
  ASSERT_EQ(broker.put(R"({"id":"o"})", other), "ok");
  constexpr std::size_t kEvents = 200;  // 24 bytes each and five outboxes: more than 20 000 bytes
  for (std::size_t i = 0; i < kEvents; ++i) {
    ASSERT_EQ(broker.publish(fmt::format(R"({{"id":"{}"}})", i), other), "accepted");
  }
  ASSERT_TRUE(eventually([&] { return broker->stats().shard_queue_events == 0; }));
  ASSERT_TRUE(eventually([&] { return broker->stats().dropped > 0; }));
  EXPECT_EQ(broker->get(other, "o")->counts.pending, kEvents) << "another owner loses nothing";
  std::uint64_t pending = 0;
  for (int i = 0; i < 5; ++i) {
    const DeliveryCounts counts = broker->get(greedy, fmt::format("g{}", i))->counts;
    EXPECT_EQ(counts.deliveries, kEvents);
    EXPECT_EQ(counts.pending + counts.settled.dropped, kEvents) << "what is dropped is counted";
    pending += counts.pending;
  }
  EXPECT_LE(part(broker, "outboxes"), 20'000U + kEvents * 24 + 5 * Outbox::kBytesMin);
  EXPECT_GE(part(broker, "outboxes"), 24 * (pending + kEvents));

  broker.open_again();
  EXPECT_EQ(broker->get(other, "o")->counts.pending, kEvents);
  EXPECT_EQ(broker->stats().pending, pending + kEvents) << "as it was";
  EXPECT_GE(part(broker, "outboxes"), 24 * (pending + kEvents));
}

// Keeps what it is given, as a peer that does not read does.
class KeepingConsumer final : public Consumer {
 public:
  void on_begin(const SessionStart& /*start*/) override {}
  void on_dispatch(std::vector<Dispatch> dispatches) override {
    const std::scoped_lock lock(mutex_);
    count_ += dispatches.size();
    for (Dispatch& dispatch : dispatches) kept_.push_back(std::move(dispatch));
  }
  void on_acknowledged(std::uint64_t /*number*/) override {}
  void on_settled(std::vector<std::uint64_t> /*numbers*/) override {}
  void on_end(const base::Error& /*reason*/) override {}

  std::size_t count() {
    const std::scoped_lock lock(mutex_);
    return count_;
  }
  void let_go() {
    std::vector<Dispatch> gone;
    const std::scoped_lock lock(mutex_);
    gone.swap(kept_);
  }

 private:
  std::mutex mutex_;
  std::size_t count_ = 0;
  std::vector<Dispatch> kept_;
};

class BrokerTransitTest : public BrokerMemoryTest, public testing::WithParamInterface<bool> {};

TEST_P(BrokerTransitTest, DeliveriesOfAnOwnerWaitWhileItsConsumersDoNotRead) {
  BrokerOptions tight = options();
  tight.transit_bytes_max = 400'000;  // half for one owner
  tight.shard_queue_bytes_max = 10'000'000;
  TestBroker broker(tight);
  const PrincipalPtr greedy = principal("greedy");
  const PrincipalPtr other = principal("other");
  const std::string config = GetParam() ? R"(,"config":{"consumers":"shared"})" : "";
  constexpr std::size_t kConsumers = 4;
  std::vector<std::shared_ptr<KeepingConsumer>> consumers;
  std::vector<SessionPtr> sessions;
  for (std::size_t i = 0; i < kConsumers; ++i) {
    const std::string id = fmt::format("g{}", i);
    ASSERT_EQ(broker.put(fmt::format(R"({{"id":"{}"{}}})", id, config), greedy), "ok");
    consumers.push_back(std::make_shared<KeepingConsumer>());
    sessions.push_back(broker->attach(greedy, id, std::nullopt, consumers.back()));
    sessions.back()->add_credit(1000);
  }
  ASSERT_EQ(broker.put(R"({"id":"o"})", other), "ok");
  const auto healthy = broker.attach("o", std::nullopt, other);
  constexpr std::size_t kEvents = 40;  // of 20 kB, in four streams: 3.2 MB
  for (std::size_t i = 0; i < kEvents; ++i) {
    ASSERT_EQ(broker.publish(large_event(++last_id_), other), "accepted");
  }
  EXPECT_TRUE(healthy->wait_count(kEvents)) << "another owner waits for nothing";
  ASSERT_TRUE(eventually([&] { return broker->stats().transit_waits > 0; }));
  EXPECT_LE(part(broker, "streams"), 200'000U + (1 << 20U)) << "one turn more at most";
  const auto total = [&] {
    std::size_t count = 0;
    for (const auto& consumer : consumers) count += consumer->count();
    return count;
  };
  EXPECT_LT(total(), kConsumers * kEvents);
  // Whoever reads, others get their turn too.
  ASSERT_TRUE(eventually([&] {
    for (const auto& consumer : consumers) consumer->let_go();
    return total() == kConsumers * kEvents;
  }));
  for (const auto& consumer : consumers) {
    EXPECT_EQ(consumer->count(), kEvents);
    consumer->let_go();
  }
  EXPECT_TRUE(eventually([&] { return part(broker, "streams") == 0; }));
}

INSTANTIATE_TEST_SUITE_P(ExclusiveAndShared, BrokerTransitTest, testing::Bool());

TEST_F(BrokerMemoryTest, AStreamGetsNoMoreAtOnceThanThereIsMemoryFor) {
  BrokerOptions tight = options();
  tight.transit_bytes_max = 400'000;  // half for one owner
  TestBroker broker(tight);
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  constexpr std::size_t kEvents = 20;
  for (std::size_t i = 0; i < kEvents; ++i) {
    ASSERT_EQ(broker.publish(large_event(++last_id_)), "accepted");
  }
  ASSERT_TRUE(eventually([&] { return broker->stats().pending == kEvents; }));
  const auto consumer = std::make_shared<KeepingConsumer>();
  const SessionPtr session = broker->attach(everyone(), "a", std::nullopt, consumer);
  session->add_credit(1000);
  ASSERT_TRUE(eventually([&] { return consumer->count() > 0; }));
  EXPECT_LE(consumer->count(), 200'000 / (2 * kEventBytes) + 1) << "one event goes beyond it";
}

TEST_F(BrokerMemoryTest, ADeadLetterThatIsLargerThanItsMemoryIsWrittenAlone) {
  BrokerOptions tight = options();
  tight.outbox_bytes_max = 2 * kEventBytes;
  TestBroker broker(tight);
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const auto consumer = broker.attach("a");
  for (std::uint64_t i = 1; i <= 2; ++i) {
    ASSERT_EQ(broker.publish(large_event(++last_id_)), "accepted");
    ASSERT_TRUE(consumer->wait_count(i));
    broker.session->bury(i, "no");
    ASSERT_TRUE(consumer->wait_acknowledged(i));
  }
  EXPECT_EQ(broker->dead_letters(everyone(), "a", 0, 10)->size(), 2U);
}

TEST_F(BrokerMemoryTest, DefinitionsAreCounted) {
  BrokerOptions tight = options();
  tight.memory_bytes_max = 4'000'000;
  tight.memory_per_owner_bytes_max = 500'000;
  TestBroker broker(tight);
  const PrincipalPtr greedy = principal("greedy");
  const auto definition = [](int i, std::size_t bytes) {
    return fmt::format(R"({{"id":"d{}","source":"/{}"}})", i, std::string(bytes, 'x'));
  };
  int made = 0;
  while (made < 100 && broker.put(definition(made, 1500), greedy) == "ok") ++made;
  EXPECT_GT(made, 5);
  EXPECT_LT(made, 15) << "each takes about 50 kB";
  EXPECT_EQ(broker.put(definition(0, 50'000), greedy), "broker.memory") << "nor by a replacement";
  EXPECT_EQ(broker.put(definition(0, 10), greedy), "ok");
  EXPECT_EQ(broker.put(definition(0, 1500), greedy), "ok") << "room that it has given back";
  EXPECT_EQ(broker.put(definition(1000, 1500), principal("other")), "ok");
  broker.open_again();
  EXPECT_EQ(broker.put(definition(made, 1500), greedy), "broker.memory") << "also after a restart";
  EXPECT_EQ(broker.remove("d1", greedy), "ok");
  EXPECT_TRUE(eventually([&] { return broker.put(definition(made, 1500), greedy) == "ok"; }));
}

TEST_F(BrokerMemoryTest, CorporaAreFoundAgainAfterARestart) {
  TestBroker broker(options());
  for (const char field : {'a', 'b'}) {
    ASSERT_EQ(
        broker.put(fmt::format(
            R"({{"id":"{0}","filters":[{{"weir":"text(data.{0}) about 'storm'"}}]}})", field)),
        "ok");
  }
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(broker.publish(fmt::format(
                  R"({{"id":"{}","source":"/t","data":{{"a":"calm day","b":"calm night"}}}})", i)),
              "accepted");
  }
  ASSERT_EQ(broker.publish(R"({"id":"s","data":{"a":"storm","b":"storm"}})"), "accepted");
  ASSERT_TRUE(eventually([&] { return broker->stats().pending == 2; }));
  const std::string before = broker.explain("a", R"({"id":"x","data":{"a":"storm"}})");
  broker.open_again();
  EXPECT_EQ(broker.explain("a", R"({"id":"x","data":{"a":"storm"}})"), before);
}

}  // namespace
}  // namespace weir::broker
