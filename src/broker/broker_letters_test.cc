// SPDX-License-Identifier: Apache-2.0
// Dead letters: delivered again, removed, and what a crash leaves of that.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "broker/letter_text.h"

namespace weir::broker {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kSubscription = R"({"id":"a","sink":"https://example.com/hook"})";

std::string event(int id) { return fmt::format(R"({{"id":"{}","source":"/s","data":1}})", id); }

class BrokerLettersTest : public ::testing::Test {
 protected:
  BrokerOptions options() const {
    return {.directory = directory_ / std::to_string(crash_count_), .dead_letter_count_max = 3};
  }
  // A broker on what a crash now would leave of the directory.
  BrokerOptions after_crash() {
    const std::filesystem::path before = directory_ / std::to_string(crash_count_++);
    EXPECT_TRUE(eventually([&] { return copy_running(before, options().directory); }));
    return options();
  }

  void begin(TestBroker& broker) {
    consumer_ = std::make_shared<RecordingConsumer>();
    session_ = broker->attach_sink("a", consumer_);
    session_->add_credit(100);
  }
  // Deliveries 1 to count, all of them dead letters.
  void bury(TestBroker& broker, int count) {
    ASSERT_EQ(broker.put(kSubscription), "ok");
    begin(broker);
    for (int i = 1; i <= count; ++i) broker.publish(event(i));
    ASSERT_TRUE(consumer_->wait_count(static_cast<std::size_t>(count)));
    for (int i = 1; i <= count; ++i) session_->bury(static_cast<std::uint64_t>(i), "no");
    ASSERT_TRUE(consumer_->wait_acknowledged(static_cast<std::uint64_t>(count)));
  }

  // "2 done, 1 left", or the error's name.
  static std::string wait(const std::function<void(LettersDone)>& call) {
    std::promise<std::string> answer;
    call([&](const base::Result<LetterCounts>& counts) {
      answer.set_value(counts ? fmt::format("{} done, {} left", counts->done, counts->left)
                              : std::string(base::error_info(counts.error().id).name));
    });
    return answer.get_future().get();
  }
  static std::string resend(TestBroker& broker, std::optional<std::uint64_t> delivery = {},
                            const PrincipalPtr& principal = everyone()) {
    return wait([&](LettersDone done) {
      broker->resend_dead_letters(principal, "a", delivery, std::move(done));
    });
  }
  static std::string purge(TestBroker& broker, std::optional<std::uint64_t> delivery = {},
                           const PrincipalPtr& principal = everyone()) {
    return wait([&](LettersDone done) {
      broker->purge_dead_letters(principal, "a", delivery, std::move(done));
    });
  }
  static std::vector<std::uint64_t> letters(TestBroker& broker, std::uint64_t after = 0) {
    std::vector<std::uint64_t> numbers;
    const auto listed = broker->dead_letters(everyone(), "a", after, 100);
    for (const store::DeadLetterRow& letter : listed.value()) numbers.push_back(letter.delivery);
    return numbers;
  }
  static DeliveryCounts counts(TestBroker& broker) {
    const DeliveryCounts counts = broker->get(everyone(), "a")->counts;
    EXPECT_EQ(counts.deliveries, counts.pending + counts.settled.total());
    return counts;
  }
  static std::uint64_t kept(TestBroker& broker) {
    return broker->get(everyone(), "a")->letters_kept;
  }

