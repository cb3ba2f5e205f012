// SPDX-License-Identifier: Apache-2.0
#include "broker/broker.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include "base/error_testing.h"
#include "base/memory_testing.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "store/database.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class BrokerTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "data", .shard_count = 2, .clocks = [this] {
              return at_instant(base::Instant{now_.fetch_add(1000)});
            }};
  }
  void pass(base::Duration duration) { now_ += duration.nanoseconds; }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
  int last_id_ = 0;
};

std::string event(int id, std::string_view rest = "") {
  return fmt::format(R"({{"id":"{}"{}}})", id, rest);
}

TEST_F(BrokerTest, DeliversWhatMatchesInOrder) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","filters":[{"weir":"data.v > 2"}]})"), "ok");
  const auto consumer = broker.attach("a");
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(broker.publish(event(i, fmt::format(R"(,"data":{{"v":{}}})", i))), "accepted");
  }
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_THAT(consumer->ids(), ElementsAre("3", "4", "5"));
  EXPECT_EQ(consumer->received().front().number, 1U);
  EXPECT_FALSE(consumer->received().front().redelivered);
}

TEST_F(BrokerTest, TellsTheWorkOfMatchingAndItsMemory) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","filters":[{"weir":"data.v > 2"}]})"), "ok");
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(broker.publish(event(i, fmt::format(R"(,"data":{{"v":{}}})", i))), "accepted");
  }
  ASSERT_TRUE(eventually([&] { return broker->stats().match_matches == 3; }));
  const BrokerStats stats = broker->stats();
  EXPECT_EQ(stats.match_candidates, stats.match_signature_rejects + stats.match_verified);
  EXPECT_GE(stats.match_verified, 3U);
  EXPECT_GT(stats.matcher_bytes, 0U);
}

// Conjunctions, of these unindexed, and such that always hold.
using Sizes = std::vector<std::uint64_t>;

Sizes sizes_of(TestBroker& broker) {
  const BrokerStats stats = broker->stats();
  return {stats.match_conjunctions, stats.match_unindexed, stats.match_always};
}

TEST_F(BrokerTest, TellsHowFiltersAreFoundAsSoonAsTheyComeAndGo) {
  const auto put = [](TestBroker& broker, std::string_view id, std::string_view filter) {
    return broker.put(fmt::format(R"({{"id":"{}","filters":[{{"weir":"{}"}}]}})", id, filter));
  };
  TestBroker broker(options());
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(put(broker, fmt::format("s{}", i), fmt::format("data.v = {}", i)), "ok");
  }
  ASSERT_EQ(put(broker, "rest", "not data.v = 3 or data.v = 4"), "ok");
  EXPECT_TRUE(eventually([&] { return sizes_of(broker) == Sizes{52, 1, 0}; }));
  ASSERT_EQ(put(broker, "all", "true"), "ok");
  EXPECT_TRUE(eventually([&] { return sizes_of(broker) == Sizes{53, 1, 1}; }));
  broker.open_again();
  EXPECT_EQ(sizes_of(broker), (Sizes{53, 1, 1})) << "before anything was done";
  ASSERT_EQ(broker.remove("rest"), "ok");
  EXPECT_TRUE(eventually([&] { return sizes_of(broker) == Sizes{51, 0, 1}; }));
}

TEST_F(BrokerTest, DropsDuplicatesWithinTheWindowOnly) {
  BrokerOptions with_window = options();
  with_window.dedup_window = base::Duration::seconds(10);
  TestBroker broker(with_window);
  EXPECT_EQ(broker.publish(event(1)), "accepted");
  EXPECT_EQ(broker.publish(event(1)), "duplicate");
  EXPECT_THAT(broker.publish_all({event(2), event(2), event(1)}),
              ElementsAre("accepted", "duplicate", "duplicate"));
  pass(base::Duration::seconds(11));
  EXPECT_EQ(broker.publish(event(1)), "accepted");
}

TEST_F(BrokerTest, KnowsDuplicatesAfterARestart) {
  TestBroker broker(options());
  EXPECT_EQ(broker.publish(event(1)), "accepted");
  broker.open_again();
  EXPECT_EQ(broker.publish(event(1)), "duplicate");
}

