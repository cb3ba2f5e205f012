// SPDX-License-Identifier: Apache-2.0
#include "server/broker_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/fake_broker_testing.h"
#include "server/log_testing.h"

namespace weir::server {
namespace {

using base::Duration;
using base::Instant;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BrokerWatchTest : public testing::Test {
 protected:
  // What the log is told when it is looked so much later.
  std::vector<std::string> look_after(std::int64_t seconds) {
    now_ = now_ + Duration::seconds(seconds);
    watch_.look(now_);
    return log_.take();
  }

  FakeBroker broker_;
  RecordedLog log_;
  BrokerWatch watch_{broker_, log_};
  Instant now_;
};

TEST_F(BrokerWatchTest, SaysNothingWhileAllIsWell) {
  EXPECT_THAT(look_after(1), IsEmpty());
  EXPECT_THAT(look_after(1), IsEmpty());
}

TEST_F(BrokerWatchTest, TellsOnceThatTheDiskIsFullAndOnceThatItIsNot) {
  broker_.set_trouble(base::Error{base::ErrorId::kStoreFull, "no space left", {}});
  EXPECT_THAT(look_after(1),
              ElementsAre("error events cannot be stored, publishers are told to wait "
                          "reason=\"no space left\" failures=0"));
  for (int i = 0; i < 200; ++i) EXPECT_THAT(look_after(1), IsEmpty());
  broker_.set_trouble(std::nullopt);
  EXPECT_THAT(look_after(1), ElementsAre("info events are stored again failures=0"));
  EXPECT_THAT(look_after(1), IsEmpty());
}

TEST_F(BrokerWatchTest, TellsWhenASubscriptionBeginsToLoseDeliveriesAndHowManyWereLost) {
  using broker::LossKind;
  broker_.losses.add("a", LossKind::kExpired, 3);
  EXPECT_THAT(look_after(1),
              ElementsAre("warning deliveries are lost: retention removes their events before they "
                          "are acknowledged subscription=a count=3"));
  broker_.losses.add("a", LossKind::kExpired, 4);
  broker_.losses.add("b", LossKind::kDropped, 1);
  EXPECT_THAT(look_after(9), ElementsAre(HasSubstr("subscription=b count=1")));
  EXPECT_THAT(look_after(9), IsEmpty());
  EXPECT_THAT(look_after(1),
              ElementsAre("info retention no longer removes events before they are acknowledged "
                          "subscription=a count=7",
                          HasSubstr("info the outbox and the list of dead letters have room again "
                                    "subscription=b count=1")));
  EXPECT_THAT(look_after(100), IsEmpty());
}

TEST_F(BrokerWatchTest, TellsWhenEventsAreTooCostly) {
  broker_.losses.add("a", broker::LossKind::kOverBudget, 3);
  EXPECT_THAT(look_after(1),
              ElementsAre("warning events are not judged: they cost more than "
                          "broker.work_per_event for the owner's filters subscription=a count=3"));
}

TEST_F(BrokerWatchTest, WarnsBeforeRetentionOvertakesASubscription) {
  broker_.losses.add("slow", broker::LossKind::kExpiresSoon, 12);
  EXPECT_THAT(look_after(1), ElementsAre("warning retention is about to overtake subscription slow "
                                         "subscription=slow pending=12"));
  EXPECT_THAT(look_after(1), IsEmpty());
}

TEST_F(BrokerWatchTest, NoticesAFailureThatIsOverByNow) {
  broker_.set_failures({.commit_failures = 2});
  EXPECT_THAT(look_after(1), ElementsAre(HasSubstr("reason=\"a write failed\" failures=2")));
  EXPECT_THAT(look_after(1), ElementsAre("info events are stored again failures=2"));
}

TEST_F(BrokerWatchTest, TellsOfWhatComesAndGoesOnceAMinute) {
  std::size_t lines = 0;
  for (std::uint64_t i = 1; i <= 300; ++i) {
    broker_.set_failures({.commit_failures = i / 2});
    lines += look_after(1).size();
  }
  EXPECT_EQ(lines, 10U);
}

TEST_F(BrokerWatchTest, TellsOfTheRegistry) {
  broker_.set_failures({.registry_failures = 1});
  EXPECT_THAT(look_after(1),
              ElementsAre("error subscriptions and acknowledgements cannot be stored "
                          "reason=\"no room\" failures=1"));
  broker_.set_failures({.registry_failures = 2});
  EXPECT_THAT(look_after(50), IsEmpty());
  EXPECT_THAT(look_after(59), IsEmpty());
  EXPECT_THAT(look_after(1),
              ElementsAre("info subscriptions and acknowledgements are stored again failures=2"));
}

TEST_F(BrokerWatchTest, TellsOfEachStepOfTheWallClock) {
  broker_.set_clock({.back_count = 1, .last = Duration::seconds(-86'400)},
                    Duration::seconds(86'400));
  EXPECT_THAT(look_after(1),
              ElementsAre("warning the wall clock was set back: durations are not affected "
                          "step_seconds=-86400.000 forward=0 back=1 "
                          "broker_ahead_seconds=86400.000"));
  EXPECT_THAT(look_after(1), IsEmpty());
  broker_.set_clock({.forward_count = 2, .back_count = 1, .last = Duration::milliseconds(1500)},
                    Duration{});
  EXPECT_THAT(look_after(1),
              ElementsAre("warning the wall clock was set forward: durations are not affected "
                          "step_seconds=1.500 forward=2 back=0 broker_ahead_seconds=0.000"));
}

TEST_F(BrokerWatchTest, TellsOnceOfEachTokenThatCannotBeRead) {
  const base::Error first{base::ErrorId::kBrokerToken, "the grants of token 'a'", {}};
  const base::Error second{base::ErrorId::kBrokerToken, "the grants of token 'b'", {}};
  broker_.set_unreadable_tokens({first});
  EXPECT_THAT(look_after(1),
              ElementsAre("error a token cannot be used reason=\"the grants of token 'a'\""));
  EXPECT_THAT(look_after(1), IsEmpty());
  broker_.set_unreadable_tokens({first, second});
  EXPECT_THAT(look_after(1),
              ElementsAre("error a token cannot be used reason=\"the grants of token 'b'\""));
  broker_.set_unreadable_tokens({});
  EXPECT_THAT(look_after(1), IsEmpty());
}

}  // namespace
}  // namespace weir::server
