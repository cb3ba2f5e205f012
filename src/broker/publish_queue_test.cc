// SPDX-License-Identifier: Apache-2.0
#include "broker/publish_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "event/event_testing.h"

namespace weir::broker {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const PublishQueue::Clock::time_point kNow{};
constexpr std::size_t kPlenty = std::size_t{1} << 30U;

event::EventPtr any_event() {
  static const event::EventPtr event = event::event_of("{}");
  return event;
}

PublishRequest request(const std::string& owner, std::size_t event_count, std::size_t bytes = 1) {
  PublishRequest request;
  request.owner = owner;
  request.events.assign(event_count, any_event());
  request.outcomes.resize(event_count);
  request.memory_bytes.assign(event_count, bytes);
  return request;
}

// Each piece as owner:begin-end.
std::vector<std::string> texts(const PublishQueue::Taken& taken) {
  std::vector<std::string> all;
  for (const PublishQueue::Piece& piece : taken.pieces) {
    all.push_back(piece.request->owner + ":" + std::to_string(piece.begin) + "-" +
                  std::to_string(piece.end));
  }
  return all;
}

class PublishQueueTest : public testing::Test {
 protected:
  // An event of this owner takes so long.
  void set_cost(const std::string& owner, std::chrono::nanoseconds time) {
    costs_.add({.owner = owner, .event_count = 1, .time = time}, kNow);
  }
  std::vector<std::string> take(std::chrono::nanoseconds time, std::size_t bytes = kPlenty) {
    return texts(queue_.take({.time = time, .bytes = bytes}, costs_, kNow));
  }

