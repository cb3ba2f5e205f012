// SPDX-License-Identifier: Apache-2.0
// Consumers that share a subscription, through the broker: who gets what, answers, time, restarts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

using base::Duration;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kShared = R"({"id":"a","config":{"consumers":"shared"}})";

class SharedConsumptionTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "data", .shard_count = 2, .clocks = [this] {
              return at_instant(base::Instant{now_.fetch_add(1000)});
            }};
  }
  void pass(Duration duration) { now_ += duration.nanoseconds; }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
};

// A consumer and its session.
struct Joined {
  std::shared_ptr<RecordingConsumer> consumer;
  SessionPtr session;

  std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> out;
    for (const Received& received : consumer->received()) out.push_back(received.number);
    return out;
  }
};

Joined join(TestBroker& broker, std::uint64_t credit = 1000) {
  auto consumer = broker.attach("a", {}, everyone(), credit);
  consumer->wait_begin();
  return {std::move(consumer), broker.session};
}

SubscriptionInfo info(TestBroker& broker) { return broker->get(everyone(), "a").value(); }

void publish(TestBroker& broker, int first, int last, std::string_view rest = "") {
  for (int i = first; i <= last; ++i) {
    ASSERT_EQ(broker.publish(fmt::format(R"({{"id":"{}"{}}})", i, rest)), "accepted");
  }
}

TEST_F(SharedConsumptionTest, GivesEachDeliveryToOneOfTheConsumers) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  const Joined first = join(broker);
  const Joined second = join(broker);
  publish(broker, 1, 10);
  ASSERT_TRUE(eventually([&] { return first.numbers().size() + second.numbers().size() == 10; }));
  EXPECT_EQ(first.numbers().size(), 5U) << "they take turns";
  std::set<std::uint64_t> all;
  for (const Joined* const joined : {&first, &second}) {
    for (const std::uint64_t number : joined->numbers()) all.insert(number);
  }
  EXPECT_EQ(all.size(), 10U) << "none got what the other has";
  ASSERT_TRUE(eventually([&] { return info(broker).in_flight == 10; }));
  EXPECT_TRUE(eventually([&] { return info(broker).consumers == 2U; }));
  EXPECT_EQ(broker->stats().in_flight, 10U);
}

TEST_F(SharedConsumptionTest, AcknowledgesSingleDeliveriesInAnyOrder) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  const Joined joined = join(broker);
  publish(broker, 1, 4);
  ASSERT_TRUE(joined.consumer->wait_count(4));
  joined.session->answer({.numbers = {3, 2}});
  EXPECT_TRUE(joined.consumer->wait_settled({2, 3}));
  joined.session->answer({.numbers = {2}});
  joined.session->answer({.numbers = {1}});
  EXPECT_TRUE(joined.consumer->wait_settled({1, 2, 3})) << "a second one for 2 is passed over";
  ASSERT_TRUE(eventually([&] { return info(broker).counts.pending == 1; }));
  EXPECT_TRUE(eventually([&] { return info(broker).counts.settled.acknowledged == 3U; }));
}

TEST_F(SharedConsumptionTest, GivesWhatAnEndedConsumerHadToAnother) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  const Joined first = join(broker);
  publish(broker, 1, 3);
  ASSERT_TRUE(first.consumer->wait_count(3));
  first.session->answer({.numbers = {2}});
  ASSERT_TRUE(first.consumer->wait_settled({2}));
  const Joined second = join(broker);
  first.session->close();
  ASSERT_TRUE(second.consumer->wait_count(2));
  EXPECT_THAT(second.numbers(), ElementsAre(1, 3));
  EXPECT_TRUE(second.consumer->received().front().redelivered);
  ASSERT_TRUE(eventually([&] { return info(broker).consumers == 1; }));
}

TEST_F(SharedConsumptionTest, GivesWhatIsNotAcknowledgedInTimeToAnother) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  const Joined slow = join(broker);
  publish(broker, 1, 1);
  ASSERT_TRUE(slow.consumer->wait_count(1));
  const Joined other = join(broker);
  pass(Duration::seconds(29));
  publish(broker, 2, 2);
  ASSERT_TRUE(other.consumer->wait_count(1));
  EXPECT_THAT(other.numbers(), ElementsAre(2)) << "not yet";
  pass(Duration::seconds(2));
  ASSERT_TRUE(other.consumer->wait_count(2));
  EXPECT_EQ(other.numbers().back(), 1U);
  EXPECT_TRUE(other.consumer->received().back().redelivered);
  EXPECT_EQ(broker->stats().timed_out, 1U);
  slow.session->answer({.numbers = {1}});
  other.session->answer({.numbers = {1, 2}});
  EXPECT_TRUE(other.consumer->wait_settled({1, 2})) << "the late answer does not count";
}

