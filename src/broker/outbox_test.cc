// SPDX-License-Identifier: Apache-2.0
#include "broker/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/memory_account.h"
#include "base/prng.h"
#include "broker/text_share_holds.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

Outbox outbox_of(OutboxPolicy policy, std::size_t count_max) {
  return Outbox({.policy = policy, .count_max = count_max});
}

std::uint64_t push(Outbox& outbox, std::uint64_t sequence, std::string_view source = "/s") {
  return outbox.push(sequence, {.sequences = std::vector{sequence}, .source = source});
}

std::vector<std::uint64_t> numbers(const std::vector<OutboxEntry>& entries) {
  std::vector<std::uint64_t> out;
  for (const OutboxEntry& entry : entries) out.push_back(entry.number);
  return out;
}

std::vector<std::uint64_t> send(Outbox& outbox, std::size_t count_max) {
  const auto entries = outbox.peek(count_max);
  if (!entries.empty()) outbox.mark_sent(entries.back().number);
  return numbers(entries);
}

TEST(OutboxTest, SendsInOrderAndOnce) {
  Outbox outbox = outbox_of(OutboxPolicy::kDropOldest, 10);
  for (std::uint64_t sequence = 101; sequence <= 104; ++sequence) push(outbox, sequence);
  EXPECT_THAT(send(outbox, 2), ElementsAre(1, 2));
  EXPECT_THAT(send(outbox, 9), ElementsAre(3, 4));
  EXPECT_THAT(send(outbox, 9), IsEmpty());
  EXPECT_FALSE(outbox.has_unsent());
  EXPECT_EQ(outbox.size(), 4U) << "until they are acknowledged";
}

TEST(OutboxTest, SendsAgainWhatIsNotAcknowledgedAndSaysSo) {
  Outbox outbox = outbox_of(OutboxPolicy::kDropOldest, 10);
  for (std::uint64_t sequence = 101; sequence <= 104; ++sequence) push(outbox, sequence);
  send(outbox, 3);
  EXPECT_THAT(outbox.acknowledge(2), Optional(2U));
  outbox.rewind();
  const auto again = outbox.peek(9);
  EXPECT_THAT(numbers(again), ElementsAre(3, 4));
  EXPECT_TRUE(again[0].redelivered);
  EXPECT_FALSE(again[1].redelivered) << "never sent before";
}

TEST(OutboxTest, RefusesAnAcknowledgementOfWhatWasNotSent) {
  Outbox outbox = outbox_of(OutboxPolicy::kDropOldest, 10);
  push(outbox, 101);
  EXPECT_EQ(outbox.acknowledge(1), std::nullopt);
  send(outbox, 1);
  EXPECT_THAT(outbox.acknowledge(1), Optional(1U));
  EXPECT_THAT(outbox.acknowledge(1), Optional(0U)) << "again is no harm";
  EXPECT_EQ(outbox.acknowledge(2), std::nullopt);
}

TEST(OutboxTest, DropsTheOldestAndCountsItSentOrNot) {
  Outbox outbox = outbox_of(OutboxPolicy::kDropOldest, 3);
  push(outbox, 101);
  push(outbox, 102);
  send(outbox, 1);
  for (std::uint64_t sequence = 103; sequence <= 106; ++sequence) push(outbox, sequence);
  EXPECT_EQ(outbox.size(), 3U);
  EXPECT_EQ(outbox.counts().dropped, 3U) << "1 had been sent, but nobody acknowledged it";
  EXPECT_EQ(outbox.counts().acknowledged, 0U);
  EXPECT_THAT(send(outbox, 9), ElementsAre(4, 5, 6));
}

TEST(OutboxTest, GrowsBeyondItsBoundIfItBlocksPublishers) {
  Outbox outbox = outbox_of(OutboxPolicy::kBlock, 2);
  push(outbox, 101);
  EXPECT_FALSE(outbox.is_full());
  push(outbox, 102);
  EXPECT_TRUE(outbox.is_full());
  push(outbox, 103);
  EXPECT_THAT(send(outbox, 9), ElementsAre(1, 2, 3)) << "nothing is lost";
  EXPECT_THAT(outbox.acknowledge(2), Optional(2U));
  EXPECT_FALSE(outbox.is_full());
}

