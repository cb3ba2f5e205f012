// SPDX-License-Identifier: Apache-2.0
// What a broker says of an event and a subscription, with all that the subscription remembers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class BrokerExplainTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "data", .shard_count = 2, .clocks = [this] {
              return at_instant(base::Instant{now_.fetch_add(1000)});
            }};
  }
  static std::string put(TestBroker& broker, std::string_view filter,
                         const PrincipalPtr& owner = everyone()) {
    return broker.put(fmt::format(R"({{"id":"a","filters":[{{"weir":"{}"}}]}})", filter), owner);
  }
  void pass(base::Duration duration) { now_ += duration.nanoseconds; }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
};

std::string event(int id, double value, std::string_view source = "/s") {
  return fmt::format(R"({{"id":"{}","source":"{}","data":{{"v":{}}}}})", id, source, value);
}

PrincipalPtr principal(std::string name, std::string source, bool admin = false) {
  const Scope scope{.source_prefix = std::move(source), .type_prefix = ""};
  return std::make_shared<const Principal>(
      Principal{.name = std::move(name),
                .grants = {.publish = {}, .subscribe = {scope}, .block = false, .admin = admin},
                .expires = {}});
}

auto outcome_is(std::string_view outcome) {
  return HasSubstr(fmt::format(R"("outcome":"{}")", outcome));
}

TEST_F(BrokerExplainTest, KnowsTheLastValueOfAChange) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "change(data.v, by source) > 0.5"), "ok");
  EXPECT_THAT(broker.explain("a", event(9, 20.25)),
              AllOf(outcome_is("passed"), HasSubstr("nothing was delivered yet")));
  ASSERT_EQ(broker.publish(event(1, 20)), "accepted");
  for (int times = 0; times < 2; ++times) {
    EXPECT_THAT(broker.explain("a", event(9, 20.25)),
                AllOf(outcome_is("within_threshold"),
                      HasSubstr("last delivered 20, moved by 0.25, asked for > 0.5")));
    EXPECT_THAT(broker.explain("a", event(9, 21)), outcome_is("passed")) << "twice as well";
    broker.open_again();
  }
}

TEST_F(BrokerExplainTest, KnowsWhatADistinctWindowHasSeen) {
  for (const char* const mode : {"", " exact", " verify"}) {
    SCOPED_TRACE(mode);
    TestBroker broker(options());
    ASSERT_EQ(put(broker, fmt::format("distinct(data.v) within 1h{}", mode)), "ok");
    const int first = static_cast<int>(std::string_view(mode).size()) * 100;
    ASSERT_EQ(broker.publish(event(first, 7)), "accepted");
    EXPECT_THAT(broker.explain("a", event(9, 7)),
                AllOf(outcome_is("duplicate"), HasSubstr("were delivered in the last 1h")));
    EXPECT_THAT(broker.explain("a", event(9, 8)), outcome_is("passed"));
    EXPECT_THAT(broker.explain("a", event(9, 8)), outcome_is("passed")) << "it was not published";
    pass(base::Duration::seconds(3 * 3600));
    EXPECT_THAT(broker.explain("a", event(9, 7)), outcome_is("passed"))
        << "as if it were published now";
    ASSERT_EQ(broker.remove("a"), "ok");
  }
}

TEST_F(BrokerExplainTest, KnowsHowRareWordsAre) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "text(data.t) about 'storm' score >= 0.5"), "ok");
  const std::string storm = R"({"id":"9","data":{"t":"storm"}})";
  EXPECT_THAT(broker.explain("a", storm), outcome_is("below_score")) << "in all documents";
  ASSERT_EQ(broker.publish(R"({"id":"1","data":{"t":"calm"}})"), "accepted");
  EXPECT_THAT(broker.explain("a", storm),
              AllOf(outcome_is("passed"), HasSubstr("the score is 0.6931 = storm 0.6931")));
  EXPECT_THAT(broker.explain("a", storm), HasSubstr("(epoch 2)")) << "it is not counted in";
}

