// SPDX-License-Identifier: Apache-2.0
// Every delivery is acknowledged, pending, or told as lost: chosen cases, and random schedules
// against a model.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/prng.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "event/event_testing.h"
#include "store/event_log.h"

namespace weir::broker {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;

std::string event(std::uint64_t id) {
  return fmt::format(R"({{"id":"{}","source":"/{}","data":"{:0100}"}})", id, id % 3, id);
}

std::string long_event(std::uint64_t id) {
  return fmt::format(R"({{"id":"{}","source":"/s","data":"{:05000}"}})", id, id);
}

class BrokerLossTest : public testing::Test {
 protected:
  BrokerOptions options() const {
    return {.directory = directory_ / std::to_string(crash_count_),
            .log = {.segment_bytes = 2000, .retention_bytes = std::uint64_t{1} << 30U},
            .dedup_window = std::nullopt,
            .recent_bytes_max = 1000,
            .retention_interval = base::Duration::seconds(3600)};
  }

  // A broker on what a crash now would leave of the directory.
  BrokerOptions after_crash() {
    const std::filesystem::path before = directory_ / std::to_string(crash_count_++);
    EXPECT_TRUE(eventually([&] { return copy_running(before, options().directory); }));
    return options();
  }

  // The same while segments may be removed; nullopt if one was, and the copy is not whole.
  std::optional<BrokerOptions> copy_after_crash() {
    const std::filesystem::path before = directory_ / std::to_string(crash_count_);
    const std::filesystem::path after = directory_ / std::to_string(crash_count_ + 1);
    if (!copy_running(before, after)) return std::nullopt;
    BrokerOptions copied = options();
    copied.directory = after;
    return copied;
  }

  // Small batches, so that segments end between them.
  static void publish_in_batches(TestBroker& broker, std::uint64_t first, std::uint64_t last) {
    constexpr std::size_t kBatch = 10;
    std::vector<std::string> batch;
    for (std::uint64_t id = first; id <= last; ++id) {
      batch.push_back(event(id));
      if (batch.size() < kBatch && id < last) continue;
      EXPECT_THAT(broker.publish_all(batch), testing::Each("accepted"));
      batch.clear();
    }
  }

  static DeliveryCounts counts(TestBroker& broker, std::string_view id) {
    return broker->get(everyone(), id)->counts;
  }

  base::TemporaryDirectory directory_;
  int crash_count_ = 0;
};

TEST_F(BrokerLossTest, ARestartDoesNotTurnDroppedDeliveriesIntoAcknowledgedOnes) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"outbox":{"limit":5}}})"), "ok");
  for (std::uint64_t i = 1; i <= 5; ++i) broker.publish(event(i));
  ASSERT_TRUE(eventually([&] { return counts(broker, "a").pending == 5; }));
  broker.open_again();
  for (std::uint64_t i = 6; i <= 10; ++i) broker.publish(event(i));
  ASSERT_TRUE(eventually([&] { return counts(broker, "a").deliveries == 10; }));
  EXPECT_EQ(counts(broker, "a").settled, (store::SettledCounts{.dropped = 5}));
  EXPECT_EQ(broker->stats().dropped, 5U);
  broker.open_again();
  EXPECT_EQ(counts(broker, "a").settled, (store::SettledCounts{.dropped = 5}));
  EXPECT_EQ(broker->stats().dropped, 5U) << "the metric survives too";
}

TEST_F(BrokerLossTest, ADroppedDeliveryThatWasSentAndNotAcknowledgedIsLost) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"outbox":{"limit":5}}})"), "ok");
  const auto consumer = broker.attach("a");
  for (std::uint64_t i = 1; i <= 5; ++i) broker.publish(event(i));
  ASSERT_TRUE(consumer->wait_count(5));
  broker.session->close();
  ASSERT_TRUE(eventually([&] { return !broker->get(everyone(), "a")->connected; }));
  for (std::uint64_t i = 6; i <= 10; ++i) broker.publish(event(i));
  ASSERT_TRUE(eventually([&] { return counts(broker, "a").deliveries == 10; }));
  EXPECT_EQ(counts(broker, "a").settled, (store::SettledCounts{.dropped = 5}));
  EXPECT_THAT(broker->take_losses(),
              Contains(AllOf(Field(&Loss::subscription, "a"), Field(&Loss::count, 5U),
                             Field(&Loss::kind, LossKind::kDropped))));
}

