// SPDX-License-Identifier: Apache-2.0
#include "broker/webhook_turns.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/seed_count_testing.h"

namespace weir::broker {
namespace {

using base::Duration;
using base::Instant;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration kQuickTime = Duration::seconds(1);
constexpr Duration kTimeout = Duration::seconds(30);

// Parties are "owner/host".
class WebhookTurnsTest : public testing::Test {
 protected:
  std::vector<std::string> ask(const std::vector<std::string>& parties) {
    for (const std::string& text : parties) {
      const std::size_t slash = text.find('/');
      names_[turns_.ask({text.substr(0, slash), text.substr(slash + 1)})] = text;
    }
    return served();
  }
  std::vector<std::string> served() {
    std::vector<std::string> names;
    while (const auto turn = turns_.next(now_)) {
      names.push_back(names_[turn->ticket]);
      held_.emplace(names.back(), turn->ticket);
    }
    return names;
  }
  std::vector<std::string> end(const std::string& party, Duration after, bool is_answered) {
    now_ = now_ + after;
    const auto found = held_.find(party);
    turns_.end(found->second, is_answered, now_);
    held_.erase(found);
    return served();
  }
  std::vector<std::string> answer(const std::string& party) {
    return end(party, Duration::milliseconds(5), true);
  }
  std::vector<std::string> hang(const std::string& party) { return end(party, kQuickTime, false); }
  // Makes it a host that answers.
  void know(const std::string& party) {
    ASSERT_THAT(ask({party}), ElementsAre(party));
    ASSERT_THAT(answer(party), IsEmpty());
  }