TEST(OutboxTest, KeepsOnlyTheNewestOfEachSource) {
  Outbox outbox = outbox_of(OutboxPolicy::kConflate, 10);
  push(outbox, 101, "/a");
  push(outbox, 102, "/b");
  push(outbox, 103, "/a");
  push(outbox, 104, "/a");
  const auto entries = outbox.peek(9);
  ASSERT_THAT(numbers(entries), ElementsAre(2, 4));
  EXPECT_THAT(entries[1].sequences, ElementsAre(104));
  EXPECT_EQ(outbox.counts().conflated, 2U);
  EXPECT_EQ(outbox.size(), 2U);
}

TEST(OutboxTest, DoesNotConflateWhatIsOnItsWay) {
  Outbox outbox = outbox_of(OutboxPolicy::kConflate, 10);
  push(outbox, 101, "/a");
  send(outbox, 1);
  push(outbox, 102, "/a");
  EXPECT_EQ(outbox.size(), 2U);
  outbox.rewind();
  EXPECT_THAT(send(outbox, 9), ElementsAre(1, 2));
}

TEST(OutboxTest, BoundsTheSourcesOfAConflatingOutbox) {
  Outbox outbox = outbox_of(OutboxPolicy::kConflate, 2);
  push(outbox, 101, "/a");
  push(outbox, 102, "/b");
  push(outbox, 103, "/c");
  EXPECT_THAT(numbers(outbox.peek(9)), ElementsAre(2, 3));
  EXPECT_EQ(outbox.counts().dropped, 1U);
}

TEST(OutboxTest, KeepsAGroupTogether) {
  Outbox outbox = outbox_of(OutboxPolicy::kConflate, 10);
  outbox.push(103, {.sequences = std::vector<std::uint64_t>{101, 103}, .source = "/a"});
  push(outbox, 104, "/a");
  const auto entries = outbox.peek(9);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_THAT(entries[0].sequences, ElementsAre(101, 103));
}

TEST(OutboxTest, AGroupOfOneEventStaysAGroupWithItsMarks) {
  Outbox outbox = outbox_of(OutboxPolicy::kConflate, 10);
  outbox.push(101,
              {.sequences = std::vector<std::uint64_t>{101}, .source = "/a", .is_group = true});
  outbox.push(103, {.sequences = std::vector<std::uint64_t>{101, 103},
                    .source = "/a",
                    .is_group = true,
                    .repeated = std::vector<std::uint32_t>{0}});
  push(outbox, 104, "/a");
  const auto entries = outbox.peek(9);
  ASSERT_EQ(entries.size(), 3U) << "nothing takes the place of a group";
  EXPECT_TRUE(entries[0].is_group);
  EXPECT_THAT(entries[0].sequences, ElementsAre(101));
  EXPECT_THAT(entries[1].repeated, ElementsAre(0));
  EXPECT_FALSE(entries[2].is_group);
}

TEST(OutboxTest, GoesOnAfterARestart) {
  Outbox outbox = outbox_of(OutboxPolicy::kDropOldest, 10);
  ASSERT_TRUE(outbox.restore_cursor({.settled_through = 7, .counts = {.acknowledged = 7}}));
  outbox.restore(8, 108, {.sequences = std::vector<std::uint64_t>{108}});
  const match::TextFinding text{std::make_shared<const match::TextShares>(), 0, 7};
  outbox.restore(10, 110, {.sequences = std::vector<std::uint64_t>{110}, .text = text});
  EXPECT_EQ(push(outbox, 111), 11U);
  const auto entries = outbox.peek(9);
  ASSERT_THAT(numbers(entries), ElementsAre(8, 10, 11));
  EXPECT_TRUE(entries[1].redelivered) << "it may have been sent";
  EXPECT_FALSE(entries[2].redelivered);
  EXPECT_EQ(outbox.oldest_matched_at(), 108U);
  EXPECT_FALSE(entries[0].text);
  EXPECT_EQ(entries[1].text, text);
  EXPECT_EQ(outbox.counts().expired, 1U) << "9: its note is gone with its event";
}