  base::TemporaryDirectory directory_;
  int crash_count_ = 0;
  std::shared_ptr<RecordingConsumer> consumer_;
  SessionPtr session_;
};

// Everything is said while the shard is busy, and heard at once.
TEST_F(BrokerLettersTest, AreNotAcknowledgedByWhatIsSaidAfterThem) {
  BrokerOptions one = options();
  one.shard_count = 1;
  TestBroker broker(one);
  ASSERT_EQ(broker.put(kSubscription), "ok");
  begin(broker);
  for (int i = 1; i <= 6; ++i) broker.publish(event(i));
  ASSERT_TRUE(consumer_->wait_count(6));
  ASSERT_EQ(broker.put(R"({"id":"blocking"})"), "ok");
  const auto blocking = std::make_shared<BlockingConsumer>();
  const std::shared_ptr<void> released_at_the_end(nullptr, [&](void*) { blocking->release(); });
  const SessionPtr blocked = broker->attach(everyone(), "blocking", {}, blocking);
  blocked->add_credit(1);
  broker.publish(event(7));
  blocking->wait_until_it_blocks();

  session_->add_credit(1);
  session_->acknowledge(1);
  session_->bury(2, "no");
  session_->bury(3, "no");
  session_->add_credit(1);
  session_->acknowledge(4);
  session_->bury(5, "no");
  session_->acknowledge(6);
  blocking->release();
  ASSERT_TRUE(consumer_->wait_acknowledged(6));
  EXPECT_EQ(counts(broker).settled, (store::SettledCounts{.acknowledged = 3, .dead_letters = 3}));
  ASSERT_TRUE(eventually([&] { return letters(broker).size() == 3; }));
  EXPECT_THAT(letters(broker), ElementsAre(2, 3, 5));
}

TEST_F(BrokerLettersTest, DeliverALetterAgainUnderANewNumber) {
  TestBroker broker(options());
  bury(broker, 2);
  const std::string text = consumer_->received()[0].texts[0];
  EXPECT_EQ(resend(broker, 1), "1 done, 0 left");
  ASSERT_TRUE(consumer_->wait_count(3));
  const Received again = consumer_->received()[2];
  EXPECT_EQ(again.number, 3U);
  EXPECT_TRUE(again.redelivered);
  EXPECT_THAT(again.texts, ElementsAre(text));
  EXPECT_THAT(letters(broker), ElementsAre(1, 2)) << "until the sink has taken it";
  EXPECT_EQ(resend(broker, 1), "0 done, 0 left") << "it is on its way";
  session_->acknowledge(3);
  ASSERT_TRUE(consumer_->wait_acknowledged(3));
  EXPECT_THAT(letters(broker), ElementsAre(2));
  EXPECT_EQ(kept(broker), 1U);
  EXPECT_EQ(counts(broker).settled, (store::SettledCounts{.acknowledged = 1, .dead_letters = 2}));
  EXPECT_EQ(counts(broker).deliveries, 3U);
  EXPECT_EQ(resend(broker, 1), "broker.no_such_dead_letter");
}

// A filter of several changes delivers groups, whatever their size.
TEST_F(BrokerLettersTest, AGroupOfOneStaysAGroup) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"a","sink":"https://example.com/hook",)"
                       R"("filters":[{"weir":"change(data.v) > 1 and change(data.w) > 1"}]})"),
            "ok");
  begin(broker);
  ASSERT_EQ(broker.publish(R"({"id":"1","source":"/s","data":{"v":1,"w":1}})"), "accepted");
  ASSERT_TRUE(consumer_->wait_count(1));
  ASSERT_TRUE(consumer_->received()[0].is_group);
  session_->bury(1, "no");
  ASSERT_TRUE(consumer_->wait_acknowledged(1));
  EXPECT_EQ(resend(broker), "1 done, 0 left");
  ASSERT_TRUE(consumer_->wait_count(2));
  EXPECT_TRUE(consumer_->received()[1].is_group);
  EXPECT_EQ(consumer_->received()[1].texts, consumer_->received()[0].texts);
  session_->bury(2, "no");
  ASSERT_TRUE(consumer_->wait_acknowledged(2));

  const std::string text = broker->dead_letters(everyone(), "a", 0, 1)->front().events;
  const auto sees = [&](std::string_view source) {
    const auto grants = Grants::parse_json(fmt::format(
        R"({{"publish":[],"subscribe":[{{"source":"{}"}}],"block":false,"admin":false}})", source));
    return may_see_letter(*grants, text);
  };
  EXPECT_TRUE(sees("/s")) << "grants look into the group";
  EXPECT_FALSE(sees("/t"));
  TestBroker again(after_crash());
  begin(again);
  EXPECT_EQ(resend(again), "1 done, 0 left");
  ASSERT_TRUE(consumer_->wait_count(1));
  EXPECT_TRUE(consumer_->received()[0].is_group);
}

TEST(LetterTextTest, ReadsWhatEarlierVersionsWrote) {
  const auto several = read_letter("[{},{}]");
  ASSERT_TRUE(several);
  EXPECT_TRUE(several->is_group);
  EXPECT_EQ(several->events.size(), 2U);
  EXPECT_FALSE(read_letter("[{}]")->is_group);
  EXPECT_FALSE(read_letter("[[]]"));
  EXPECT_FALSE(read_letter("{}"));
  EXPECT_EQ(letter_events("[[{},{}]]"), "[{},{}]");
  EXPECT_EQ(letter_events("[{}]"), "[{}]");
}

TEST_F(BrokerLettersTest, BuryALetterAnewInPlaceOfTheOldOne) {
  TestBroker broker(options());
  bury(broker, 3);
  EXPECT_EQ(resend(broker), "3 done, 0 left");
  ASSERT_TRUE(consumer_->wait_count(6));
  session_->bury(4, "still no");
  session_->acknowledge(5);
  ASSERT_TRUE(consumer_->wait_acknowledged(5));
  EXPECT_THAT(letters(broker), ElementsAre(3, 4)) << "there were as many as there may be";
  EXPECT_EQ(broker->dead_letters(everyone(), "a", 3, 1)->front().reason, "still no");
  EXPECT_EQ(kept(broker), 2U);
  broker.open_again();
  EXPECT_THAT(letters(broker), ElementsAre(3, 4));
  EXPECT_EQ(kept(broker), 2U);
  EXPECT_EQ(counts(broker).pending, 1U);
}