TEST_F(BrokerTest, LetsDuplicatesThroughIfTheWindowIsOff) {
  BrokerOptions without_window = options();
  without_window.dedup_window.reset();
  TestBroker broker(without_window);
  EXPECT_THAT(broker.publish_all({event(1), event(1)}), ElementsAre("accepted", "accepted"));
}

TEST_F(BrokerTest, AnswersEachEventOfARequestAlone) {
  TestBroker broker(options());
  const auto narrow = std::make_shared<const Principal>(Principal{
      .name = "narrow",
      .grants = {.publish = {{.source_prefix = "/a/", .type_prefix = ""}}, .subscribe = {}}});
  EXPECT_THAT(broker.publish_all({event(1, R"(,"source":"/a/1")"), event(2, R"(,"source":"/b")"),
                                  event(3, R"(,"source":"/a/2")")},
                                 narrow),
              ElementsAre("accepted", "broker.forbidden", "accepted"));
}

TEST_F(BrokerTest, ResumesWhereAcknowledgedAfterADisconnect) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  auto consumer = broker.attach("a");
  for (int i = 1; i <= 4; ++i) broker.publish(event(i));
  ASSERT_TRUE(consumer->wait_count(4));
  broker.session->acknowledge(2);
  ASSERT_TRUE(consumer->wait_acknowledged(2));
  broker.session->close();
  consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(2));
  EXPECT_THAT(consumer->ids(), ElementsAre("3", "4"));
  EXPECT_TRUE(consumer->received().front().redelivered);
  EXPECT_EQ(consumer->received().front().number, 3U);
}

TEST_F(BrokerTest, ResumesWhereTheSubscriberSays) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  for (int i = 1; i <= 4; ++i) broker.publish(event(i));
  ASSERT_TRUE(broker.attach("a")->wait_count(4));
  const auto consumer = broker.attach("a", 3);
  ASSERT_TRUE(consumer->wait_count(1));
  EXPECT_THAT(consumer->ids(), ElementsAre("4"));
  EXPECT_EQ(broker.attach("a", 9)->wait_end(), "broker.acknowledge");
}

// A subscription that is made again under its name numbers its deliveries from 1 again.
TEST_F(BrokerTest, AnIdOfADeletedSubscriptionAcknowledgesNothing) {
  TestBroker broker(options());
  const auto make = [&] {
    EXPECT_EQ(broker.put(R"({"id":"a"})"), "ok");
    for (int i = 0; i < 4; ++i) broker.publish(event(++last_id_));
    const auto consumer = broker.attach("a");
    EXPECT_TRUE(consumer->wait_count(4));
    return consumer->incarnation();
  };
  const auto attach = [&](const DeliveryId& id) {
    auto consumer = std::make_shared<RecordingConsumer>();
    broker.session = broker->attach(everyone(), "a", id, consumer);
    return consumer;
  };
  const std::uint64_t before = make();
  ASSERT_EQ(broker.remove("a"), "ok");
  const std::uint64_t now = make();
  EXPECT_NE(now, before);
  for (int restarts = 0; restarts < 2; ++restarts) {
    for (const std::uint64_t other : {before, now + 1, kNoIncarnation}) {
      EXPECT_EQ(attach({3, other})->wait_end(), "broker.acknowledge");
    }
    EXPECT_EQ(broker->get(everyone(), "a")->counts.pending, 4U) << "nothing was acknowledged";
    broker.open_again();
  }
  EXPECT_EQ(broker.put(R"({"id":"a","filters":[{"weir":"type = 'x'"}]})"), "ok");
  EXPECT_TRUE(attach({3, now})->wait_begin()) << "a replacement is the same subscription";
  EXPECT_TRUE(eventually([&] { return broker->get(everyone(), "a")->counts.pending == 1; }));
}

