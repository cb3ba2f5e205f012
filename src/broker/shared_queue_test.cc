// SPDX-License-Identifier: Apache-2.0
#include "broker/shared_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/prng.h"

namespace weir::broker {
namespace {

using base::Duration;
using base::Instant;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

Instant at(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

// What goes out now, as "consumer:number", with "!" behind a redelivered one.
std::vector<std::string> offers(SharedQueue& queue, Instant now, std::size_t count_max = 100) {
  std::vector<std::string> out;
  while (out.size() < count_max) {
    const auto offer = queue.next(now);
    if (!offer) break;
    out.push_back(std::to_string(offer->consumer) + ":" + std::to_string(offer->number) +
                  (offer->redelivered ? "!" : ""));
  }
  return out;
}

SharedQueue queue_of(std::size_t consumer_count, std::uint64_t credit,
                     SharedQueue::Options options = {}) {
  SharedQueue queue(options);
  for (std::size_t id = 1; id <= consumer_count; ++id) {
    queue.add_consumer(id);
    queue.add_credit(id, credit);
  }
  return queue;
}

TEST(SharedQueueTest, GivesEachDeliveryToOneConsumerInTurn) {
  SharedQueue queue = queue_of(2, 10);
  for (std::uint64_t number = 1; number <= 4; ++number) queue.admit({.number = number});
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("1:1", "2:2", "1:3", "2:4"));
  EXPECT_TRUE(queue.wants_more());
  EXPECT_THAT(queue.holder(3), Optional(1U));
  queue.settle(3);
  EXPECT_EQ(queue.holder(3), std::nullopt);
  EXPECT_EQ(queue.in_flight_count(), 3U);
}

TEST(SharedQueueTest, GivesNothingWithoutCreditOrBeyondWhatOneMayHave) {
  SharedQueue queue = queue_of(2, 1);
  for (std::uint64_t number = 1; number <= 4; ++number) queue.admit({.number = number});
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("1:1", "2:2"));
  EXPECT_FALSE(queue.wants_more());
  SharedQueue bounded = queue_of(1, 10, {.in_flight_max = 2});
  for (std::uint64_t number = 1; number <= 4; ++number) bounded.admit({.number = number});
  EXPECT_THAT(offers(bounded, at(0)), ElementsAre("1:1", "1:2"));
  bounded.settle(2);
  EXPECT_THAT(offers(bounded, at(0)), ElementsAre("1:3"));
}

TEST(SharedQueueTest, GivesWhatAConsumerHadToAnotherOne) {
  SharedQueue queue = queue_of(2, 10);
  for (std::uint64_t number = 1; number <= 4; ++number) queue.admit({.number = number});
  offers(queue, at(0));
  EXPECT_THAT(queue.remove_consumer(1), ElementsAre(1, 3));
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("2:1!", "2:3!"));
}

TEST(SharedQueueTest, KeepsTheOrderOfAKey) {
  SharedQueue queue = queue_of(3, 10);
  for (const std::uint64_t number : {1U, 2U, 3U}) queue.admit({.number = number, .key = 7});
  queue.admit({.number = 4, .key = 8});
  queue.admit({.number = 5});
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("1:1", "2:4", "3:5"));
  queue.give_back(1, std::nullopt);
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("1:1!")) << "goes first again";
  queue.settle(1);
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("1:2"));
  queue.remove_consumer(1);
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("2:2!"));
  queue.settle(2);
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("3:3"));
}

TEST(SharedQueueTest, HoldsBackWhatWasRefusedWithADelay) {
  SharedQueue queue = queue_of(1, 10);
  queue.admit({.number = 1});
  queue.admit({.number = 2});
  offers(queue, at(0));
  queue.give_back(1, at(5));
  EXPECT_THAT(offers(queue, at(4)), IsEmpty());
  EXPECT_EQ(queue.next_wake(), at(5));
  EXPECT_THAT(offers(queue, at(5)), ElementsAre("1:1!"));
  EXPECT_EQ(queue.attempt_count(1), 2U);
}

TEST(SharedQueueTest, PassesADeadlineToAnotherConsumerAndTriesTheSilentOneWithOneDelivery) {
  SharedQueue queue = queue_of(1, 10);
  for (std::uint64_t number = 1; number <= 3; ++number) queue.admit({.number = number});
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("1:1", "1:2", "1:3"));
  EXPECT_EQ(queue.next_wake(), at(30));
  EXPECT_THAT(queue.time_out(at(29)), IsEmpty());
  EXPECT_THAT(queue.time_out(at(30)), ElementsAre(1, 2, 3));
  queue.add_consumer(2);
  queue.add_credit(2, 2);
  EXPECT_THAT(offers(queue, at(30)), ElementsAre("2:1!", "2:2!", "1:3!"));
  queue.admit({.number = 4});
  EXPECT_THAT(offers(queue, at(30)), IsEmpty()) << "the silent one has one to answer for";
  queue.settle(3);
  EXPECT_THAT(offers(queue, at(30)), ElementsAre("1:4"));
}