TEST(OutboxTest, SettlesInAnyOrderAndRemembersItOverARestart) {
  Outbox outbox = outbox_of(OutboxPolicy::kDropOldest, 10);
  for (std::uint64_t sequence = 101; sequence <= 106; ++sequence) push(outbox, sequence);
  EXPECT_TRUE(outbox.settle(3, Settled::kAcknowledged));
  EXPECT_FALSE(outbox.settle(3, Settled::kAcknowledged)) << "it is settled";
  EXPECT_TRUE(outbox.settle(5, Settled::kDeadLetter));
  EXPECT_FALSE(outbox.settle(7, Settled::kAcknowledged)) << "there is none";
  EXPECT_EQ(outbox.settled_through(), 0U);
  EXPECT_THAT(numbers(outbox.peek(9)), ElementsAre(1, 2, 4, 6));
  EXPECT_EQ(outbox.find(3), std::nullopt);
  EXPECT_EQ(outbox.find(4)->sequences.front(), 104U);

  store::CursorRow row;
  outbox.write_cursor(row);
  Outbox again = outbox_of(OutboxPolicy::kDropOldest, 10);
  ASSERT_TRUE(again.restore_cursor(row));
  for (std::uint64_t number = 1; number <= 6; ++number) {
    again.restore(number, 100 + number, {.sequences = std::vector{100 + number}});
  }
  EXPECT_THAT(numbers(again.peek(9)), ElementsAre(1, 2, 4, 6));
  EXPECT_TRUE(again.settle(1, Settled::kAcknowledged));
  EXPECT_TRUE(again.settle(2, Settled::kAcknowledged));
  EXPECT_EQ(again.settled_through(), 3U);
  EXPECT_EQ(again.counts(), (store::SettledCounts{.acknowledged = 3, .dead_letters = 1}));
}

TEST(OutboxTest, RefusesACursorWhoseCountsDoNotAddUp) {
  Outbox outbox = outbox_of(OutboxPolicy::kDropOldest, 10);
  EXPECT_FALSE(outbox.restore_cursor({.settled_through = 7, .counts = {.acknowledged = 6}}));
  EXPECT_FALSE(outbox.restore_cursor({.settled_through = 7, .settled_beyond = "x"}));
}

TEST(OutboxTest, AStuckDeliveryDoesNotKeepTheSettledOnesInMemory) {
  Outbox outbox = outbox_of(OutboxPolicy::kDropOldest, 10);
  push(outbox, 1);
  for (std::uint64_t sequence = 2; sequence <= 100'000; ++sequence) {
    outbox.settle(push(outbox, sequence), Settled::kAcknowledged);
  }
  EXPECT_EQ(outbox.size(), 1U);
  store::CursorRow row;
  outbox.write_cursor(row);
  EXPECT_LE(row.settled_beyond.size(), 6U) << "one range";
  Outbox again = outbox_of(OutboxPolicy::kDropOldest, 10);
  ASSERT_TRUE(again.restore_cursor(row));
  for (std::uint64_t number = 1; number <= 100'000; ++number) {
    again.restore(number, number, {.sequences = std::vector{number}});
  }
  EXPECT_EQ(again.size(), 1U);
  EXPECT_EQ(push(again, 100'001), 100'001U);
}

TEST(OutboxTest, ADeliveryExpiresWithItsNewestEvent) {
  Outbox outbox = outbox_of(OutboxPolicy::kDropOldest, 10);
  push(outbox, 101);
  outbox.push(104, {.sequences = std::vector<std::uint64_t>{99, 104}});
  push(outbox, 102);
  push(outbox, 105);
  EXPECT_EQ(outbox.oldest_sequence(), 101U);
  EXPECT_EQ(outbox.expire_before(104), 2U);
  EXPECT_THAT(numbers(outbox.peek(9)), ElementsAre(2, 4));
  EXPECT_EQ(outbox.counts().expired, 2U);
  EXPECT_EQ(outbox.expire_before(104), 0U);
}

TEST(OutboxTest, WhyATextMatchedStaysWithItsDelivery) {
  Outbox outbox = outbox_of(OutboxPolicy::kConflate, 2);
  const auto shares = std::make_shared<const match::TextShares>();
  const auto push_text = [&](std::uint64_t sequence, std::string_view source) {
    outbox.push(
        sequence,
        {.sequences = std::vector{sequence}, .source = source, .text = {shares, 0, sequence}});
  };
  push_text(101, "/a");
  push_text(102, "/b");
  push_text(103, "/a");
  push(outbox, 104, "/c");
  auto entries = outbox.peek(9);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].text.score, 103U);
  EXPECT_FALSE(entries[1].text);
  outbox.mark_sent(3);
  outbox.rewind();
  EXPECT_EQ(outbox.peek(1)[0].text.score, 103U);
}