TEST_F(BrokerTest, ResumesWhereAcknowledgedAfterARestart) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","filters":[{"weir":"data.v > 1"}]})"), "ok");
  for (int i = 1; i <= 5; ++i) {
    broker.publish(event(i, fmt::format(R"(,"data":{{"v":{}}})", i)));
  }
  auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(4));
  EXPECT_EQ(broker.acknowledge("a", 2), "ok");
  broker.open_again();
  consumer = broker.attach("a");
  broker.publish(event(6, R"(,"data":{"v":6})"));
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_THAT(consumer->ids(), ElementsAre("4", "5", "6"));
  EXPECT_TRUE(consumer->received()[1].redelivered);
  EXPECT_FALSE(consumer->received()[2].redelivered);
  EXPECT_EQ(consumer->received()[2].number, 5U) << "numbers go on";
}

TEST_F(BrokerTest, ReadsOldEventsFromTheLog) {
  BrokerOptions little_memory = options();
  little_memory.recent_bytes_max = 200;
  TestBroker broker(little_memory);
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  std::vector<std::string> expected;
  for (int i = 1; i <= 50; ++i) {
    broker.publish(event(i));
    expected.push_back(std::to_string(i));
  }
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(50));
  EXPECT_EQ(consumer->ids(), expected);
}

TEST_F(BrokerTest, ContinuesChangeAndDistinctAfterARestart) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"c","filters":[{"weir":"change(data.v, by subject) > 10"}]})"),
            "ok");
  ASSERT_EQ(broker.put(R"({"id":"d","filters":[{"weir":"distinct(data.v) within 1h"}]})"), "ok");
  broker.publish(event(1, R"(,"subject":"s","data":{"v":100})"));
  broker.publish(event(2, R"(,"subject":"s","data":{"v":105})"));
  broker.open_again();
  broker.publish(event(3, R"(,"subject":"s","data":{"v":109})"));
  broker.publish(event(4, R"(,"subject":"s","data":{"v":100})"));
  broker.publish(event(5, R"(,"subject":"s","data":{"v":111})"));
  const auto change = broker.attach("c");
  ASSERT_TRUE(change->wait_count(2));
  EXPECT_THAT(change->ids(), ElementsAre("1", "5"));
  const auto distinct = broker.attach("d");
  ASSERT_TRUE(distinct->wait_count(4));
  EXPECT_THAT(distinct->ids(), ElementsAre("1", "2", "3", "5")) << "4 has the value of 1";
}

TEST_F(BrokerTest, ANewSubscriberMayBeToldOfTheNewestReadingsAtOnce) {
  TestBroker broker(options());
  int id = 0;
  const auto reading = [&](const char* subject, double value) {
    return broker.publish(
        event(++id, fmt::format(R"(,"subject":"{}","data":{{"v":{}}})", subject, value)));
  };
  for (const double value : {10.0, 20.0, 30.0}) ASSERT_EQ(reading("a", value), "accepted");
  ASSERT_EQ(reading("b", 5), "accepted");
  ASSERT_EQ(broker.put(R"({"id":"l","filters":[{"weir":"change(data.v, by subject) > 3"}],)"
                       R"("config":{"initial":"latest"}})"),
            "ok");
  ASSERT_EQ(reading("a", 31), "accepted");
  broker.open_again();
  ASSERT_EQ(reading("b", 6), "accepted");
  ASSERT_EQ(reading("a", 34), "accepted");
  const auto consumer = broker.attach("l");
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_THAT(consumer->ids(), ElementsAre("3", "4", "7"));
}

TEST_F(BrokerTest, TellsTheWorkOfSharedChangeFilters) {
  TestBroker broker(options());
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(
        broker.put(fmt::format(
            R"({{"id":"c{0}","filters":[{{"weir":"change(data.v, by subject) > {0}"}}]}})", i)),
        "ok");
  }
  int id = 0;
  for (const double value : {10.0, 12.5, 12.6}) {
    broker.publish(event(++id, fmt::format(R"(,"subject":"s","data":{{"v":{}}})", value)));
  }
  ASSERT_TRUE(eventually(
      [&] { return broker->stats().change_fired == 5 && broker->stats().change_quiet > 0; }));
}

