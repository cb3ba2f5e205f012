// SPDX-License-Identifier: Apache-2.0
// ChangeGroup against its definition, on random streams with subscribers that come, go and move.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/prng.h"
#include "match/change/change_group.h"
#include "match/change/change_oracle_testing.h"
#include "match/change/change_testing.h"

namespace weir::match {
namespace {

using base::Duration;
using base::Instant;

struct Case {
  ChangeGroupOptions options;
  std::uint64_t seed;
  bool integers;
};

void PrintTo(const Case& test_case, std::ostream* out) {
  const auto& [options, seed, integers] = test_case;
  *out << "seed " << seed << " " << options.movement << (integers ? " integers" : " doubles");
  if (options.timing.silent_for) *out << " silent " << options.timing.silent_for->nanoseconds;
  if (options.timing.at_most_every) *out << " every " << options.timing.at_most_every->nanoseconds;
}

ChangeOracle::Fired collect(const Firing& firing) {
  ChangeOracle::Fired fired;
  std::size_t count = 0;
  firing.for_each_span([&](const FiredRange& range, ThresholdIndex::Span span) {
    for (const std::uint64_t id : span) fired[id] = range.before;
    count += span.size();
  });
  EXPECT_EQ(count, fired.size()) << "somebody fired twice";
  EXPECT_EQ(count, firing.id_count);
  return fired;
}

// Drives both, and compares whatever they say.
class Twins {
 public:
  explicit Twins(const Case& test_case)
      : case_(test_case),
        prng_(test_case.seed),
        group_(test_case.options),
        oracle_(test_case.options) {}

  void step() {
    now_.nanoseconds += static_cast<std::int64_t>(prng_.chance(0.3) ? 0 : prng_.below(5));
    if (prng_.chance(0.02)) now_.nanoseconds += static_cast<std::int64_t>(prng_.below(60));
    if (prng_.chance(0.3)) change_subscribers();
    // What is due is told before sources are retired.
    if (case_.options.idle || prng_.chance(0.8)) advance();
    if (testing::Test::HasFatalFailure()) return;
    read();
    if (prng_.chance(0.2)) compare_last();
  }

  // Joins many, each when the source stands elsewhere, so that nearly everybody is a piece.
  void grow(int count) {
    for (int i = 0; i < count && !testing::Test::HasFatalFailure(); ++i) {
      now_.nanoseconds += 1;
      join();
      if (prng_.chance(0.5)) read_value("a", prng_.fraction());
    }
  }
  std::size_t piece_count() const { return group_.piece_count(); }

  void finish() {
    now_.nanoseconds += 1000;
    advance();
    ASSERT_EQ(group_.next_wake(), std::nullopt);
    ASSERT_LE(group_.piece_count(), group_.size() * group_.source_count());
  }

 private:
  std::string random_key() { return std::string(1, static_cast<char>('a' + prng_.below(4))); }

  double random_threshold() {
    if (case_.integers) return static_cast<double>(prng_.below(8));
    return prng_.chance(0.5) ? static_cast<double>(prng_.below(10)) / 10 : prng_.fraction() * 5;
  }

  void join() {
    const ChangeGroup::Joiner joiner{next_id_++ * 7 % 10'007, random_threshold(),
                                     prng_.chance(0.3) ? Initial::kNone : Initial::kDeliver};
    group_.join(joiner);
    oracle_.join(joiner);
  }

  void change_subscribers() {
    const bool growing = now_.nanoseconds / 300 % 2 == 0;
    if (oracle_.size() == 0 || prng_.chance(growing ? 0.6 : 0.2)) return join();
    const std::uint64_t id = oracle_.nth(prng_.below(oracle_.size()));
    const double threshold = oracle_.threshold(id);
    switch (prng_.below(4)) {
      case 0:
      case 1:
        ASSERT_TRUE(group_.leave(id, threshold));
        oracle_.leave(id);
        return;
      case 2: {
        const double to = random_threshold();
        ASSERT_TRUE(group_.move(id, threshold, to));
        oracle_.move(id, to);
        return;
      }
      default: {
        const std::string key = random_key();
        const bool is_known = group_.source(key).has_value();
        ASSERT_EQ(group_.forget(id, threshold, key), is_known);
        oracle_.forget(id, key);
      }
    }
  }