  WebhookTurns turns_{{.count = 8, .per_owner = 4, .per_host = 2, .quick_time = kQuickTime}};
  Instant now_{1'000'000'000'000};
  std::map<WebhookTurns::Ticket, std::string> names_;
  std::multimap<std::string, WebhookTurns::Ticket> held_;
};

TEST_F(WebhookTurnsTest, AHostThatHasHungTwiceHasOneTurnAtATime) {
  for (int i = 0; i < 2; ++i) {
    ask({"a/h"});
    hang("a/h");
  }
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(ask({"a/h"}), ElementsAre("a/h"));
    answer("a/h");
  }
  EXPECT_THAT(ask({"a/h", "a/h"}), ElementsAre("a/h")) << "it is quick again, but not trusted";
}

TEST_F(WebhookTurnsTest, TimeOfAHostInDebtCountsMore) {
  for (const char* const host : {"a/hangs", "a/hangs", "a/holds"}) {
    ask({host});
    hang(host);
  }
  ask({"a/late"});
  end("a/late", Duration::seconds(3), true);
  ASSERT_THAT(ask({"a/holds"}), ElementsAre("a/holds"));
  ASSERT_THAT(ask({"a/hangs", "a/late"}), IsEmpty()) << "one slow host of four slots";
  EXPECT_THAT(answer("a/holds"), ElementsAre("a/late"))
      << "three seconds twice, not two four times";
}

TEST_F(WebhookTurnsTest, NewHostsHaveAShareOfTheirOwn) {
  know("a/q");
  EXPECT_THAT(ask({"a/1", "a/2", "a/3", "a/4"}), ElementsAre("a/1", "a/2")) << "of four slots";
  EXPECT_THAT(ask({"a/q", "a/q"}), ElementsAre("a/q", "a/q"));
  EXPECT_THAT(ask({"b/1"}), ElementsAre("b/1")) << "another owner";
  EXPECT_THAT(answer("a/2"), ElementsAre("a/3"));
}

TEST_F(WebhookTurnsTest, AHostHasOneTurnUntilItIsKnown) {
  EXPECT_THAT(ask({"a/1", "a/1", "a/1", "b/1"}), ElementsAre("a/1", "b/1"));
  EXPECT_THAT(answer("a/1"), ElementsAre("a/1", "a/1")) << "two at a time is the limit of a host";
  EXPECT_THAT(ask({"a/1"}), IsEmpty());
}

TEST_F(WebhookTurnsTest, SlowHostsHaveAShareOfTheirOwn) {
  EXPECT_THAT(ask({"a/1", "a/2"}), ElementsAre("a/1", "a/2"));
  for (const char* const party : {"a/1", "a/2"}) EXPECT_THAT(hang(party), IsEmpty());
  EXPECT_THAT(ask({"a/1", "a/2"}), ElementsAre("a/1")) << "one of four slots";
  EXPECT_THAT(ask({"a/4", "a/5", "a/6"}), ElementsAre("a/4", "a/5"))
      << "new ones do not wait for it";
  EXPECT_THAT(end("a/1", kTimeout, false), ElementsAre("a/2")) << "turn by turn";
}

TEST_F(WebhookTurnsTest, AHostThatAnswersLateComesBeforeOneThatHangs) {
  EXPECT_THAT(ask({"a/late", "a/hangs"}), ElementsAre("a/late", "a/hangs"));
  EXPECT_THAT(hang("a/late"), IsEmpty());
  EXPECT_THAT(hang("a/hangs"), IsEmpty());
  EXPECT_THAT(ask({"a/late", "a/hangs"}), ElementsAre("a/late"));
  EXPECT_THAT(end("a/late", Duration::seconds(3), true), ElementsAre("a/hangs"));
  EXPECT_THAT(ask({"a/late"}), IsEmpty());
  EXPECT_THAT(end("a/hangs", kTimeout, false), ElementsAre("a/late"));
  EXPECT_THAT(ask({"a/hangs"}), IsEmpty());
  for (int i = 0; i < 5; ++i) {
    ASSERT_THAT(ask({"a/late"}), IsEmpty());
    ASSERT_THAT(end("a/late", Duration::seconds(3), true), ElementsAre("a/late")) << i;
  }
}

TEST_F(WebhookTurnsTest, AHostThatHangsAgainHasToAnswerMoreOften) {
  const auto answers_until_quick = [&] {
    for (int count = 0;; ++count) {
      const auto ticket = turns_.ask({"a", "liar"});
      const auto turn = turns_.next(now_);
      EXPECT_EQ(turn->ticket, ticket);
      const bool is_slow = turn->pace == WebhookTurns::Pace::kSlow;
      now_ = now_ + (is_slow ? Duration::milliseconds(1) : kQuickTime);
      turns_.end(ticket, is_slow, now_);
      if (!is_slow) return count;
    }
  };
  std::vector<int> counts;
  for (int i = 0; i < 8; ++i) counts.push_back(answers_until_quick());
  EXPECT_THAT(counts, ElementsAre(0, 1, 3, 7, 15, 31, 63, 63));
}

TEST_F(WebhookTurnsTest, ManyPromptAnswersAreForgiven) {
  ask({"a/1"});
  hang("a/1");
  for (int i = 0; i < 100; ++i) {
    ask({"a/1"});
    answer("a/1");
  }
  ask({"a/1"});
  hang("a/1");
  ask({"a/1"});
  answer("a/1");
  EXPECT_THAT(ask({"a/1", "a/1"}), ElementsAre("a/1", "a/1")) << "quick again after one answer";
}

TEST_F(WebhookTurnsTest, AnOwnerAlwaysHasOne) {
  EXPECT_THAT(ask({"a/1", "a/2", "a/3", "b/1", "b/2", "b/3", "c/1", "d/1", "/1"}),
              ElementsAre("a/1", "b/1", "c/1", "d/1"))
      << "there are three slots for new hosts in all";
  EXPECT_THAT(ask({"e/1"}), ElementsAre("e/1"));
  EXPECT_THAT(ask({"a/4"}), IsEmpty());
  EXPECT_THAT(answer("a/1"), ElementsAre("a/2")) << "it has none";
}

TEST_F(WebhookTurnsTest, AnonymousHostsAreOwnersOfTheirOwn) {
  for (int i = 0; i < 3; ++i) know("/known");
  EXPECT_THAT(ask({"/1", "/2", "/3", "/4", "/5", "/6", "/7"}), ElementsAre("/1", "/2", "/3"));
  EXPECT_THAT(ask({"/known", "/known", "/known"}), ElementsAre("/known", "/known"));
  EXPECT_THAT(hang("/3"), ElementsAre("/4"));
}

TEST_F(WebhookTurnsTest, OneThatIsWithdrawnIsNotServed) {
  EXPECT_THAT(ask({"a/1"}), ElementsAre("a/1"));
  const auto ticket = turns_.ask({"a", "1"});
  EXPECT_EQ(turns_.why_waits(ticket),
            "1 requests to its host are under way, the limit until it has answered once");
  turns_.withdraw(ticket);
  EXPECT_THAT(answer("a/1"), IsEmpty());
}

TEST_F(WebhookTurnsTest, TellsWhatIsInTheWay) {
  ask({"a/1", "a/2"});
  EXPECT_EQ(turns_.why_waits(turns_.ask({"a", "4"})),
            "2 requests of its owner are under way, the limit for hosts that are new");
  ask({"b/1", "b/2"});
  EXPECT_EQ(turns_.why_waits(turns_.ask({"", "x"})),
            "3 requests to all sinks are under way, the limit for hosts that are new");
}

// Sinks of one owner and of others in virtual time, most of them hostile. The broker keeps to the
// time of each turn; the tally of this test is its own.
class Simulation {
 public:
  enum class Kind : std::uint8_t { kHealthy, kHangs, kLate, kLiar };