TEST_F(BrokerTest, AnotherThresholdKeepsWhatWasDelivered) {
  TestBroker broker(options());
  const auto put = [&](int threshold) {
    return broker.put(fmt::format(
        R"({{"id":"c","filters":[{{"weir":"change(data.v, by subject) > {}"}}]}})", threshold));
  };
  ASSERT_EQ(put(10), "ok");
  broker.publish(event(1, R"(,"subject":"s","data":{"v":100})"));
  broker.publish(event(2, R"(,"subject":"s","data":{"v":105})"));
  ASSERT_EQ(put(3), "ok");
  broker.publish(event(3, R"(,"subject":"s","data":{"v":102})"));
  broker.publish(event(4, R"(,"subject":"s","data":{"v":104})"));
  ASSERT_EQ(put(20), "ok");
  broker.open_again();
  broker.publish(event(5, R"(,"subject":"s","data":{"v":120})"));
  broker.publish(event(6, R"(,"subject":"s","data":{"v":125})"));
  const auto consumer = broker.attach("c");
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_THAT(consumer->ids(), ElementsAre("1", "4", "6"));
}

TEST_F(BrokerTest, DeliversWhatWasHeldBackWhenItsTimeComes) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"c","filters":[{"weir":"change(data.v) > 1 at most every 10s"}]})"),
            "ok");
  const auto consumer = broker.attach("c");
  broker.publish(event(1, R"(,"data":{"v":1})"));
  broker.publish(event(2, R"(,"data":{"v":5})"));
  broker.publish(event(3, R"(,"data":{"v":9})"));
  ASSERT_TRUE(consumer->wait_count(1));
  pass(base::Duration::seconds(11));
  ASSERT_TRUE(consumer->wait_count(2));
  EXPECT_THAT(consumer->ids(), ElementsAre("1", "3"));
}

TEST_F(BrokerTest, GivesAConsumerNoMoreThanItsCredit) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const auto consumer = broker.attach("a", {}, everyone(), 2);
  for (int i = 1; i <= 5; ++i) broker.publish(event(i));
  ASSERT_TRUE(consumer->wait_count(2));
  ASSERT_TRUE(eventually([&] { return broker->stats().pending == 5; }));
  EXPECT_EQ(consumer->received().size(), 2U);
  broker.session->add_credit(1);
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_EQ(broker->stats().dispatched, 3U);
}

TEST_F(BrokerTest, HandsASubscriptionToTheNewestConnection) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const auto first = broker.attach("a");
  ASSERT_TRUE(first->wait_begin());
  const auto second = broker.attach("a");
  EXPECT_EQ(first->wait_end(), "broker.taken");
  broker.publish(event(1));
  ASSERT_TRUE(second->wait_count(1));
  EXPECT_THAT(first->ids(), IsEmpty());
}

TEST_F(BrokerTest, EndsASessionThatAcknowledgesTheFuture) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const auto consumer = broker.attach("a");
  broker.session->acknowledge(1);
  EXPECT_EQ(consumer->wait_end(), "broker.acknowledge");
}

// Holds the broker's thread up in on_begin() until it is let go.
class StallingConsumer final : public Consumer {
 public:
  void on_begin(const SessionStart& /*start*/) override {
    begun.set_value();
    go.get_future().wait();
  }
  void on_dispatch(std::vector<Dispatch> /*dispatches*/) override {}
  void on_acknowledged(std::uint64_t /*number*/) override {}
  void on_settled(std::vector<std::uint64_t> /*numbers*/) override {}
  void on_end(const base::Error& reason) override { end.set_value(reason.id); }

  std::promise<void> begun;
  std::promise<void> go;
  std::promise<base::ErrorId> end;
};

TEST_F(BrokerTest, AFloodOfAcknowledgementsTakesNoMemory) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const auto consumer = std::make_shared<StallingConsumer>();
  const SessionPtr session = broker->attach(everyone(), "a", {}, consumer);
  consumer->begun.get_future().wait();
  const std::size_t growth_bytes = base::resident_growth([&] {
    for (int i = 0; i < 300'000; ++i) {
      session->acknowledge(static_cast<std::uint64_t>(i));
      session->add_credit(1);
    }
  });
  consumer->go.set_value();
  EXPECT_LT(growth_bytes, std::size_t{4} << 20U);
  EXPECT_EQ(consumer->end.get_future().get(), base::ErrorId::kBrokerAcknowledge) << "none is lost";
}