TEST_F(BrokerExplainTest, ChangesNothing) {
  TestBroker broker(options());
  ASSERT_EQ(put(broker, "change(data.v) > 5 and distinct(data.v) within 1h"), "ok");
  ASSERT_EQ(broker.publish(event(1, 10)), "accepted");
  const auto window = [&] { return broker->get(everyone(), "a")->window; };
  ASSERT_TRUE(eventually([&] { return window()->key_count == 1; }));
  for (const double value : {10.0, 11.0, 20.0, 30.0}) broker.explain("a", event(2, value));
  const BrokerStats stats = broker->stats();
  EXPECT_EQ(stats.accepted, 1U);
  EXPECT_EQ(stats.matched, 1U);
  EXPECT_EQ(stats.pending, 1U);
  EXPECT_EQ(window()->key_count, 1U);
  EXPECT_EQ(window()->hits, 0U);
  EXPECT_EQ(broker.publish(event(2, 20)), "accepted") << "it was never published";
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(2));
  EXPECT_THAT(consumer->ids(), ElementsAre("1", "2"));
}

TEST_F(BrokerExplainTest, TellsThatTheOwnerMayNotSeeTheEvent) {
  TestBroker broker(options());
  const PrincipalPtr owner = principal("owner", "/a/");
  ASSERT_EQ(put(broker, "change(data.v) > 1", owner), "ok");
  ASSERT_EQ(broker.publish(event(1, 5, "/b/")), "accepted");
  EXPECT_THAT(broker.explain("a", event(9, 9, "/b/"), owner),
              AllOf(outcome_is("no_match"), HasSubstr("nothing was delivered yet"),
                    HasSubstr(R"("note":"the grants of its owner do not cover this event")")));
  EXPECT_THAT(broker.explain("a", event(9, 9, "/a/"), owner),
              AllOf(outcome_is("passed"), Not(HasSubstr("note"))));
}

TEST_F(BrokerExplainTest, IsForWhoMayReadTheSubscription) {
  TestBroker broker(options());
  const PrincipalPtr owner = principal("owner", "/a/");
  ASSERT_EQ(put(broker, "change(data.v) > 1", owner), "ok");
  ASSERT_EQ(broker.publish(event(1, 5, "/a/")), "accepted");
  const std::string asked = event(9, 5, "/a/");
  const auto answer = [&](const PrincipalPtr& who) { return broker.explain("a", asked, who); };
  EXPECT_THAT(answer(owner), outcome_is("within_threshold"));
  EXPECT_EQ(answer(principal("other", "")), "broker.no_such_subscription");
  EXPECT_EQ(answer(principal("admin", "/b/", true)), "broker.forbidden");
  EXPECT_EQ(answer(principal("admin", "/a/1", true)), "broker.forbidden");
  EXPECT_THAT(answer(principal("admin", "/a", true)), outcome_is("within_threshold"));
  const auto blind = std::make_shared<const Principal>(
      Principal{.name = "admin", .grants = {.publish = {}, .subscribe = {}, .admin = true}});
  EXPECT_EQ(answer(blind), "broker.forbidden");
  EXPECT_EQ(broker.explain("none", asked), "broker.no_such_subscription");
}

// Nothing is in force then that could be explained.
TEST_F(BrokerExplainTest, NeedsAnOwnerWhoMayReceive) {
  ASSERT_EQ(put(*std::make_unique<TestBroker>(options()), "data.v > 1"), "ok");
  BrokerOptions closed = options();
  closed.anonymous_grants.reset();
  TestBroker broker(closed);
  EXPECT_EQ(broker.explain("a", event(9, 5), principal("admin", "", true)), "broker.ended");
}

// Neither how many documents have a word nor how many there are.
TEST_F(BrokerExplainTest, ScoresTellNothingOfHiddenDocuments) {
  TestBroker broker(options());
  const PrincipalPtr owner = principal("desk", "/desk/");
  ASSERT_EQ(put(broker, "text(data.t) about 'merger' score >= 0.1", owner), "ok");
  const auto text = [](int id, std::string_view source, std::string_view word) {
    return fmt::format(R"({{"id":"{}","source":"{}","data":{{"t":"{}"}}}})", id, source, word);
  };
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(broker.publish(text(i, "/desk/1", i == 0 ? "merger" : "calm")), "accepted");
  }
  const std::string asked = text(900, "/desk/1", "merger");
  const std::string before = broker.explain("a", asked, owner);
  EXPECT_THAT(before, outcome_is("passed"));
  for (int i = 10; i < 40; ++i) {
    ASSERT_EQ(broker.publish(text(i, "/board/1", i < 19 ? "merger" : "calm")), "accepted");
  }
  EXPECT_EQ(broker.explain("a", asked, owner), before);
}

}  // namespace
}  // namespace weir::broker