TEST_F(SharedConsumptionTest, GivesBackWhatWasRefusedAfterItsDelay) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  const Joined joined = join(broker);
  publish(broker, 1, 2);
  ASSERT_TRUE(joined.consumer->wait_count(2));
  joined.session->answer({{1}, Duration::seconds(5)});
  joined.session->answer({{2}, Duration{}});
  ASSERT_TRUE(joined.consumer->wait_count(3));
  EXPECT_EQ(joined.numbers().back(), 2U);
  EXPECT_EQ(broker->stats().nacked, 2U);
  pass(Duration::seconds(6));
  ASSERT_TRUE(joined.consumer->wait_count(4));
  EXPECT_EQ(joined.numbers().back(), 1U);
}

TEST_F(SharedConsumptionTest, KeepsTheOrderOfAKeyAmongConsumers) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"consumers":{"mode":"shared","by":"data.k"}}})"),
            "ok");
  const Joined first = join(broker, 1);
  publish(broker, 1, 3, R"(,"data":{"k":1})");
  publish(broker, 4, 4, R"(,"data":{"k":2})");
  ASSERT_TRUE(first.consumer->wait_count(1));
  const Joined second = join(broker);
  ASSERT_TRUE(second.consumer->wait_count(1));
  EXPECT_THAT(second.numbers(), ElementsAre(4)) << "2 and 3 wait for 1";
  first.session->answer({.numbers = {1}});
  ASSERT_TRUE(second.consumer->wait_count(2));
  EXPECT_THAT(second.numbers(), ElementsAre(4, 2));
  second.session->close();
  first.session->add_credit(10);
  ASSERT_TRUE(first.consumer->wait_count(2));
  EXPECT_EQ(first.numbers()[1], 2U) << "goes first again, before 3";
}

TEST_F(SharedConsumptionTest, TakesAnswersWithoutASession) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  publish(broker, 1, 2);
  EXPECT_EQ(broker.answer("a", {.numbers = {1}}), "1") << "nobody has it";
  const Joined joined = join(broker);
  ASSERT_TRUE(joined.consumer->wait_count(2));
  EXPECT_EQ(broker.answer("a", {.numbers = {1, 7}}), "7");
  EXPECT_EQ(broker.answer("a", {{2}, Duration{}}), "");
  ASSERT_TRUE(joined.consumer->wait_count(3));
  EXPECT_EQ(broker.answer("b", {.numbers = {1}}), "broker.no_such_subscription");
}

TEST_F(SharedConsumptionTest, RefusesAnswersThatDoNotFitTheConsumers) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  publish(broker, 1, 1);
  Joined joined = join(broker);
  ASSERT_TRUE(joined.consumer->wait_count(1));
  EXPECT_EQ(broker.acknowledge("a", 1), "broker.acknowledge") << "everything up to a number";
  joined.session->answer({.numbers = {2}});
  EXPECT_EQ(joined.consumer->wait_end(), "broker.acknowledge") << "there is no 2 yet";
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  EXPECT_EQ(broker.answer("a", {.numbers = {1}}), "broker.not_shared");
  joined = join(broker);
  joined.session->answer({{1}, Duration{}});
  EXPECT_EQ(joined.consumer->wait_end(), "broker.not_shared");
}

TEST_F(SharedConsumptionTest, BeginsAnewWhenTheConsumersChange) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  publish(broker, 1, 3);
  const Joined joined = join(broker);
  ASSERT_TRUE(joined.consumer->wait_count(3));
  joined.session->answer({.numbers = {2}});
  ASSERT_TRUE(joined.consumer->wait_settled({2}));
  ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
  EXPECT_EQ(joined.consumer->wait_end(), "broker.ended");
  const Joined exclusive = join(broker);
  ASSERT_TRUE(exclusive.consumer->wait_count(2));
  EXPECT_THAT(exclusive.numbers(), ElementsAre(1, 3));
  ASSERT_EQ(broker.put(kShared), "ok");
  EXPECT_EQ(exclusive.consumer->wait_end(), "broker.ended");
  const Joined again = join(broker);
  ASSERT_TRUE(again.consumer->wait_count(2));
  EXPECT_THAT(again.numbers(), ElementsAre(1, 3));
}

TEST_F(SharedConsumptionTest, RemembersSingleAcknowledgementsOverARestart) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  publish(broker, 1, 6);
  {
    const Joined joined = join(broker);
    ASSERT_TRUE(joined.consumer->wait_count(6));
    joined.session->answer({.numbers = {2, 3, 5}});
    ASSERT_TRUE(joined.consumer->wait_settled({2, 3, 5}));
  }
  broker.open_again();
  EXPECT_TRUE(eventually([&] { return info(broker).counts.settled.acknowledged == 3U; }));
  EXPECT_TRUE(eventually([&] { return info(broker).counts.pending == 3U; }));
  const Joined joined = join(broker);
  ASSERT_TRUE(joined.consumer->wait_count(3));
  EXPECT_THAT(joined.numbers(), ElementsAre(1, 4, 6));
  EXPECT_TRUE(std::ranges::all_of(joined.consumer->received(), &Received::redelivered));
}