TEST(SharedQueueTest, ForgetsWhatTheOutboxDropped) {
  SharedQueue queue = queue_of(1, 2);
  for (const std::uint64_t number : {1U, 2U, 3U}) queue.admit({.number = number, .key = 7});
  offers(queue, at(0));
  queue.settle_through(2);
  EXPECT_EQ(queue.in_flight_count(), 0U);
  EXPECT_THAT(offers(queue, at(0)), ElementsAre("1:3"));
}

TEST(SharedQueueTest, LooksAheadNoFurtherThanItMay) {
  SharedQueue queue = queue_of(1, 10, {.waiting_count_max = 2});
  std::uint64_t number = 0;
  queue.admit({.number = ++number, .key = 7});
  offers(queue, at(0));
  while (queue.wants_more()) queue.admit({.number = ++number, .key = 7});
  EXPECT_EQ(number, 3U);
}

// The same by definition: looks at everything each time.
class Model {
 public:
  struct Known {
    std::optional<std::uint64_t> key;
    bool sent = false;
    std::optional<std::uint64_t> holder = {};
    Instant due = {};  // the deadline if it is held, else when it may go out
  };

  // The number that must go out next; nullopt: none may.
  std::optional<std::uint64_t> next(Instant now) const {
    for (const auto& [number, known] : pending) {
      if (!known.holder && known.due <= now && is_first(number, known)) return number;
    }
    return std::nullopt;
  }

  std::map<std::uint64_t, Known> pending;

 private:
  bool is_first(std::uint64_t number, const Known& known) const {
    return !known.key || std::ranges::none_of(pending, [&](const auto& other) {
      return other.first < number && other.second.key == known.key;
    });
  }
};

// A schedule of everything that can happen, on a queue and on the model.
class Schedule {
 public:
  explicit Schedule(std::uint64_t seed)
      : prng_(seed),
        key_count_(1 + prng_.below(6)),
        in_flight_max_(1 + prng_.below(4)),
        queue_({.acknowledge_within = Duration::seconds(10), .in_flight_max = in_flight_max_}) {}

  void step() {
    const std::uint64_t choice = prng_.below(100);
    if (choice < 25) {
      admit();
    } else if (choice < 60) {
      offer();
    } else if (choice < 75) {
      answer();
    } else if (choice < 82) {
      consumer_comes();
    } else if (choice < 86) {
      consumer_goes();
    } else if (choice < 92) {
      credit();
    } else if (choice < 97) {
      pass_time();
    } else {
      drop();
    }
    check();
  }

  // One consumer that acknowledges everything gets all that is left.
  void drain() {
    while (!credits_.empty()) remove(credits_.begin()->first);
    consumer_comes();
    while (!model_.pending.empty()) {
      now_ = now_ + Duration::seconds(100);
      time_out();
      credits_.begin()->second += 1000;
      queue_.add_credit(credits_.begin()->first, 1000);
      const std::size_t before = model_.pending.size();
      while (offer()) {
      }
      const auto held = numbers([](const auto& known) { return known.holder.has_value(); });
      for (const std::uint64_t number : held) settle(number);
      ASSERT_LT(model_.pending.size(), before) << "a delivery is never offered";
    }
    EXPECT_EQ(queue_.waiting_count(), 0U);
  }

 private:
  void admit() {
    const bool keyed = prng_.chance(0.7);
    const auto key = keyed ? std::optional(prng_.below(key_count_)) : std::nullopt;
    const bool was_sent = prng_.chance(0.1);
    last_number_ += 1 + prng_.below(2);
    queue_.admit({.number = last_number_, .key = key, .was_sent = was_sent});
    model_.pending[last_number_] = {.key = key, .sent = was_sent};
  }

  bool offer() {
    const auto expected = model_.next(now_);
    const bool can_take = std::ranges::any_of(
        credits_, [&](const auto& consumer) { return may_take(consumer.first); });
    const auto offered = queue_.next(now_);
    EXPECT_EQ(offered.has_value(), expected && can_take);
    if (!offered) return false;
    EXPECT_EQ(offered->number, expected);
    Model::Known& known = model_.pending.at(offered->number);
    EXPECT_EQ(known.holder, std::nullopt) << "two consumers hold " << offered->number;
    EXPECT_EQ(offered->redelivered, known.sent);
    EXPECT_TRUE(may_take(offered->consumer));
    --credits_.at(offered->consumer);
    known = {known.key, true, offered->consumer, now_ + Duration::seconds(10)};
    return true;
  }