TEST_F(BrokerLossTest, RetentionExpiresWhatAnOfflineSubscriberDidNotGetAndWarnsBefore) {
  BrokerOptions small = options();
  small.log.retention_bytes = 20'000;
  small.retention_interval = base::Duration::milliseconds(1);
  TestBroker broker(small);
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  std::map<LossKind, std::uint64_t> told;
  const auto listen = [&] {
    for (const Loss& loss : broker->take_losses()) {
      EXPECT_EQ(loss.subscription, "a");
      told[loss.kind] += loss.count;
    }
  };
  constexpr std::uint64_t kEvents = 2000;
  std::uint64_t count = 0;
  constexpr std::size_t kRecordBytes = 37;  // besides the event
  for (std::uint64_t bytes = 0; bytes < small.log.retention_bytes * 9 / 10;) {
    ASSERT_EQ(broker.publish(event(++count)), "accepted");
    bytes += kRecordBytes + event::event_of(event(count))->json().size();
  }
  ASSERT_TRUE(eventually([&] {
    listen();
    return told[LossKind::kExpiresSoon] > 0;
  }));
  EXPECT_EQ(told[LossKind::kExpired], 0U) << "the warning comes first";
  publish_in_batches(broker, count + 1, kEvents);
  const auto agrees = [&] {
    const std::uint64_t first = broker->stats().log_first_sequence;
    const DeliveryCounts now = counts(broker, "a");
    return first > kEvents / 2 && now.deliveries == kEvents && now.settled.expired == first - 1 &&
           now.pending == kEvents - first + 1 && now.settled.total() == now.settled.expired;
  };
  ASSERT_TRUE(eventually(agrees));
  ASSERT_TRUE(eventually([&] {
    listen();
    return told[LossKind::kExpired] == counts(broker, "a").settled.expired;
  }));
  // Retention may have gone on: the counts are those of the crash if the copy changes nothing.
  DeliveryCounts before;
  BrokerOptions left;
  ASSERT_TRUE(eventually([&] {
    if (!agrees()) return false;
    before = counts(broker, "a");
    const auto copy = copy_after_crash();
    if (copy) left = *copy;
    return copy && agrees() && counts(broker, "a").settled == before.settled;
  }));
  TestBroker again(left);
  EXPECT_EQ(counts(again, "a").settled, before.settled);
  const auto consumer = again.attach("a");
  ASSERT_TRUE(consumer->wait_count(before.pending));
  EXPECT_EQ(consumer->received().front().number, before.settled.expired + 1);
}

TEST_F(BrokerLossTest, RetentionThatDoesNotWaitForAShardIsCountedByItLater) {
  BrokerOptions small = options();
  small.shard_count = 1;
  small.log.retention_bytes = 20'000;
  small.retention_interval = base::Duration::milliseconds(1);
  TestBroker broker(small);
  ASSERT_EQ(broker.put(R"({"id":"offline"})"), "ok");
  ASSERT_EQ(broker.put(R"({"id":"blocking"})"), "ok");
  const auto consumer = std::make_shared<BlockingConsumer>();
  const std::shared_ptr<void> released_at_the_end(nullptr, [&](void*) { consumer->release(); });
  const SessionPtr session = broker->attach(everyone(), "blocking", {}, consumer);
  session->add_credit(1);
  // So few are written before the shard has matched any, and are more than retention keeps.
  constexpr std::uint64_t kEvents = 40;
  for (std::uint64_t id = 1; id <= kEvents; ++id) broker.publish(long_event(id));
  ASSERT_TRUE(eventually([&] { return broker->stats().log_first_sequence > kEvents / 2; }));
  consumer->release();
  EXPECT_TRUE(eventually([&] {
    const DeliveryCounts now = counts(broker, "offline");
    return now.deliveries == kEvents &&
           now.settled.expired == broker->stats().log_first_sequence - 1;
  }));
}