TEST_F(BrokerTest, StreamsWithoutKeepingAnything) {
  TestBroker broker(options());
  const auto consumer = std::make_shared<RecordingConsumer>();
  const auto definition = Definition::of_filter("data.v > 1").value();
  const SessionPtr session = broker->stream(everyone(), definition, consumer);
  session->add_credit(100);
  ASSERT_TRUE(consumer->wait_begin());
  broker.publish(event(1, R"(,"data":{"v":1})"));
  broker.publish(event(2, R"(,"data":{"v":2})"));
  ASSERT_TRUE(consumer->wait_count(1));
  EXPECT_THAT(consumer->ids(), ElementsAre("2"));
  EXPECT_EQ(broker->stats().subscriptions_ephemeral, 1U);
  session->close();
  EXPECT_TRUE(eventually([&] { return broker->stats().subscriptions_ephemeral == 0; }));
  EXPECT_EQ(broker->stats().pending, 0U);
}

TEST_F(BrokerTest, ReplacesAFilterFromTheNextEventOn) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","filters":[{"weir":"data.v = 1"}]})"), "ok");
  broker.publish(event(1, R"(,"data":{"v":1})"));
  ASSERT_EQ(broker.put(R"({"id":"a","filters":[{"weir":"data.v = 2"}]})"), "ok");
  broker.publish(event(2, R"(,"data":{"v":1})"));
  broker.publish(event(3, R"(,"data":{"v":2})"));
  broker.open_again();
  broker.publish(event(4, R"(,"data":{"v":1})"));
  broker.publish(event(5, R"(,"data":{"v":2})"));
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_THAT(consumer->ids(), ElementsAre("1", "3", "5"));
}

TEST_F(BrokerTest, ForgetsADeletedSubscription) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_begin());
  EXPECT_EQ(broker.remove("a"), "ok");
  EXPECT_EQ(consumer->wait_end(), "broker.ended");
  EXPECT_EQ(broker.remove("a"), "broker.no_such_subscription");
  broker.open_again();
  EXPECT_EQ(broker.attach("a")->wait_end(), "broker.no_such_subscription");
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok") << "the name is free again";
}

TEST_F(BrokerTest, RefusesASecondSubscriptionOfOneName) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})", everyone(), PutMode::kCreate), "ok");
  EXPECT_EQ(broker.put(R"({"id":"a"})", everyone(), PutMode::kCreate),
            "broker.subscription_exists");
  EXPECT_EQ(broker.put(R"({"id":"b"})", everyone(), PutMode::kReplace),
            "broker.no_such_subscription");
}

TEST_F(BrokerTest, BlocksPublishersWhileABlockingOutboxIsFull) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"outbox":{"policy":"block","limit":2}}})"), "ok");
  broker.publish(event(1));
  broker.publish(event(2));
  ASSERT_TRUE(eventually([&] { return broker->stats().blocking == 1; }));
  EXPECT_EQ(broker.publish(event(3)), "broker.outbox_full");
  ASSERT_TRUE(broker.attach("a")->wait_count(2));
  EXPECT_EQ(broker.acknowledge("a", 1), "ok");
  ASSERT_TRUE(eventually([&] { return broker->stats().blocking == 0; }));
  EXPECT_EQ(broker.publish(event(3)), "accepted");
}

TEST_F(BrokerTest, DropsTheOldestOfAFullOutboxAndSaysSo) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"outbox":{"limit":2}}})"), "ok");
  for (int i = 1; i <= 5; ++i) broker.publish(event(i));
  ASSERT_TRUE(eventually([&] { return broker->stats().dropped == 3; }));
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(2));
  EXPECT_THAT(consumer->ids(), ElementsAre("4", "5"));
  EXPECT_EQ(broker->get(everyone(), "a")->counts.settled.dropped, 3U);
}