TEST_F(SharedConsumptionTest, DropsAlsoWhatIsInFlight) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"consumers":{"mode":"shared","by":"type"},)"
                       R"("outbox":{"policy":"drop_oldest","limit":2}}})"),
            "ok");
  const Joined joined = join(broker);
  publish(broker, 1, 1);
  ASSERT_TRUE(joined.consumer->wait_count(1));
  publish(broker, 2, 3);
  ASSERT_TRUE(joined.consumer->wait_count(2));
  EXPECT_THAT(joined.numbers(), ElementsAre(1, 2)) << "1 is gone, so its key is free";
  EXPECT_TRUE(eventually([&] { return info(broker).counts.settled.dropped == 1; }));
  joined.session->answer({.numbers = {1, 2}});
  EXPECT_TRUE(joined.consumer->wait_settled({2})) << "1 counts as dropped";
  EXPECT_TRUE(eventually([&] { return info(broker).counts.settled.acknowledged == 1; }));
}

TEST_F(SharedConsumptionTest, BlocksPublishersUntilThereIsRoom) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"consumers":"shared",)"
                       R"("outbox":{"policy":"block","limit":2}}})"),
            "ok");
  const Joined joined = join(broker);
  publish(broker, 1, 2);
  ASSERT_TRUE(joined.consumer->wait_count(2));
  ASSERT_TRUE(eventually([&] { return broker->stats().blocking == 1; }));
  EXPECT_EQ(broker.publish(R"({"id":"3"})"), "broker.outbox_full");
  joined.session->answer({.numbers = {2}});
  ASSERT_TRUE(eventually([&] { return broker->stats().blocking == 0; }));
  EXPECT_EQ(broker.publish(R"({"id":"3"})"), "accepted");
}

TEST_F(SharedConsumptionTest, MakesADeadLetterOfWhatWasTriedTooOften) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","config":{"consumers":{"mode":"shared","attempts":2}}})"),
            "ok");
  const Joined joined = join(broker);
  publish(broker, 1, 2);
  ASSERT_TRUE(joined.consumer->wait_count(2));
  joined.session->answer({{1}, Duration{}});
  ASSERT_TRUE(joined.consumer->wait_count(3));
  EXPECT_EQ(broker.answer("a", {{1}, Duration{}}), "");
  ASSERT_TRUE(eventually([&] {
    const auto letters = broker->dead_letters(everyone(), "a", 0, 10);
    return letters && letters->size() == 1 && letters->front().delivery == 1 &&
           letters->front().reason == "not acknowledged in 2 attempts";
  }));
  ASSERT_TRUE(eventually([&] { return info(broker).counts.pending == 1; }));
  EXPECT_TRUE(eventually([&] { return info(broker).counts.settled.dead_letters == 1U; }));
}

TEST_F(SharedConsumptionTest, EndsOnlyTheSessionsOfAnExpiredToken) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  const Joined first = join(broker);
  Principal expiring = *everyone();
  expiring.name = "guest";
  expiring.grants.admin = true;
  expiring.expires = base::Instant{now_ + Duration::seconds(60).nanoseconds};
  const auto guest = broker.attach("a", {}, std::make_shared<const Principal>(expiring));
  ASSERT_TRUE(guest->wait_begin());
  pass(Duration::seconds(61));
  EXPECT_EQ(guest->wait_end(), "broker.ended");
  publish(broker, 1, 2);
  ASSERT_TRUE(first.consumer->wait_count(2)) << "it gets what both would share";
}

TEST_F(SharedConsumptionTest, RefusesAnEphemeralOne) {
  TestBroker broker(options());
  const auto consumer = std::make_shared<RecordingConsumer>();
  broker->stream(everyone(), Definition::parse(R"({"config":{"consumers":"shared"}})").value(),
                 consumer);
  EXPECT_EQ(consumer->wait_end(), "broker.definition");
}

TEST_F(SharedConsumptionTest, EndsASessionThatAnswersMoreThanItCanHave) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kShared), "ok");
  const Joined joined = join(broker);
  publish(broker, 1, 1);
  ASSERT_TRUE(joined.consumer->wait_count(1));
  joined.session->answer({.numbers = std::vector<std::uint64_t>(1'000'000, 1)});
  EXPECT_EQ(joined.consumer->wait_end(), "broker.acknowledge");
}

}  // namespace
}  // namespace weir::broker