  explicit Simulation(std::uint64_t seed) : prng_(seed) {
    limits_ = {.count = 8 + prng_.below(57),
               .per_owner = 4 + prng_.below(13),
               .per_host = 1 + prng_.below(8),
               .quick_time = kQuickTime};
    limits_.per_owner = std::min(limits_.per_owner, limits_.count);
    turns_.emplace(limits_);
  }

  void run() {
    // The hostile ones come first, the healthy ones when the others have all asked.
    const std::size_t hostile_count = 20 + prng_.below(180);
    for (std::size_t i = 0; i < hostile_count; ++i) {
      constexpr std::array kKinds = {Kind::kHangs, Kind::kHangs, Kind::kLate, Kind::kLiar};
      const Kind kind = kKinds[prng_.below(kKinds.size())];
      add("owner", fmt::format("hostile{}", i), kind);
    }
    for (int i = 0; i < 3; ++i) add("", fmt::format("anonymous{}", i), Kind::kHangs);
    const std::size_t own = add("owner", "healthy", Kind::kHealthy);
    const std::size_t other = add("other", "healthy", Kind::kHealthy);
    while (!events_.empty() && now_ < Instant{} + Duration::seconds(600)) step();
    // New hosts of an owner have at least this many slots, of which each is free within the time.
    const std::size_t fresh =
        std::max<std::size_t>(1, std::min(part(limits_.per_owner), part(limits_.count)));
    const std::size_t rounds = 2 + (hostile_count + 3) / fresh;
    EXPECT_LE(sinks_[own].first_wait.nanoseconds,
              static_cast<std::int64_t>(rounds) * kQuickTime.nanoseconds)
        << hostile_count << " before it, " << fresh << " slots";
    EXPECT_EQ(sinks_[other].first_wait, Duration{});
    for (const std::size_t healthy : {own, other}) {
      EXPECT_LE(sinks_[healthy].later_wait, Duration::seconds(5));
      EXPECT_GT(sinks_[healthy].served_count, 1000U);
    }
    for (const Sink& sink : sinks_) {
      EXPECT_GT(sink.served_count, 0U) << "nobody is left out: " << sink.host;
    }
  }

 private:
  struct Sink {
    std::string owner;
    std::string host;
    Kind kind;
    Instant asked = {};
    Duration first_wait = {};
    Duration later_wait = {};
    std::uint64_t served_count = 0;
    bool is_answered = false;
    WebhookTurns::Pace pace = {};
  };
  // What happens at an instant: a sink asks, or its turn ends.
  struct Event {
    Instant at;
    std::uint64_t order;
    std::size_t sink;
    std::optional<WebhookTurns::Ticket> ends;
    bool operator<(const Event& other) const {
      return std::pair(at, order) > std::pair(other.at, other.order);
    }
  };

  std::int64_t below(std::uint64_t bound) { return static_cast<std::int64_t>(prng_.below(bound)); }
  // As the header has it.
  static std::size_t slow_part(std::size_t count) {
    return std::max<std::size_t>(1, count * 3 / 8);
  }
  static std::size_t part(std::size_t count) { return count - count / 4 - slow_part(count); }

