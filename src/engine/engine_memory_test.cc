// SPDX-License-Identifier: Apache-2.0
// What filters remember is bounded in bytes: a key without room is let through, not remembered.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/memory_account.h"
#include "base/prng.h"
#include "engine/engine.h"
#include "event/event_testing.h"

namespace weir::engine {
namespace {

using base::Duration;
using base::Instant;
using base::MemoryAccount;
using base::MemoryShare;

constexpr std::size_t kLimit = 200'000;
constexpr std::size_t kKeyBytes = 1000;
constexpr int kKeys = 1000;  // five times what fits
// A window that doubles, or the last key, may go beyond the limit.
constexpr std::size_t kSlack = kLimit / 2;

Instant at(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

struct Case {
  std::string_view name;
  std::string_view filter;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class StateMemoryTest : public testing::TestWithParam<Case> {
 protected:
  StateMemoryTest() {
    const auto subscribed = engine_.subscribe(GetParam().filter, {.memory = account_});
    EXPECT_TRUE(subscribed) << subscribed.error().to_string();
    id_ = *subscribed;
  }
  // Whether it is delivered.
  bool publish(int key, double value, std::size_t rest_bytes = 0) {
    const std::string subject = fmt::format("{:0{}}", key, kKeyBytes);
    const auto event = event::event_of(
        fmt::format(R"({{"id":"{}","subject":"{}","data":{{"a":{},"b":{},"rest":"{}"}}}})", ++last_,
                    subject, value, value, std::string(rest_bytes, 'x')));
    return !engine_.publish(event, at(last_)).empty();
  }

  std::shared_ptr<MemoryShare> account_ = std::make_shared<MemoryShare>(kLimit, nullptr);
  Engine engine_;
  SubscriptionId id_;
  int last_ = 0;
};

TEST_P(StateMemoryTest, NewKeysAreLetThroughOnceThereIsNoRoom) {
  for (int key = 0; key < kKeys; ++key) {
    EXPECT_TRUE(publish(key, 1)) << "the first reading of a key, remembered or not";
    ASSERT_LE(account_->bytes(), kLimit + kSlack);
  }
  EXPECT_GE(account_->bytes(), kLimit / 2) << "it is used";
  EXPECT_GT(engine_.counters(id_)->state_overflow, 0U) << "and counted";
  EXPECT_FALSE(publish(0, 1)) << "a key that is remembered is judged as before";
  EXPECT_TRUE(publish(kKeys - 1, 1)) << "one that is not is let through";
}

TEST_P(StateMemoryTest, EverythingIsGivenBackInTheEnd) {
  for (int key = 0; key < kKeys; ++key) publish(key, 1);
  ASSERT_TRUE(engine_.unsubscribe(id_));
  EXPECT_EQ(account_->bytes(), 0U);
}

TEST_P(StateMemoryTest, ARestoredStateIsCountedAgain) {
  for (int key = 0; key < 20; ++key) publish(key, 1);
  const std::string state = *engine_.save(id_);
  Engine other;
  const auto account = std::make_shared<MemoryShare>(kLimit, nullptr);
  ASSERT_TRUE(other.subscribe(GetParam().filter, {.memory = account, .state = state}));
  EXPECT_GT(account->bytes(), 20 * kKeyBytes);
}

TEST_P(StateMemoryTest, EventsThatAreKeptCount) {
  if (GetParam().name == "distinct") return;  // it keeps none
  for (int key = 0; key < 20; ++key) EXPECT_TRUE(publish(key, 1));
  // More than fits, for keys that are known.
  for (int key = 0; key < 20; ++key) {
    publish(key, 2, 20'000);
    ASSERT_LE(account_->bytes(), kLimit + kSlack);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Filters, StateMemoryTest,
    testing::Values(Case{"shared", "change(data.a, by subject) > 0.5"},
                    Case{"timed", "change(data.a, by subject) > 0.5 at most every 1s"},
                    Case{"alone", "any change(data.a, by subject)"},
                    Case{"composite",
                         "change(data.a, by subject) > 0.5 and change(data.b, by subject) > 0.5"},
                    Case{"distinct", "distinct(subject) within 1h exact"}),
    [](const testing::TestParamInfo<Case>& one) { return std::string(one.param.name); });

TEST(WindowMemoryTest, AnApproximateWindowStopsToGrowAndGivesBackWhatIsOver) {
  const auto account = std::make_shared<MemoryShare>(100'000, nullptr);
  Engine engine;
  const auto id = engine.subscribe("distinct(id) within 100s", {.memory = account});
  ASSERT_TRUE(id);
  for (int i = 0; i < 100'000; ++i) {
    engine.publish(event::event_of(fmt::format(R"({{"id":"{}"}})", i)), at(i / 2000));
    ASSERT_LE(account->bytes(), 400'000U);
  }
  EXPECT_GT(engine.counters(*id)->state_overflow, 0U);
  const std::size_t full = account->bytes();
  for (int i = 0; i < 100; ++i) {
    engine.publish(event::event_of(fmt::format(R"({{"id":"later{}"}})", i)), at(1000 + i));
  }
  EXPECT_LT(account->bytes(), full);
}

TEST(SharedMemoryTest, OnlySubscriptionsOfOneAccountShareWhatTheyRemember) {
  const auto mine = std::make_shared<MemoryShare>(kLimit, nullptr);
  const auto yours = std::make_shared<MemoryShare>(kLimit, nullptr);
  Engine engine;
  for (const auto& account : {mine, mine, yours}) {
    ASSERT_TRUE(engine.subscribe("change(data.a, by subject) > 0.5", {.memory = account}));
  }
  engine.publish(event::event_of(R"({"id":"1","subject":"s","data":{"a":1}})"), at(1));
  EXPECT_EQ(mine->bytes(), yours->bytes()) << "two that share take as much as one alone";
  EXPECT_GT(yours->bytes(), 0U);
}

// Words that nobody has seen yet.
std::string words(base::Prng& prng, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("w{:x} ", prng.next());
  return text;
}

TEST(CorpusMemoryTest, WordsWithoutRoomAreNotKept) {
  const auto account = std::make_shared<MemoryShare>(kLimit, nullptr);
  Engine engine;
  const auto id = engine.subscribe("text(data.t) about 'storm'", {.memory = account});
  ASSERT_TRUE(id) << id.error().to_string();
  base::Prng prng(7);
  for (int i = 0; i < 50; ++i) {
    engine.publish(
        event::event_of(fmt::format(R"({{"id":"{}","data":{{"t":"{}"}}}})", i, words(prng, 200))),
        at(i));
    ASSERT_LE(account->bytes(), kLimit);
  }
  EXPECT_GT(account->bytes(), kLimit / 2);
  EXPECT_FALSE(
      engine.publish(event::event_of(R"({"id":"s","data":{"t":"storm"}})"), at(100)).empty())
      << "a word that is not kept counts as new";
  ASSERT_TRUE(engine.unsubscribe(*id));
  EXPECT_EQ(account->bytes(), 0U);
}

TEST(CorpusMemoryTest, CorporaAreSavedInPiecesThatTogetherAreTheWhole) {
  Engine engine;
  for (const char field : {'a', 'b', 'c', 'd'}) {
    ASSERT_TRUE(engine.subscribe(fmt::format("text(data.{}) about 'storm'", field)));
  }
  base::Prng prng(7);
  const std::string text = words(prng, 500);
  engine.publish(event::event_of(fmt::format(
                     R"({{"id":"1","data":{{"a":"{0}","b":"{0}","c":"{0}","d":"{0}"}}}})", text)),
                 at(1));
  const std::vector<std::string> pieces = engine.save_text_pieces(1000);
  EXPECT_EQ(pieces.size(), 4U);
  EXPECT_EQ(engine.save_text_pieces(std::size_t{1} << 30U), std::vector{engine.save_text()});
  Engine other;
  for (const std::string& piece : pieces) ASSERT_TRUE(other.restore_text(piece));
  for (const char field : {'a', 'b', 'c', 'd'}) {
    ASSERT_TRUE(other.subscribe(fmt::format("text(data.{}) about 'storm'", field)));
  }
  EXPECT_EQ(other.save_text(), engine.save_text());
}

TEST(CorpusMemoryTest, WithoutCorporaThereIsOnePiece) {
  EXPECT_EQ(Engine().save_text_pieces(1000).size(), 1U);
}

}  // namespace
}  // namespace weir::engine