  bool may_take(std::uint64_t id) const {
    const std::size_t most = late_.contains(id) ? 1 : in_flight_max_;
    const auto has = std::ranges::count_if(
        model_.pending, [&](const auto& known) { return known.second.holder == id; });
    return credits_.at(id) > 0 && static_cast<std::size_t>(has) < most;
  }

  template <typename Choose>
  std::vector<std::uint64_t> numbers(Choose&& choose) const {
    std::vector<std::uint64_t> out;
    for (const auto& [number, known] : model_.pending) {
      if (choose(known)) out.push_back(number);
    }
    return out;
  }

  void answer() {
    const auto held = numbers([](const auto& known) { return known.holder.has_value(); });
    if (held.empty()) return;
    const std::uint64_t number = held[prng_.below(held.size())];
    if (prng_.chance(0.6)) return settle(number);
    Model::Known& known = model_.pending.at(number);
    late_.erase(*known.holder);
    known.holder.reset();
    if (prng_.chance(0.5)) {
      known.due = now_ + Duration::seconds(static_cast<std::int64_t>(1 + prng_.below(20)));
      queue_.give_back(number, known.due);
    } else {
      known.due = {};
      queue_.give_back(number, std::nullopt);
    }
  }

  void settle(std::uint64_t number) {
    late_.erase(*model_.pending.at(number).holder);
    queue_.settle(number);
    model_.pending.erase(number);
  }

  void consumer_comes() {
    queue_.add_consumer(++last_consumer_);
    credits_[last_consumer_] = 0;
  }

  void consumer_goes() {
    if (credits_.empty()) return;
    remove(std::next(credits_.begin(), static_cast<std::ptrdiff_t>(prng_.below(credits_.size())))
               ->first);
  }

  void remove(std::uint64_t id) {
    const auto had = numbers([&](const auto& known) { return known.holder == id; });
    EXPECT_EQ(queue_.remove_consumer(id), had);
    for (const std::uint64_t number : had) {
      model_.pending.at(number).holder.reset();
      model_.pending.at(number).due = {};
    }
    credits_.erase(id);
    late_.erase(id);
  }

  void credit() {
    for (auto& [id, credit] : credits_) {
      const std::uint64_t more = prng_.below(4);
      queue_.add_credit(id, more);
      credit += more;
    }
  }

  void pass_time() {
    now_ = now_ + Duration::seconds(static_cast<std::int64_t>(prng_.below(8)));
    time_out();
  }

  void time_out() {
    const auto late = numbers([&](const auto& known) { return known.holder && known.due <= now_; });
    auto told = queue_.time_out(now_);
    std::ranges::sort(told);
    EXPECT_EQ(told, late);
    EXPECT_GT(queue_.next_wake().value_or(now_ + Duration::seconds(1)), now_);
    for (const std::uint64_t number : late) {
      late_.insert(*model_.pending.at(number).holder);
      model_.pending.at(number).holder.reset();
      model_.pending.at(number).due = {};
    }
  }

  void drop() {
    if (model_.pending.empty()) return;
    const std::uint64_t through = model_.pending.begin()->first + prng_.below(3);
    queue_.settle_through(through);
    model_.pending.erase(model_.pending.begin(), model_.pending.upper_bound(through));
  }

  void check() {
    const auto held = numbers([](const auto& known) { return known.holder.has_value(); });
    ASSERT_EQ(queue_.in_flight_count(), held.size());
    ASSERT_EQ(queue_.waiting_count(), model_.pending.size() - held.size());
    for (const auto& [number, known] : model_.pending) {
      ASSERT_EQ(queue_.holder(number), known.holder);
    }
    std::optional<Instant> wake;
    for (const auto& [number, known] : model_.pending) {
      if (known.due <= now_ && !known.holder) continue;
      wake = wake ? std::min(*wake, known.due) : known.due;
    }
    if (wake) {
      ASSERT_LE(queue_.next_wake(), wake) << "and not a nullopt";
      ASSERT_TRUE(queue_.next_wake());
    }
  }

  base::Prng prng_;
  std::uint64_t key_count_;
  std::size_t in_flight_max_;
  SharedQueue queue_;
  Model model_;
  Instant now_ = at(1);
  std::uint64_t last_number_ = 0;
  std::uint64_t last_consumer_ = 0;
  std::map<std::uint64_t, std::uint64_t> credits_;
  std::set<std::uint64_t> late_;  // consumers that let a deadline pass
};

TEST(SharedQueueTest, DoesAsTheDefinitionSaysWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Schedule schedule(seed);
    for (int i = 0; i < 400; ++i) {
      schedule.step();
      if (testing::Test::HasFailure()) return;
    }
    schedule.drain();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace weir::broker