  std::size_t add(std::string owner, std::string host, Kind kind) {
    sinks_.push_back({std::move(owner), std::move(host), kind});
    post(now_, sinks_.size() - 1, std::nullopt);
    return sinks_.size() - 1;
  }
  void post(Instant at, std::size_t sink, std::optional<WebhookTurns::Ticket> ends) {
    events_.push({at, ++order_, sink, ends});
  }

  void step() {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    Sink& sink = sinks_[event.sink];
    if (event.ends) {
      turns_->end(*event.ends, sink.is_answered, now_);
      tally(sink, -1);
      const bool pauses = sink.kind != Kind::kHealthy && prng_.below(2) == 0;
      post(now_ + Duration::milliseconds(pauses ? below(2000) : 1), event.sink, std::nullopt);
    } else {
      sink.asked = now_;
      asked_by_[turns_->ask({sink.owner, sink.host})] = event.sink;
    }
    while (const auto turn = turns_->next(now_)) begin(*turn);
  }

  void begin(const WebhookTurns::Turn& turn) {
    const std::size_t index = asked_by_.at(turn.ticket);
    asked_by_.erase(turn.ticket);
    Sink& sink = sinks_[index];
    const Duration waited = now_ - sink.asked;
    if (sink.served_count++ == 0) {
      sink.first_wait = waited;
    } else {
      sink.later_wait = std::max(sink.later_wait, waited);
    }
    sink.pace = turn.pace;
    tally(sink, 1);
    const bool is_slow = turn.pace == WebhookTurns::Pace::kSlow;
    const Duration time_max = is_slow ? kTimeout : kQuickTime;
    Duration needed = Duration::milliseconds(1 + below(20));
    if (sink.kind == Kind::kHangs) needed = Duration::seconds(3600);
    if (sink.kind == Kind::kLate) needed = Duration::seconds(3);
    // Answers where that makes it quick, and hangs when it is.
    if (sink.kind == Kind::kLiar && !is_slow && sink.served_count > 1) needed = kTimeout;
    sink.is_answered = needed < time_max;
    post(now_ + std::min(needed, time_max), index, turn.ticket);
  }

  // The limits, counted by this test.
  void tally(const Sink& sink, int change) {
    const bool is_slow = sink.pace == WebhookTurns::Pace::kSlow;
    const bool is_quick = sink.pace == WebhookTurns::Pace::kQuick;
    const std::string owner = sink.owner.empty() ? sink.host : sink.owner;
    const auto check = [&](Tally& tally, std::size_t limit, std::size_t besides) {
      tally.held += change;
      if (is_slow) tally.slow += change;
      if (!is_quick && !is_slow) tally.fresh += change;
      if (change < 0) return;
      const int most = static_cast<int>(limit + besides);
      ASSERT_LE(tally.held, most);
      ASSERT_LE(tally.slow, static_cast<int>(slow_part(limit) + besides));
      ASSERT_LE(tally.fresh, static_cast<int>(part(limit) + besides));
    };
    // Each of the two owners with a token may have one besides.
    check(all_, limits_.count, 2);
    check(by_owner_[owner], limits_.per_owner, 0);
    int& host = by_host_[owner + " " + sink.host];
    host += change;
    ASSERT_LE(host, static_cast<int>(limits_.per_host));
  }
  struct Tally {
    int held = 0;
    int slow = 0;
    int fresh = 0;
  };

  base::Prng prng_;
  WebhookTurns::Limits limits_;
  std::optional<WebhookTurns> turns_;
  Instant now_ = {};
  std::uint64_t order_ = 0;
  std::vector<Sink> sinks_;
  std::priority_queue<Event> events_;
  std::map<WebhookTurns::Ticket, std::size_t> asked_by_;
  Tally all_;
  std::map<std::string, Tally> by_owner_;
  std::map<std::string, int> by_host_;
};

TEST(WebhookTurnsModelTest, AHealthySinkGetsThroughWhateverTheOthersDo) {
  for (std::uint64_t seed = 1; seed <= base::seed_count({.quick = 20, .full = 400}); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Simulation(seed).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace weir::broker