  PublishQueue queue_;
  MatchCosts costs_;
};

TEST_F(PublishQueueTest, HandsOutSmallRequestsTogether) {
  queue_.push(request("a", 1));
  queue_.push(request("a", 2));
  queue_.push(request("b", 1));
  EXPECT_THAT(take(milliseconds(10)), ElementsAre("a:0-1", "a:0-2", "b:0-1"));
  EXPECT_TRUE(queue_.empty());
}

TEST_F(PublishQueueTest, OwnersTakeTurns) {
  set_cost("a", milliseconds(1));
  queue_.push(request("a", 100));
  queue_.push(request("b", 1));
  EXPECT_THAT(take(milliseconds(4)), ElementsAre("a:0-2", "b:0-1", "a:2-4"));
  queue_.push(request("c", 1));
  EXPECT_THAT(take(milliseconds(2)), ElementsAre("c:0-1", "a:4-6"))
      << "whoever has had less is next";
}

// Three owners have as much to do as there is time. One that has little to do waits for a turn of
// one of them at most.
TEST_F(PublishQueueTest, NobodyWaitsForAllOthersWhoHaveHadMore) {
  for (const char* const owner : {"a", "b", "c"}) {
    set_cost(owner, milliseconds(2));
    queue_.push(request(owner, 100));
  }
  set_cost("z", microseconds(10));
  take(milliseconds(6));
  for (int round = 0; round < 20; ++round) {
    queue_.push(request("z", 1));
    const std::vector<std::string> taken = take(milliseconds(2));
    EXPECT_THAT(taken, SizeIs(2)) << round;
    EXPECT_THAT(taken, Contains("z:0-1")) << round;
  }
}

TEST_F(PublishQueueTest, WhoeverComesBackHasSavedNothingAndOwesWhatItHad) {
  for (const char* const owner : {"a", "b", "c"}) set_cost(owner, milliseconds(2));
  queue_.push(request("a", 10));
  take(milliseconds(10));
  queue_.push(request("b", 10));
  EXPECT_THAT(take(milliseconds(4)), ElementsAre("b:0-1", "a:5-6"))
      << "b gets no five turns because a had five before it came";
  queue_.push(request("c", 1));
  EXPECT_EQ(take(milliseconds(2)).front(), "c:0-1");
  queue_.push(request("c", 1));
  EXPECT_NE(take(milliseconds(2)).front(), "c:0-1") << "it was gone, and has had its turn";
}

TEST_F(PublishQueueTest, HandsOutNoMoreThanThereIsRoomFor) {
  set_cost("a", milliseconds(1));
  queue_.push(request("a", 100));
  EXPECT_THAT(take(milliseconds(5)), ElementsAre("a:0-2", "a:2-4", "a:4-5"));
  EXPECT_THAT(take(milliseconds(0)), IsEmpty());
  EXPECT_FALSE(queue_.can_take({.time = milliseconds(0), .bytes = kPlenty}));
  EXPECT_THAT(take(microseconds(1)), ElementsAre("a:5-6")) << "one event goes beyond it";
  EXPECT_THAT(take(milliseconds(5), 0), IsEmpty());
  EXPECT_FALSE(queue_.can_take({.time = milliseconds(5), .bytes = 0}));
}

TEST_F(PublishQueueTest, OwnersOfWhomLittleIsMatchedNeedNoRoom) {
  set_cost("a", milliseconds(1));
  set_cost("b", microseconds(500));
  queue_.push(request("a", 100));
  const auto heavy = queue_.take({.time = milliseconds(10), .bytes = kPlenty}, costs_, kNow);
  EXPECT_EQ(queue_.under_way(), milliseconds(10));
  for (int i = 0; i < 6; ++i) queue_.push(request("b", 1));
  EXPECT_THAT(take(milliseconds(0)), ElementsAre("b:0-1", "b:0-1", "b:0-1", "b:0-1"));
  EXPECT_THAT(take(milliseconds(0)), IsEmpty()) << "two milliseconds of b are under way";
  queue_.on_matched({{"b", microseconds(500)}});
  EXPECT_THAT(take(milliseconds(0)), ElementsAre("b:0-1"));
  queue_.on_matched(heavy.times);
  EXPECT_EQ(queue_.under_way(), milliseconds(2));
  EXPECT_THAT(take(milliseconds(0)), ElementsAre("a:10-12")) << "a has nothing under way";
}

TEST_F(PublishQueueTest, TellsWhetherThereIsOneOwnerOnly) {
  const auto take_at = [&](const std::string& owner, PublishQueue::Clock::time_point at) {
    queue_.push(request(owner, 1));
    queue_.take({.time = milliseconds(1), .bytes = kPlenty}, costs_, at);
  };
  const auto later = kNow + 10 * PublishQueue::kAlone;
  take_at("a", later);
  EXPECT_FALSE(queue_.has_one_owner(later));
  take_at("a", later + PublishQueue::kAlone);
  EXPECT_TRUE(queue_.has_one_owner(later + 2 * PublishQueue::kAlone));
  take_at("b", later + 2 * PublishQueue::kAlone);
  EXPECT_FALSE(queue_.has_one_owner(later + 3 * PublishQueue::kAlone));
  EXPECT_TRUE(queue_.has_one_owner(later + 4 * PublishQueue::kAlone));
}

TEST_F(PublishQueueTest, LongEventsEndATurn) {
  set_cost("a", microseconds(1));
  queue_.push(request("a", 10, PublishQueue::kTurnBytes / 2));
  queue_.push(request("b", 1));
  EXPECT_THAT(take(milliseconds(10)), ElementsAre("a:0-2", "b:0-1", "a:2-4", "a:4-6", "a:6-8"));
  EXPECT_THAT(take(milliseconds(10), 1), ElementsAre("a:8-9")) << "one event goes beyond it";
}

TEST_F(PublishQueueTest, BytesCountAsTime) {
  for (const char* const owner : {"a", "b"}) set_cost(owner, milliseconds(1));
  queue_.push(request("a", 6, 500'000));
  queue_.push(request("b", 6));
  EXPECT_THAT(take(milliseconds(12)),
              ElementsAre("a:0-2", "b:0-2", "b:2-4", "a:2-4", "b:4-6", "a:4-6"));
}

TEST_F(PublishQueueTest, ACommitIsShort) {
  queue_.push(request("a", 100, PublishQueue::kTurnBytes));
  EXPECT_EQ(take(milliseconds(100)).size(),
            PublishQueue::kTakenBytesMax / PublishQueue::kTurnBytes);
}

TEST_F(PublishQueueTest, RequestsWithoutAnEventAreHandedOutToo) {
  PublishRequest rejected = request("a", 2);
  rejected.events.assign(2, nullptr);
  queue_.push(std::move(rejected));
  queue_.push(request("a", 0));
  EXPECT_THAT(take(milliseconds(1)), ElementsAre("a:0-2", "a:0-0"));
  EXPECT_TRUE(queue_.empty());
}

TEST_F(PublishQueueTest, TellsHowLongMatchingTakes) {
  set_cost("a", microseconds(100));
  queue_.push(request("a", 3));
  EXPECT_EQ(queue_.take({.time = milliseconds(1), .bytes = kPlenty}, costs_, kNow).times,
            (PublishQueue::Times{{"a", microseconds(300)}}));
  EXPECT_EQ(queue_.under_way(), microseconds(300));
}

TEST_F(PublishQueueTest, TheRestOfADroppedRequestIsNotHandedOut) {
  set_cost("a", milliseconds(2));
  queue_.push(request("a", 5));
  queue_.push(request("a", 1));
  const auto taken = queue_.take({.time = milliseconds(2), .bytes = kPlenty}, costs_, kNow);
  ASSERT_THAT(texts(taken), ElementsAre("a:0-1"));
  queue_.drop(*taken.pieces.front().request);
  EXPECT_THAT(take(milliseconds(10)), ElementsAre("a:0-1"));
  queue_.drop(*taken.pieces.front().request);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(PublishQueueTest, AllIsHandedOutAtTheEnd) {
  set_cost("a", milliseconds(2));
  queue_.push(request("a", 5));
  queue_.push(request("a", 1));
  take(milliseconds(2));
  queue_.push(request("b", 3));
  EXPECT_THAT(texts(queue_.take_all()), ElementsAre("a:1-5", "a:0-1", "b:0-3"));
  EXPECT_TRUE(queue_.empty());
}

}  // namespace
}  // namespace weir::broker