TEST_F(BrokerLossTest, AReplacementDoesNotForgetWhatWasDropped) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"outbox":{"limit":2}}})"), "ok");
  for (std::uint64_t i = 1; i <= 6; ++i) broker.publish(event(i));
  ASSERT_TRUE(eventually([&] { return counts(broker, "a").settled.dropped == 4; }));
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"outbox":{"limit":100}}})"), "ok");
  TestBroker again(after_crash());
  EXPECT_EQ(counts(again, "a").settled, (store::SettledCounts{.dropped = 4}));
  EXPECT_EQ(counts(again, "a").pending, 2U);
}

TEST_F(BrokerLossTest, ADeadLetterBeyondTheLimitIsDropped) {
  BrokerOptions few = options();
  few.dead_letter_count_max = 1;
  TestBroker broker(few);
  ASSERT_EQ(broker.put(R"({"id":"a","sink":"https://example.com/hook"})"), "ok");
  const auto consumer = std::make_shared<RecordingConsumer>();
  const SessionPtr session = broker->attach_sink("a", consumer);
  session->add_credit(10);
  for (std::uint64_t i = 1; i <= 2; ++i) broker.publish(event(i));
  ASSERT_TRUE(consumer->wait_count(2));
  session->bury(1, "no");
  session->bury(2, "no");
  ASSERT_TRUE(consumer->wait_acknowledged(2));
  ASSERT_TRUE(eventually([&] { return counts(broker, "a").pending == 0; }));
  EXPECT_EQ(counts(broker, "a").settled, (store::SettledCounts{.dropped = 1, .dead_letters = 1}));
  TestBroker again(after_crash());
  EXPECT_EQ(counts(again, "a").settled, (store::SettledCounts{.dropped = 1, .dead_letters = 1}));
}

// By definition: a list of pending deliveries, and what became of the others.
struct ModelSubscription {
  struct Pending {
    std::uint64_t number;
    std::uint64_t sequence;
  };
  std::size_t limit = 0;
  std::deque<Pending> pending = {};
  std::uint64_t deliveries = 0;
  store::SettledCounts settled = {};

  void push(std::uint64_t sequence) {
    if (pending.size() >= limit) drop();
    pending.push_back({++deliveries, sequence});
  }
  void drop() {
    pending.pop_front();
    ++settled.dropped;
  }
  void expire_before(std::uint64_t sequence) {
    while (!pending.empty() && pending.front().sequence < sequence) {
      pending.pop_front();
      ++settled.expired;
    }
  }
};

class RandomSchedule : public BrokerLossTest {
 protected:
  void run(std::uint64_t seed) {
    base::Prng prng(seed);
    start(options());
    model_ = {{"small", {.limit = 4}}, {"large", {.limit = 10'000}}, {"sink", {.limit = 7}}};
    for (const auto& [id, subscription] : model_) put(id, subscription.limit);
    ASSERT_EQ(
        broker_->put(R"({"id":"newest","config":{"outbox":{"policy":"conflate","limit":2}}})"),
        "ok");
    for (int step = 0; step < 40; ++step) {
      SCOPED_TRACE(fmt::format("seed {}, step {}", seed, step));
      act(prng);
      check();
      if (HasFatalFailure()) return;
    }
    stop();
  }

 private:
  void act(base::Prng& prng) {
    const std::uint64_t action = prng.below(12);
    if (action < 5) {
      publish(1 + prng.below(8));
    } else if (action < 7) {
      consume(prng.below(2) == 0 ? "small" : "large", prng);
    } else if (action < 8) {
      bury();
    } else if (action < 9) {
      model_["small"].limit = 1 + prng.below(8);
      put("small", model_["small"].limit);
      while (model_["small"].pending.size() > model_["small"].limit) model_["small"].drop();
    } else {
      restart(prng);
    }
  }

  void start(const BrokerOptions& options) { broker_ = std::make_unique<TestBroker>(options); }
  void stop() { broker_.reset(); }

  void put(const std::string& id, std::size_t limit) {
    const std::string sink = id == "sink" ? R"("sink":"https://example.com/hook",)" : "";
    ASSERT_EQ(broker_->put(fmt::format(R"({{"id":"{}",{}"config":{{"outbox":{{"limit":{}}}}}}})",
                                       id, sink, limit)),
              "ok");
  }

  void publish(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(broker_->publish(event(++published_)), "accepted");
      for (auto& [id, subscription] : model_) subscription.push(published_);
    }
  }

  // Reads some, acknowledges some of these, and goes.
  void consume(const std::string& id, base::Prng& prng) {
    ModelSubscription& subscription = model_[id];
    const std::size_t count = prng.below(subscription.pending.size() + 1);
    if (count == 0) return;
    const auto consumer = broker_->attach(id, {}, everyone(), count);
    ASSERT_TRUE(consumer->wait_count(count));
    const std::size_t taken = prng.below(count + 1);
    if (taken > 0) {
      ASSERT_EQ(broker_->acknowledge(id, subscription.pending[taken - 1].number), "ok");
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(consumer->received()[i].number, subscription.pending[i].number);
      }
    }
    for (std::size_t i = 0; i < taken; ++i) {
      subscription.pending.pop_front();
      ++subscription.settled.acknowledged;
    }
    broker_->session->close();
  }

  void bury() {
    ModelSubscription& subscription = model_["sink"];
    if (subscription.pending.empty()) return;
    const auto consumer = std::make_shared<RecordingConsumer>();
    const SessionPtr session = (*broker_)->attach_sink("sink", consumer);
    session->add_credit(1);
    ASSERT_TRUE(consumer->wait_count(1));
    const std::uint64_t number = subscription.pending.front().number;
    session->bury(number, "refused");
    ASSERT_TRUE(consumer->wait_acknowledged(number));
    subscription.pending.pop_front();
    ++subscription.settled.dead_letters;
    session->close();
  }

  // Retention works once, right after a start on a log to which nothing is added meanwhile.
  void restart(base::Prng& prng) {
    const bool crashes = prng.below(2) == 0;
    if (!crashes) stop();
    start(crashes ? after_crash() : options());
    if (prng.below(2) == 0) return;
    stop();
    BrokerOptions small = options();
    small.log.retention_bytes = 4000;
    const auto log =
        store::EventLog::open(store::posix_file_system(), small.directory / "log", small.log);
    ASSERT_TRUE(log);
    const std::uint64_t keep_from = (*log)->retention_bound({0}, 1);
    start(small);
    ASSERT_TRUE(eventually([&] { return (*broker_)->stats().log_first_sequence >= keep_from; }));
  }

  void check() {
    ASSERT_TRUE(eventually([&] { return agrees(); })) << differences();
  }
  bool agrees() { return differences().empty(); }

  std::string differences() {
    std::string text;
    const std::uint64_t first = (*broker_)->stats().log_first_sequence;
    for (auto& [id, subscription] : model_) {
      subscription.expire_before(first);
      const DeliveryCounts now = counts(*broker_, id);
      if (now.deliveries == subscription.deliveries && now.pending == subscription.pending.size() &&
          now.settled == subscription.settled) {
        continue;
      }
      text += fmt::format(
          "{}: {} deliveries of {}, {} pending of {}, dropped {} of {}, expired {} "
          "of {}, acknowledged {} of {}\n",
          id, now.deliveries, subscription.deliveries, now.pending, subscription.pending.size(),
          now.settled.dropped, subscription.settled.dropped, now.settled.expired,
          subscription.settled.expired, now.settled.acknowledged,
          subscription.settled.acknowledged);
    }
    const DeliveryCounts newest = counts(*broker_, "newest");
    if (newest.deliveries != published_ ||
        newest.deliveries != newest.pending + newest.settled.total()) {
      text += fmt::format("newest: {} deliveries of {}, {} pending, {} settled\n",
                          newest.deliveries, published_, newest.pending, newest.settled.total());
    }
    return text;
  }

  std::unique_ptr<TestBroker> broker_;
  std::map<std::string, ModelSubscription> model_;
  std::uint64_t published_ = 0;
};

class RandomLossTest : public RandomSchedule, public testing::WithParamInterface<std::uint64_t> {};

TEST_P(RandomLossTest, EveryDeliveryIsAccountedForAtEveryStepAndAfterEveryRestart) {
  run(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLossTest, testing::Range<std::uint64_t>(1, 13));

}  // namespace
}  // namespace weir::broker