TEST(OutboxTest, AppliesNewBounds) {
  Outbox outbox = outbox_of(OutboxPolicy::kBlock, 10);
  for (std::uint64_t sequence = 101; sequence <= 105; ++sequence) push(outbox, sequence);
  outbox.set_bounds(OutboxPolicy::kDropOldest, 2);
  EXPECT_THAT(numbers(outbox.peek(9)), ElementsAre(4, 5));
  EXPECT_EQ(outbox.counts().dropped, 3U);
}

class OutboxMemoryTest : public testing::Test {
 protected:
  Outbox make(OutboxPolicy policy, std::size_t bytes_max) {
    account_ = std::make_shared<base::MemoryShare>(bytes_max, nullptr);
    return Outbox({.policy = policy, .count_max = 1'000'000, .memory = account_});
  }
  std::shared_ptr<base::MemoryShare> account_;
};

TEST_F(OutboxMemoryTest, DropsTheOldestForLackOfMemory) {
  Outbox outbox = make(OutboxPolicy::kDropOldest, 2400);
  for (std::uint64_t sequence = 1; sequence <= 1000; ++sequence) push(outbox, sequence);
  EXPECT_EQ(outbox.size(), 100U) << "24 bytes each";
  EXPECT_EQ(outbox.peek(1).front().number, 901U);
  EXPECT_EQ(outbox.counts().dropped, 900U);
  EXPECT_LE(account_->bytes(), 2400U);
  outbox.mark_sent(1000);
  outbox.acknowledge(1000);
  EXPECT_EQ(account_->bytes(), 0U);
}

TEST_F(OutboxMemoryTest, OneThatBlocksGrowsAndSaysThatItIsFull) {
  Outbox outbox = make(OutboxPolicy::kBlock, 2400);
  for (std::uint64_t sequence = 1; sequence <= 99; ++sequence) push(outbox, sequence);
  EXPECT_FALSE(outbox.is_full());
  for (std::uint64_t sequence = 100; sequence <= 110; ++sequence) push(outbox, sequence);
  EXPECT_TRUE(outbox.is_full());
  EXPECT_EQ(outbox.size(), 110U);
  outbox.mark_sent(110);
  outbox.acknowledge(50);
  EXPECT_FALSE(outbox.is_full());
}

TEST_F(OutboxMemoryTest, ASmallOneIsNeverShortOfMemory) {
  Outbox outbox = make(OutboxPolicy::kDropOldest, 2400);
  account_->take(2400);
  for (std::uint64_t sequence = 1; sequence <= 100; ++sequence) push(outbox, sequence);
  EXPECT_EQ(outbox.size(), Outbox::kBytesMin / 24);
  EXPECT_EQ(outbox.peek(100).back().number, 100U) << "the newest are kept";
}

TEST_F(OutboxMemoryTest, AGroupThatDoesNotFitIsDroppedItself) {
  Outbox outbox = make(OutboxPolicy::kDropOldest, 4000);
  push(outbox, 1);
  const std::vector<std::uint64_t> group(1000, 7);
  EXPECT_EQ(outbox.push(7, {.sequences = group, .is_group = true}), 2U);
  EXPECT_EQ(outbox.size(), 0U);
  EXPECT_EQ(outbox.counts().dropped, 2U);
  EXPECT_EQ(outbox.settled_through(), 2U);
  EXPECT_EQ(account_->bytes(), 0U);
}