TEST_F(BrokerTest, ConflatesBySource) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"outbox":{"policy":"conflate"}}})"), "ok");
  broker.publish(event(1, R"(,"source":"/x")"));
  broker.publish(event(2, R"(,"source":"/y")"));
  broker.publish(event(3, R"(,"source":"/x")"));
  ASSERT_TRUE(eventually([&] { return broker->stats().conflated == 1; }));
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(2));
  EXPECT_THAT(consumer->ids(), ElementsAre("2", "3"));
}

TEST_F(BrokerTest, KeepsWhatASinkDoesNotTake) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","sink":"https://example.com/hook"})"), "ok");
  const auto consumer = std::make_shared<RecordingConsumer>();
  const SessionPtr session = broker->attach_sink("a", consumer);
  session->add_credit(10);
  broker.publish(event(1));
  broker.publish(event(2));
  ASSERT_TRUE(consumer->wait_count(2));
  session->bury(1, "it said no");
  ASSERT_TRUE(consumer->wait_acknowledged(1));
  ASSERT_TRUE(
      eventually([&] { return broker->dead_letters(everyone(), "a", 0, 10)->size() == 1; }));
  broker.open_again();
  const auto letters = broker->dead_letters(everyone(), "a", 0, 10);
  ASSERT_EQ(letters->size(), 1U);
  EXPECT_EQ(letters->front().reason, "it said no");
  EXPECT_EQ(broker->get(everyone(), "a")->counts.settled.dead_letters, 1U);
  EXPECT_EQ(broker.attach("a")->wait_end(), "broker.in_use");
}

// A dead letter that cannot be written is not acknowledged.
TEST_F(BrokerTest, ADeadLetterIsAcknowledgedOnlyTogetherWithItsRow) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","sink":"https://example.com/hook"})"), "ok");
  const auto consumer = std::make_shared<RecordingConsumer>();
  const SessionPtr session = broker->attach_sink("a", consumer);
  session->add_credit(10);
  for (int i = 1; i <= 3; ++i) broker.publish(event(i));
  ASSERT_TRUE(consumer->wait_count(3));
  const auto registry = store::Database::open(directory_ / "data" / "registry.sqlite", {});
  constexpr const char* kRefuse =
      "CREATE TRIGGER refuse BEFORE INSERT ON dead_letters BEGIN SELECT RAISE(ABORT, 'no'); END";
  ASSERT_TRUE((*registry)->execute(kRefuse));
  session->bury(1, "it said no");
  ASSERT_TRUE(eventually([&] { return broker->stats().registry_failures > 0; }));
  ASSERT_TRUE((*registry)->execute("DROP TRIGGER refuse"));
  session->acknowledge(2);
  ASSERT_TRUE(consumer->wait_acknowledged(2));
  EXPECT_EQ(broker->dead_letters(everyone(), "a", 0, 10)->size(), 1U) << "with the next attempt";
  ASSERT_TRUE((*registry)->execute(kRefuse));
  session->bury(3, "it said no");
  ASSERT_TRUE(eventually([&] { return broker->stats().registry_failures > 1; }));
  broker.stop();
  ASSERT_TRUE((*registry)->execute("DROP TRIGGER refuse"));
  broker.open_again();
  EXPECT_EQ(broker->stats().pending, 1U) << "it is delivered again";
}

TEST_F(BrokerTest, RefusesWhatExceedsALimit) {
  BrokerOptions tight = options();
  tight.publish_event_count_max = 2;
  tight.publish_queue_bytes_max = 300;
  tight.subscriptions_per_owner_max = 1;
  TestBroker broker(tight);
  EXPECT_EQ(broker.publish_all({event(1), event(2), event(3)}).front(), "broker.too_many_events");
  EXPECT_EQ(broker.publish(event(1, fmt::format(R"(,"data":"{}")", std::string(400, 'x')))),
            "broker.busy");
  EXPECT_EQ(broker.put(R"({"id":"a"})"), "ok");
  EXPECT_EQ(broker.put(R"({"id":"b"})"), "broker.too_many_subscriptions");
  EXPECT_EQ(broker.remove("a"), "ok");
  EXPECT_TRUE(eventually([&] { return broker.put(R"({"id":"b"})") == "ok"; }));
}