  // A walk with jumps, and values at the very edge of somebody's threshold.
  double random_value(const std::string& key) {
    double& value = values_[key];
    if (case_.integers) return value += static_cast<double>(prng_.below(7)) - 3;
    if (prng_.chance(0.05)) return value = (prng_.fraction() - 0.5) * 100;
    if (prng_.chance(0.05)) return value = 0;
    if (prng_.chance(0.4) && oracle_.size() > 0) {
      const std::uint64_t id = oracle_.nth(prng_.below(oracle_.size()));
      if (const auto last = oracle_.last(id, key)) {
        const double c = oracle_.threshold(id);
        const double span = case_.options.movement.percent ? c / 100 * std::abs(last->value) : c;
        value = prng_.chance(0.5) ? last->value + span : last->value - span;
        if (prng_.chance(0.3)) value = std::nextafter(value, 1e9);
        if (prng_.chance(0.3)) value = std::nextafter(value, -1e9);
        return value;
      }
    }
    return value += (prng_.fraction() - 0.5) * 2;
  }

  void read() {
    const std::string key = random_key();
    read_value(key, random_value(key));
  }

  void read_value(const std::string& key, double value) {
    group_.update(key, value, now_, nullptr, firing_);
    ASSERT_EQ(collect(firing_), oracle_.update(key, value, now_));
    ASSERT_EQ(firing_.at, now_);
    ASSERT_EQ(firing_.value, value);
    ASSERT_EQ(group_.source_count(), oracle_.key_count());
    if (const auto source = group_.source(key)) {
      ASSERT_LE(source->piece_count, group_.size());
    }
  }

  // A group may wake for nobody; the definition does not.
  void advance() {
    std::optional<ChangeOracle::Due> due = oracle_.advance(now_);
    while (group_.advance(now_, firing_)) {
      if (firing_.id_count == 0) continue;
      ASSERT_TRUE(due.has_value());
      ASSERT_EQ(firing_.at, due->at);
      ASSERT_EQ(firing_.key, due->key);
      ASSERT_EQ(collect(firing_), due->fired);
      due = oracle_.advance(now_);
    }
    ASSERT_FALSE(due.has_value());
  }

  void compare_last() {
    if (oracle_.size() == 0) return;
    const std::uint64_t id = oracle_.nth(prng_.below(oracle_.size()));
    const std::string key = random_key();
    std::optional<LastDelivery> last = group_.last(id, oracle_.threshold(id), key);
    if (last) last->held = false;
    ASSERT_EQ(last, oracle_.last(id, key));
  }

  Case case_;
  base::Prng prng_;
  ChangeGroup group_;
  ChangeOracle oracle_;
  Firing firing_;
  Instant now_{1000};
  std::uint64_t next_id_ = 1;
  std::map<std::string, double> values_;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  std::uint64_t seed = 0;
  const std::optional<Duration> none;
  for (const Movement& movement : all_movements()) {
    for (const ChangeTiming& timing :
         {ChangeTiming{}, ChangeTiming{Duration{20}, none}, ChangeTiming{none, Duration{9}},
          ChangeTiming{Duration{25}, Duration{9}}, ChangeTiming{Duration{5}, Duration{12}},
          ChangeTiming{Duration{0}, none}, ChangeTiming{Duration{0}, Duration{7}},
          ChangeTiming{none, Duration{0}}}) {
      for (const bool integers : {false, true}) {
        ChangeGroupOptions options{.movement = movement, .timing = timing};
        ++seed;
        if (seed % 3 == 0) options.usual_initial = Initial::kNone;
        if (seed % 2 == 0) options.idle = Duration{30};
        if (seed % 5 == 0) options.key_count_max = 3;
        all.push_back({options, seed, integers});
      }
    }
  }
  return all;
}

class ChangeStreamTest : public testing::TestWithParam<Case> {};

TEST_P(ChangeStreamTest, FiresWhatTheDefinitionSays) {
  Twins twins(GetParam());
  for (int i = 0; i < 2'500 && !testing::Test::HasFatalFailure(); ++i) twins.step();
  if (!testing::Test::HasFatalFailure()) twins.finish();
}

TEST(ChangeAgreementTest, FiresWhatTheDefinitionSaysWithThousandsOfPieces) {
  for (const ChangeTiming& timing : {ChangeTiming{}, ChangeTiming{Duration{900}, Duration{400}}}) {
    ChangeGroupOptions options;
    options.timing = timing;
    Twins twins({options, 77, false});
    twins.grow(3'000);
    EXPECT_GT(twins.piece_count(), 4 * PieceMap::kChunkSizeMax);
    for (int i = 0; i < 150 && !testing::Test::HasFatalFailure(); ++i) twins.step();
    twins.grow(500);
    if (!testing::Test::HasFatalFailure()) twins.finish();
  }
}

INSTANTIATE_TEST_SUITE_P(Random, ChangeStreamTest, testing::ValuesIn(cases()));

}  // namespace
}  // namespace weir::match