TEST_F(OutboxMemoryTest, ScoresOfATextAreCountedOnceForTheDeliveriesOfAnEvent) {
  Outbox outbox = make(OutboxPolicy::kDropOldest, 100'000);
  TextShareHolds holds;
  auto shares = std::make_shared<match::TextShares>();
  for (int i = 0; i < 100; ++i) shares->terms[std::string(50, 'x') + std::to_string(i)] = 1;
  const match::TextFinding text{shares, 0, 1};
  const std::size_t bytes = TextShareHolds::bytes_of(*shares);
  for (std::uint64_t sequence = 1; sequence <= 10; ++sequence) {
    outbox.push(sequence, {.sequences = std::vector{sequence},
                           .text = text,
                           .text_memory = holds.hold(text, account_)});
  }
  holds.clear();
  EXPECT_GT(account_->bytes(), bytes);
  EXPECT_LT(account_->bytes(), bytes + 2000);
  outbox.mark_sent(10);
  outbox.acknowledge(9);
  EXPECT_GT(account_->bytes(), bytes);
  outbox.acknowledge(10);
  EXPECT_EQ(account_->bytes(), 0U);
}

// Whatever happens, memory is counted as long as it is held, and stays within its limit.
TEST_F(OutboxMemoryTest, CountsWhatItHolds) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    const auto policy = prng.chance(0.5) ? OutboxPolicy::kDropOldest : OutboxPolicy::kConflate;
    Outbox outbox = make(policy, 3000 + prng.below(20'000));
    const auto shares = std::make_shared<const match::TextShares>();
    for (int step = 0; step < 2000; ++step) {
      const std::uint64_t action = prng.below(20);
      if (action < 12) {
        const std::vector<std::uint64_t> group(1 + prng.below(prng.chance(0.1) ? 100 : 2), 7);
        const std::string source(1 + prng.below(60), static_cast<char>('a' + prng.below(20)));
        outbox.push(7, {.sequences = group,
                        .source = source,
                        .text = prng.chance(0.2) ? match::TextFinding{shares, 0, 1}
                                                 : match::TextFinding{}});
      } else if (action < 15) {
        send(outbox, 1 + prng.below(20));
      } else if (action < 18) {
        outbox.settle(1 + prng.below(outbox.last_number() + 1), Settled::kAcknowledged);
      } else if (action < 19) {
        outbox.acknowledge(prng.below(outbox.sent_through() + 1));
      } else {
        outbox.set_bytes_beside(prng.below(100));
      }
      // Ranges of settled deliveries are counted when they arise, and make room at the next push.
      const std::size_t ranges_bytes = 64 * (outbox.size() + 1);
      ASSERT_EQ(account_->bytes(), outbox.memory_bytes());
      ASSERT_LE(account_->bytes(), account_->bytes_max() + ranges_bytes + 400) << step;
      ASSERT_GE(account_->bytes(), 24 * outbox.size());
      ASSERT_EQ(outbox.last_number(), outbox.size() + outbox.counts().total());
    }
    outbox.set_bytes_beside(0);
    outbox.mark_sent(outbox.last_number());
    outbox.acknowledge(outbox.last_number());
    ASSERT_EQ(account_->bytes(), 0U);
  }
}

// The same as a plain list does, for any order of calls.
TEST(OutboxTest, AgreesWithAPlainList) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    const auto policy = static_cast<OutboxPolicy>(prng.below(3));
    Outbox outbox = outbox_of(policy, 5);
    std::vector<std::pair<std::uint64_t, std::string>>
        model;  // number and source, not acknowledged
    std::uint64_t last = 0;
    std::uint64_t position = 0;
    std::uint64_t sent = 0;
    std::uint64_t acknowledged = 0;
    for (int step = 0; step < 400; ++step) {
      const std::uint64_t action = prng.below(10);
      if (action < 5) {
        const std::string source(1, static_cast<char>('a' + prng.below(4)));
        ++last;
        ASSERT_EQ(push(outbox, 1000 + last, source), last);
        if (policy == OutboxPolicy::kConflate) {
          // The newest of that source gives way, unless it is on its way.
          const auto older = std::ranges::find(model.rbegin(), model.rend(), source,
                                               &std::pair<std::uint64_t, std::string>::second);
          if (older != model.rend() && older->first > position) {
            model.erase(std::next(older).base());
          }
        }
        while (policy != OutboxPolicy::kBlock && model.size() >= 5) {
          acknowledged = model.front().first;
          model.erase(model.begin());
        }
        model.emplace_back(last, source);
      } else if (action < 7) {
        std::vector<std::uint64_t> expected;
        for (const auto& [number, source] : model) {
          if (number > position && expected.size() < 2) expected.push_back(number);
        }
        ASSERT_EQ(send(outbox, 2), expected);
        if (!expected.empty()) position = expected.back();
        sent = std::max(sent, position);
      } else if (action < 9) {
        const std::uint64_t number = prng.below(last + 2);
        ASSERT_EQ(outbox.acknowledge(number).has_value(), number <= sent);
        if (number > sent) continue;
        std::erase_if(model, [&](const auto& entry) { return entry.first <= number; });
        acknowledged = std::max(acknowledged, number);
        position = std::max(position, number);
      } else {
        outbox.rewind();
        position = acknowledged;
      }
      ASSERT_EQ(outbox.size(), model.size()) << step;
      ASSERT_EQ(outbox.settled_through(), model.empty() ? last : model.front().first - 1) << step;
      ASSERT_EQ(outbox.last_number(), outbox.size() + outbox.counts().total()) << step;
    }
  }
}

}  // namespace
}  // namespace weir::broker