TEST_F(BrokerTest, NotesMayBeLongerThanTheLongestEvent) {
  BrokerOptions tight = options();
  tight.log.event_bytes_max = 100;
  TestBroker broker(tight);
  constexpr int kSubscriptions = 50;
  for (int i = 0; i < kSubscriptions; ++i) {
    ASSERT_EQ(broker.put(fmt::format(R"({{"id":"s{}"}})", i)), "ok");
  }
  EXPECT_EQ(broker.publish(event(1, fmt::format(R"(,"data":"{}")", std::string(100, 'x')))),
            "json.too_long");
  EXPECT_EQ(broker.publish(event(1)), "accepted");
  ASSERT_TRUE(broker.attach("s0")->wait_count(1));
  EXPECT_EQ(broker.acknowledge("s0", 1), "ok") << "its note is written";
  EXPECT_EQ(broker.publish(event(2)), "accepted");
  broker.open_again();
  EXPECT_EQ(broker->stats().pending, 2U * kSubscriptions - 1);
}

TEST_F(BrokerTest, IsOneProcessPerDirectory) {
  TestBroker broker(options());
  BrokerOptions impatient = options();
  impatient.lock_patience = {};
  const auto second = Broker::open(impatient);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().id, base::ErrorId::kStoreLocked);
}

TEST_F(BrokerTest, WaitsForTheOneBeforeItToEnd) {
  auto first = std::make_unique<TestBroker>(options());
  std::thread ending([&] { first.reset(); });
  const auto second = Broker::open(options());
  ending.join();
  EXPECT_TRUE(second.has_value()) << second.error().to_string();
}

TEST_F(BrokerTest, RefusesALogThatHasLostEvents) {
  {
    TestBroker broker(options());
    ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
    ASSERT_EQ(broker.publish(event(1)), "accepted");
    ASSERT_TRUE(broker.attach("a")->wait_count(1));
    ASSERT_EQ(broker.acknowledge("a", 1), "ok");
  }
  std::filesystem::remove_all(directory_ / "data" / "log");
  const auto opened = Broker::open(options());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().id, base::ErrorId::kStoreMismatch);
  EXPECT_THAT(opened.error().message, testing::HasSubstr("ends with event 0"));
}

TEST_F(BrokerTest, EndsSessionsWhenItStops) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_begin());
  broker->stop();
  EXPECT_EQ(consumer->wait_end(), "broker.stopping");
  EXPECT_EQ(broker.publish(event(1)), "broker.stopping");
}

TEST_F(BrokerTest, WritesAllAcknowledgementsWhenItStops) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const auto consumer = broker.attach("a");
  constexpr int kEvents = 50;
  for (int i = 1; i <= kEvents; ++i) broker.publish(event(i));
  ASSERT_TRUE(consumer->wait_count(kEvents));
  for (int i = 1; i <= kEvents; ++i) {
    broker.session->acknowledge(static_cast<std::uint64_t>(i));
    const auto left = static_cast<std::uint64_t>(kEvents - i);
    ASSERT_TRUE(eventually([&] { return broker->get(everyone(), "a")->counts.pending == left; }));
  }
  broker.open_again();
  EXPECT_EQ(broker->stats().pending, 0U);
}

TEST_F(BrokerTest, RemovesOldEventsAndCountsWhatThatCosts) {
  BrokerOptions small = options();
  small.log = {.segment_bytes = 4096, .retention_bytes = 8192};
  small.recent_bytes_max = 100;
  small.retention_interval = base::Duration::milliseconds(1);
  TestBroker broker(small);
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  const std::string padding = fmt::format(R"(,"data":"{}")", std::string(400, 'x'));
  for (int i = 1; i <= 60; ++i) broker.publish(event(i, padding));
  ASSERT_TRUE(eventually([&] { return broker->stats().log_first_sequence > 1; }));
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(
      eventually([&] { return consumer->received().size() + broker->stats().expired == 60; }));
  EXPECT_GT(broker->stats().expired, 0U);
  EXPECT_EQ(consumer->ids().back(), "60");
}

}  // namespace
}  // namespace weir::broker