// Deliveries and letters are as they were, wherever a crash comes.
TEST_F(BrokerLettersTest, SurviveACrashOnTheirWay) {
  TestBroker before(options());
  bury(before, 2);
  session_->close();
  EXPECT_EQ(resend(before), "2 done, 0 left");
  EXPECT_EQ(before.publish(event(7)), "accepted");
  ASSERT_TRUE(eventually([&] { return counts(before).deliveries == 5; }));
  TestBroker broker(after_crash());
  EXPECT_THAT(letters(broker), ElementsAre(1, 2));
  EXPECT_EQ(counts(broker).pending, 3U);
  EXPECT_EQ(purge(broker), "0 done, 2 left") << "they are on their way";
  begin(broker);
  ASSERT_TRUE(consumer_->wait_count(3));
  EXPECT_THAT(consumer_->ids(), ElementsAre("1", "2", "7"));
  EXPECT_EQ(consumer_->received()[0].number, 3U);
  session_->acknowledge(3);
  ASSERT_TRUE(consumer_->wait_acknowledged(3));
  TestBroker after(after_crash());
  EXPECT_THAT(letters(after), ElementsAre(2));
  EXPECT_EQ(counts(after).pending, 2U);
  EXPECT_EQ(counts(after).settled, (store::SettledCounts{.acknowledged = 1, .dead_letters = 2}));
}

TEST_F(BrokerLettersTest, TakeNoRoomFromOthersAndStayIfTheyAreDropped) {
  TestBroker broker(options());
  bury(broker, 3);
  session_->close();
  ASSERT_EQ(broker.put(R"({"id":"a","sink":"https://example.com/hook",)"
                       R"("config":{"outbox":{"limit":2}}})"),
            "ok");
  broker.publish(event(8));
  ASSERT_TRUE(eventually([&] { return counts(broker).pending == 1; }));
  EXPECT_EQ(resend(broker), "1 done, 2 left");
  EXPECT_EQ(resend(broker, 2), "broker.outbox_full");
  broker.publish(event(9));
  broker.publish(event(10));
  ASSERT_TRUE(eventually([&] { return counts(broker).settled.dropped == 2; }));
  EXPECT_THAT(letters(broker), ElementsAre(1, 2, 3)) << "the letter is still there";
  EXPECT_EQ(purge(broker, 1), "1 done, 0 left");
}

TEST_F(BrokerLettersTest, AreRemovedForGood) {
  TestBroker broker(options());
  bury(broker, 3);
  EXPECT_EQ(purge(broker, 2), "1 done, 0 left");
  EXPECT_EQ(purge(broker, 2), "broker.no_such_dead_letter");
  EXPECT_THAT(letters(broker), ElementsAre(1, 3));
  EXPECT_EQ(resend(broker, 3), "1 done, 0 left");
  EXPECT_EQ(purge(broker, 3), "broker.in_use");
  EXPECT_EQ(purge(broker), "1 done, 1 left");
  EXPECT_EQ(kept(broker), 1U);
  broker.open_again();
  EXPECT_THAT(letters(broker), ElementsAre(3));
  EXPECT_EQ(counts(broker).settled, (store::SettledCounts{.dead_letters = 3})) << "as it happened";
}

TEST_F(BrokerLettersTest, ThatAreLargeAreListedInPages) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(kSubscription), "ok");
  begin(broker);
  const std::string half(kLetterPageBytesMax / 2, 'x');
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(broker.publish(fmt::format(R"({{"id":"{}","data":"{}"}})", i, half)), "accepted");
    ASSERT_TRUE(consumer_->wait_count(i));
    session_->bury(i, "no");
    ASSERT_TRUE(consumer_->wait_acknowledged(i));
  }
  EXPECT_THAT(letters(broker), ElementsAre(1, 2)) << "these take as much as a page may";
  EXPECT_THAT(letters(broker, 2), ElementsAre(3));
}

TEST_F(BrokerLettersTest, AreForThoseWhoMayReadThem) {
  TestBroker broker(options());
  bury(broker, 1);
  const auto blind = std::make_shared<const Principal>(
      Principal{.name = "x", .grants = {.publish = {}, .subscribe = {}, .admin = true}});
  EXPECT_EQ(resend(broker, 1, blind), "broker.forbidden");
  EXPECT_EQ(purge(broker, {}, blind), "broker.forbidden");
  const auto stranger = std::make_shared<const Principal>(
      Principal{.name = "y", .grants = {.publish = {}, .subscribe = {Scope{}}}});
  EXPECT_EQ(resend(broker, {}, stranger), "broker.no_such_subscription");
  EXPECT_EQ(purge(broker, 1, stranger), "broker.no_such_subscription");
  EXPECT_THAT(letters(broker), ElementsAre(1));
}

}  // namespace
}  // namespace weir::broker
