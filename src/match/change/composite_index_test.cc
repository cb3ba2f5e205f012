// SPDX-License-Identifier: Apache-2.0
#include "match/change/composite_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "match/change/change_testing.h"

namespace weir::match {
namespace {

using base::Duration;
using base::Instant;
using Fired = std::map<std::uint64_t, std::set<std::uint32_t>>;  // conjunctions
using Taken = std::set<std::tuple<std::uint64_t, std::size_t, std::size_t>>;
using Readings = std::vector<CompositeReading>;

// Composites by definition: every leaf of everybody is looked at on every update.
class Oracle {
 public:
  struct Leaf {
    CompositeLeaf definition;
    std::optional<double> last = {};
    Instant last_at = {};
    std::optional<double> current = {};

    bool is_silent(Instant now) const {
      const auto& silent_for = definition.timing.silent_for;
      return last && silent_for && last_at + *silent_for <= now;
    }
    bool wants(Instant now) const {
      return current &&
             (!last || definition.condition.satisfied(*last, *current) || is_silent(now));
    }
  };
  struct Conjunction {
    std::vector<Leaf> leaves = {};
    std::optional<Instant> due = {};
    bool is_held = false;  // when it was last looked at
    Instant read_at = {};

    bool wants(Instant now) const {
      return std::ranges::all_of(leaves, [&](const Leaf& leaf) { return leaf.wants(now); });
    }
    Instant held_until() const {
      Instant until = CompositeClocks::kLongAgo;
      for (const Leaf& leaf : leaves) {
        const auto& every = leaf.definition.timing.at_most_every;
        if (leaf.last && every) until = std::max(until, leaf.last_at + *every);
      }
      return until;
    }
    void fire(Instant at) {
      due = std::nullopt;
      for (Leaf& leaf : leaves) {
        leaf.last = leaf.current;
        leaf.last_at = at;
      }
      is_held = held_until() > at;
    }
  };
  struct Composite {
    CompositeOptions options;
    std::vector<Conjunction> conjunctions;

    Instant time(Instant now) const { return std::max(now, options.floor); }
  };

  void add(std::uint64_t id, const std::vector<CompositeConjunction>& conjunctions,
           const CompositeOptions& options) {
    Composite composite{options, {}};
    for (const CompositeConjunction& definition : conjunctions) {
      Conjunction& conjunction = composite.conjunctions.emplace_back();
      for (const CompositeLeaf& leaf : definition) {
        const auto current = currents_.find(leaf.source);
        Leaf& added = conjunction.leaves.emplace_back(Leaf{leaf});
        if (options.newcomer == Newcomer::kKnowsNothing || current == currents_.end()) continue;
        added.current = current->second;
        if (options.initial == Initial::kDeliver) continue;
        added.last = added.current;
        added.last_at = composite.time(now_);
      }
      conjunction.is_held = conjunction.held_until() > composite.time(now_);
    }
    composites_[id] = composite;
  }
  void remove(std::uint64_t id) { composites_.erase(id); }
  bool forget(std::uint64_t id) {
    bool knew = false;
    for (Conjunction& conjunction : composites_[id].conjunctions) {
      for (Leaf& leaf : conjunction.leaves) {
        knew = knew || leaf.current;
        leaf.last = leaf.current = std::nullopt;
      }
      conjunction.due = std::nullopt;
      conjunction.is_held = false;
    }
    return knew;
  }

  Fired update(const Readings& readings, Instant now) {
    now_ = now;
    taken_.clear();
    released_.clear();
    for (const CompositeReading& reading : readings) currents_[reading.source] = reading.value;
    Fired fired;
    for (auto& [id, composite] : composites_) {
      const Instant time = composite.time(now);
      for (std::uint32_t i = 0; i < composite.conjunctions.size(); ++i) {
        Conjunction& conjunction = composite.conjunctions[i];
        if (conjunction.is_held && conjunction.held_until() <= time) released_.insert(id);
        if (fires(id, i, readings, time)) fired[id].insert(i);
        conjunction.is_held = conjunction.held_until() > time;
      }
    }
    return fired;
  }
  std::optional<Instant> next_wake() const {
    std::optional<Instant> wake;
    for (const auto& [id, composite] : composites_) {
      for (const Conjunction& conjunction : composite.conjunctions) {
        if (!conjunction.due || (wake && *wake < *conjunction.due)) continue;
        wake = conjunction.due;
      }
    }
    return wake;
  }
  // What is due at this instant.
  Fired advance(Instant at) {
    Fired fired;
    for (auto& [id, composite] : composites_) {
      for (std::uint32_t i = 0; i < composite.conjunctions.size(); ++i) {
        Conjunction& conjunction = composite.conjunctions[i];
        if (conjunction.due != at) continue;
        EXPECT_TRUE(conjunction.wants(at));
        conjunction.fire(at);
        fired[id].insert(i);
      }
    }
    return fired;
  }

  std::map<std::uint64_t, Composite>& composites() { return composites_; }
  const std::map<SourceNumber, double>& currents() const { return currents_; }
  const Taken& taken() const { return taken_; }
  const std::set<std::uint64_t>& released() const { return released_; }

 private:
  bool fires(std::uint64_t id, std::uint32_t index, const Readings& readings, Instant time) {
    Composite& composite = composites_[id];
    Conjunction& conjunction = composite.conjunctions[index];
    bool concerned = false;
    for (std::size_t i = 0; i < conjunction.leaves.size(); ++i) {
      Leaf& leaf = conjunction.leaves[i];
      for (const CompositeReading& reading : readings) {
        if (leaf.definition.source != reading.source) continue;
        concerned = true;
        leaf.current = reading.value;
        if (leaf.last || composite.options.initial == Initial::kDeliver) continue;
        leaf.last = reading.value;
        leaf.last_at = time;
        taken_.emplace(id, index, i);
      }
    }
    if (!concerned) return false;
    conjunction.read_at = time;
    const Instant ready = conjunction.held_until();
    conjunction.due = conjunction.wants(time) && ready > time ? std::optional(ready) : std::nullopt;
    if (!conjunction.wants(time) || conjunction.due) return false;
    conjunction.fire(time);
    return true;
  }

  std::map<std::uint64_t, Composite> composites_;
  std::map<SourceNumber, double> currents_;
  Instant now_ = CompositeClocks::kLongAgo;
  Taken taken_;
  std::set<std::uint64_t> released_;
};

Fired collect(const CompositeFiring& firing) {
  Fired fired;
  for (const FiredComposite& composite : firing.composites) {
    EXPECT_FALSE(fired.contains(composite.id));
    for (std::size_t i = composite.begin; i < composite.end; ++i) {
      EXPECT_TRUE(fired[composite.id].insert(firing.conjunctions[i]).second);
    }
  }
  return fired;
}

Taken collect(const std::vector<TakenLeaf>& taken) {
  Taken collected;
  for (const TakenLeaf& leaf : taken) {
    EXPECT_TRUE(collected.emplace(leaf.id, leaf.place.conjunction, leaf.place.leaf).second);
  }
  return collected;
}

LeafCondition random_condition(base::Prng& prng, bool integers) {
  const auto threshold = [&] {
    return integers ? static_cast<double>(prng.below(6)) : prng.fraction() * 4;
  };
  const auto movement = [&] { return all_movements()[prng.below(all_movements().size())]; };
  LeafCondition condition;
  condition.movement = movement();
  condition.second_movement = movement();
  condition.second_movement.direction = condition.movement.direction;
  condition.parts = static_cast<LeafCondition::Parts>(prng.below(3));
  condition.threshold = threshold();
  condition.second_threshold = threshold();
  return condition;
}

ChangeTiming random_timing(base::Prng& prng) {
  const auto span = [&] { return Duration{static_cast<std::int64_t>(prng.below(12))}; };
  ChangeTiming timing;
  if (prng.chance(0.4)) timing.silent_for = span();
  if (prng.chance(0.4)) timing.at_most_every = span();
  return timing;
}

std::vector<CompositeConjunction> random_composite(base::Prng& prng, bool integers,
                                                   bool is_timed = false) {
  std::vector<CompositeConjunction> conjunctions(1 + prng.below(3));
  for (CompositeConjunction& conjunction : conjunctions) {
    conjunction.resize(1 + prng.below(5));
    for (CompositeLeaf& leaf : conjunction) {
      leaf = {static_cast<SourceNumber>(prng.below(6)), random_condition(prng, integers)};
      if (is_timed) leaf.timing = random_timing(prng);
    }
  }
  return conjunctions;
}

struct Kind {
  std::uint64_t seed = 0;
  bool integers = false;
  bool is_timed = false;
};

class Twins {
 public:
  explicit Twins(const Kind& kind) : kind_(kind), prng_(kind.seed) {}

  void step() {
    if (prng_.chance(0.15)) {
      ASSERT_NO_FATAL_FAILURE(replace(prng_.below(40)));
    }
    if (prng_.chance(0.01)) {
      ASSERT_NO_FATAL_FAILURE(restore());
    }
    if (prng_.chance(0.03) && !oracle_.composites().empty()) {
      const std::uint64_t id = random_id();
      ASSERT_EQ(index_.forget(id), oracle_.forget(id));
    }
    if (kind_.is_timed) {
      ASSERT_NO_FATAL_FAILURE(pass_time());
    }
    Readings readings;
    for (SourceNumber source = 0; source < 6; ++source) {
      if (prng_.chance(0.3)) readings.push_back({source, random_value(source)});
    }
    index_.update(readings, now_, firing_);
    ASSERT_EQ(collect(firing_), oracle_.update(readings, now_));
    ASSERT_EQ(collect(firing_.taken), oracle_.taken());
    ASSERT_EQ(std::set(firing_.released.begin(), firing_.released.end()), oracle_.released());
    ASSERT_EQ(index_.next_wake(), oracle_.next_wake());
    if (prng_.chance(0.1)) {
      ASSERT_NO_FATAL_FAILURE(compare_views());
    }
  }
  std::size_t late_count() const { return late_count_; }

 private:
  std::uint64_t random_id() {
    const auto& composites = oracle_.composites();
    return std::next(composites.begin(),
                     static_cast<std::ptrdiff_t>(prng_.below(composites.size())))
        ->first;
  }
  // Instant by instant.
  void pass_time() {
    now_ = now_ + Duration{static_cast<std::int64_t>(prng_.below(prng_.chance(0.02) ? 60 : 4))};
    for (auto wake = oracle_.next_wake(); wake && *wake <= now_; wake = oracle_.next_wake()) {
      ASSERT_EQ(index_.next_wake(), wake);
      ASSERT_EQ(index_.advance(now_, firing_), wake);
      ASSERT_EQ(collect(firing_), oracle_.advance(*wake));
      ++late_count_;
    }
    ASSERT_EQ(index_.advance(now_, firing_), std::nullopt);
    ASSERT_EQ(index_.next_wake(), oracle_.next_wake());
  }
  void replace(std::uint64_t id) {
    ASSERT_EQ(index_.remove(id), oracle_.composites().contains(id));
    oracle_.remove(id);
    const auto composite = random_composite(prng_, kind_.integers, kind_.is_timed);
    CompositeOptions options;
    if (prng_.chance(0.5)) options.newcomer = Newcomer::kKnowsCurrent;
    if (prng_.chance(0.3)) options.initial = Initial::kNone;
    if (prng_.chance(0.2)) options.floor = now_ + Duration{2};
    index_.add(id, composite, options);
    oracle_.add(id, composite, options);
  }
  double random_value(SourceNumber source) {
    double& value = values_[source];
    if (kind_.integers) return value += static_cast<double>(prng_.below(7)) - 3;
    if (prng_.chance(0.05)) return value = 0;
    if (prng_.chance(0.4) && !oracle_.composites().empty()) {
      // At the very edge of somebody's band.
      const auto& leaf = oracle_.composites().begin()->second.conjunctions[0].leaves[0];
      if (leaf.last && leaf.definition.source == source) {
        const Band band = leaf.definition.condition.quiet_band(*leaf.last);
        const double end = prng_.chance(0.5) ? band.low : band.high;
        if (std::isfinite(end)) return value = prng_.chance(0.5) ? end : std::nextafter(end, 1e9);
      }
    }
    return value += (prng_.fraction() - 0.5) * 6;
  }

  // Another index that is told what this one knows goes on as this one would. What a leaf knows may
  // be older than what its source is at.
  void restore() {
    CompositeIndex restored;
    for (const auto& [source, value] : oracle_.currents()) {
      const CompositeReading reading{source, value};
      restored.update({&reading, 1}, now_, firing_);
    }
    for (auto& [id, composite] : oracle_.composites()) {
      ASSERT_NO_FATAL_FAILURE(restore(id, composite, restored));
    }
    ASSERT_EQ(restored.next_wake(), oracle_.next_wake());
    index_ = std::move(restored);
  }
  void restore(std::uint64_t id, Oracle::Composite& composite, CompositeIndex& restored) {
    std::vector<CompositeConjunction> definition;
    for (const auto& conjunction : composite.conjunctions) {
      auto& leaves = definition.emplace_back();
      for (const auto& leaf : conjunction.leaves) leaves.push_back(leaf.definition);
    }
    composite.options.newcomer = Newcomer::kKnowsNothing;
    restored.add(id, definition, composite.options);
    for (std::size_t i = 0; i < definition.size(); ++i) {
      Oracle::Conjunction& conjunction = composite.conjunctions[i];
      for (std::size_t j = 0; j < definition[i].size(); ++j) {
        const auto view = index_.view(id, {i, j});
        if (!view->current) continue;
        Oracle::Leaf& leaf = conjunction.leaves[j];
        if (!conjunction.due && prng_.chance(0.2)) {
          *leaf.current += static_cast<double>(prng_.below(7)) - 3;
        }
        ASSERT_TRUE(restored.restore(id, {i, j},
                                     {.current = *leaf.current,
                                      .last = view->last,
                                      .last_at = leaf.last_at,
                                      .read_at = conjunction.read_at}));
      }
      conjunction.is_held = conjunction.held_until() > composite.time(conjunction.read_at);
      ASSERT_EQ(index_.view(id, i)->due, conjunction.due);
      if (conjunction.due) {
        ASSERT_TRUE(restored.restore_due(id, i, *conjunction.due));
      }
    }
  }

  void compare_views() {
    for (const auto& [id, composite] : oracle_.composites()) {
      for (std::size_t i = 0; i < composite.conjunctions.size(); ++i) {
        const Oracle::Conjunction& conjunction = composite.conjunctions[i];
        const auto view = index_.view(id, i);
        ASSERT_TRUE(view.has_value());
        ASSERT_EQ(view->due, conjunction.due);
        ASSERT_EQ(view->is_held, conjunction.is_held);
        for (std::size_t j = 0; j < conjunction.leaves.size(); ++j) {
          const Oracle::Leaf& leaf = conjunction.leaves[j];
          const auto seen = index_.view(id, {i, j});
          ASSERT_TRUE(seen.has_value());
          ASSERT_EQ(seen->last, leaf.last);
          ASSERT_EQ(seen->current, leaf.current);
          ASSERT_EQ(seen->satisfied, leaf.wants(composite.time(now_)));
        }
      }
    }
  }

  Kind kind_;
  base::Prng prng_;
  CompositeIndex index_;
  Oracle oracle_;
  CompositeFiring firing_;
  std::map<SourceNumber, double> values_;
  Instant now_;
  std::size_t late_count_ = 0;
};

TEST(CompositeIndexTest, FiresWhatTheDefinitionSays) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Twins twins({.seed = seed, .integers = seed % 2 == 0});
    for (int i = 0; i < 1'000; ++i) {
      twins.step();
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_EQ(twins.late_count(), 0);
  }
}

TEST(CompositeIndexTest, TimeDoesWhatTheDefinitionSays) {
  std::size_t late_count = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Twins twins({.seed = seed, .integers = seed % 2 == 0, .is_timed = true});
    for (int i = 0; i < 1'000; ++i) {
      twins.step();
      if (testing::Test::HasFatalFailure()) return;
    }
    late_count += twins.late_count();
  }
  EXPECT_GT(late_count, 10'000);
}

void update(CompositeIndex& index, SourceNumber source, double value, CompositeFiring& firing) {
  const CompositeReading reading{source, value};
  index.update({&reading, 1}, {}, firing);
}

LeafCondition more_than(double threshold) {
  LeafCondition condition;
  condition.threshold = threshold;
  return condition;
}

TEST(CompositeIndexTest, AConjunctionWaitsForAllItsSources) {
  CompositeIndex index;
  CompositeFiring firing;
  const std::vector<CompositeConjunction> both = {{{0, more_than(3)}, {1, more_than(2)}}};
  index.add(9, both);
  update(index, 0, 20, firing);
  EXPECT_TRUE(firing.composites.empty());
  update(index, 1, 30, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
  update(index, 0, 24, firing);
  EXPECT_TRUE(firing.composites.empty());
  update(index, 1, 33, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
}

TEST(CompositeIndexTest, AllValuesOfAnUpdateAreTakenBeforeAnythingIsJudged) {
  CompositeIndex index;
  CompositeFiring firing;
  const std::vector<CompositeConjunction> both = {{{0, more_than(3)}, {1, more_than(2)}}};
  index.add(9, both);
  index.update(Readings{{0, 20}, {1, 30}}, {}, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
  update(index, 0, 30, firing);
  EXPECT_TRUE(firing.composites.empty());
  // The second leaf would be satisfied if the first had not come back.
  index.update(Readings{{0, 21}, {1, 40}}, {}, firing);
  EXPECT_TRUE(firing.composites.empty());
  index.update(Readings{{0, 24}, {1, 41}}, {}, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
  EXPECT_EQ(index.view(9, {0, 1})->last, 41);
}

TEST(CompositeIndexTest, OnlyLeavesThatFlipAreTouched) {
  CompositeIndex index;
  CompositeFiring firing;
  for (std::uint64_t id = 0; id < 100; ++id) {
    const auto c = static_cast<double>(id + 1);
    index.add(id, std::vector<CompositeConjunction>{{{0, more_than(c)}, {1, more_than(1)}}});
  }
  update(index, 0, 0, firing);
  update(index, 1, 0, firing);
  ASSERT_EQ(firing.composites.size(), 100);
  const std::uint64_t flips = index.counters().flips;
  update(index, 0, 10.5, firing);
  EXPECT_EQ(index.counters().flips - flips, 10);
  update(index, 0, 5.5, firing);
  EXPECT_EQ(index.counters().flips - flips, 15);
  update(index, 0, 5.25, firing);
  EXPECT_EQ(index.counters().flips - flips, 15);
}

TEST(CompositeIndexTest, RemovalLeavesNothingBehind) {
  CompositeIndex index;
  CompositeFiring firing;
  base::Prng prng(3);
  for (int round = 0; round < 50; ++round) {
    for (std::uint64_t id = 0; id < 30; ++id) {
      index.add(id, random_composite(prng, true, true), {.newcomer = Newcomer::kKnowsCurrent});
    }
    for (SourceNumber source = 0; source < 6; ++source) update(index, source, round, firing);
    for (std::uint64_t id = 0; id < 30; ++id) ASSERT_TRUE(index.remove(id));
    EXPECT_FALSE(index.remove(7));
  }
  EXPECT_EQ(index.size(), 0);
  EXPECT_LT(index.memory_bytes(), 200'000);
  update(index, 0, 1e9, firing);
  EXPECT_TRUE(firing.composites.empty());
}

LeafCondition none() { return more_than(1e300); }

TEST(CompositeIndexTest, AnOldEnoughLeafIsSatisfiedWhenTheNextReadingComes) {
  CompositeIndex index;
  CompositeFiring firing;
  const ChangeTiming silent{.silent_for = Duration{10}};
  index.add(9, std::vector<CompositeConjunction>{{{0, none(), silent}, {1, more_than(1)}}});
  index.update(Readings{{0, 20}, {1, 30}}, Instant{0}, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
  index.update(Readings{{1, 40}}, Instant{9}, firing);
  EXPECT_TRUE(firing.composites.empty());
  EXPECT_EQ(index.next_wake(), std::nullopt);
  EXPECT_EQ(index.advance(Instant{15}, firing), std::nullopt);
  index.update(Readings{{0, 20}}, Instant{15}, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
  index.update(Readings{{1, 50}}, Instant{24}, firing);
  EXPECT_TRUE(firing.composites.empty());
  index.update(Readings{{1, 50}}, Instant{25}, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
}

TEST(CompositeIndexTest, WhatIsHeldFiresWithoutAReadingUnlessItHasComeBack) {
  CompositeIndex index;
  CompositeFiring firing;
  const ChangeTiming slow{.at_most_every = Duration{10}};
  index.add(9, std::vector<CompositeConjunction>{{{0, more_than(1), slow}, {1, more_than(1)}}});
  index.update(Readings{{0, 20}, {1, 30}}, Instant{0}, firing);
  index.update(Readings{{0, 40}, {1, 40}}, Instant{5}, firing);
  EXPECT_TRUE(firing.composites.empty());
  EXPECT_TRUE(index.view(9, 0)->is_held);
  EXPECT_EQ(index.next_wake(), Instant{10});
  index.update(Readings{{1, 30}}, Instant{6}, firing);
  EXPECT_EQ(index.next_wake(), std::nullopt);
  index.update(Readings{{1, 50}}, Instant{7}, firing);
  EXPECT_EQ(index.advance(Instant{9}, firing), std::nullopt);
  EXPECT_EQ(index.advance(Instant{30}, firing), Instant{10});
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
  EXPECT_EQ(index.view(9, {0, 1})->last, 50);
  index.update({}, Instant{30}, firing);
  EXPECT_EQ(firing.released, std::vector<std::uint64_t>{9});
  EXPECT_FALSE(index.view(9, 0)->is_held);
}

TEST(CompositeIndexTest, TimeTouchesOnlyThoseForWhichAMomentHasCome) {
  CompositeIndex index;
  CompositeFiring firing;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    const ChangeTiming silent{.silent_for = Duration{static_cast<std::int64_t>(id)}};
    index.add(id, std::vector<CompositeConjunction>{{{0, none(), silent}, {1, none()}}});
  }
  index.update(Readings{{0, 0}, {1, 0}}, Instant{0}, firing);
  const std::uint64_t flips = index.counters().flips;
  index.update(Readings{{1, 0}}, Instant{20}, firing);
  EXPECT_EQ(index.counters().flips - flips, 20);
  index.update(Readings{{1, 0}}, Instant{30}, firing);
  EXPECT_EQ(index.counters().flips - flips, 30);
}

TEST(CompositeIndexTest, OnlyWhatIsHeldAndSatisfiedCanBeDue) {
  const ChangeTiming slow{.at_most_every = Duration{10}};
  const std::vector<CompositeConjunction> composite = {{{0, more_than(1), slow}}, {{1, none()}}};
  const auto restore_due = [&](double current, Instant floor, Instant due) {
    CompositeIndex index;
    index.add(9, composite, {.floor = floor});
    EXPECT_TRUE(index.restore(9, {0, 0}, {.current = current, .last = 20, .last_at = Instant{5}}));
    return index.restore_due(9, 0, due) && index.next_wake() == due;
  };
  EXPECT_TRUE(restore_due(30, Instant{8}, Instant{15}));
  EXPECT_FALSE(restore_due(20, Instant{8}, Instant{15}));
  EXPECT_FALSE(restore_due(30, Instant{15}, Instant{15}));
  EXPECT_FALSE(restore_due(30, Instant{8}, Instant{14}));
  CompositeIndex index;
  index.add(9, composite);
  EXPECT_FALSE(index.restore_due(9, 1, Instant{15}));
  EXPECT_FALSE(index.restore_due(9, 2, Instant{15}));
  EXPECT_FALSE(index.restore_due(8, 0, Instant{15}));
}

// Moments of what is no longer waited for do not pile up.
TEST(CompositeIndexTest, MemoryIsBoundedWhateverFlapsWhileItIsHeld) {
  CompositeIndex index;
  CompositeFiring firing;
  const ChangeTiming slow{.silent_for = Duration::seconds(9), .at_most_every = Duration{50'000}};
  index.add(9, std::vector<CompositeConjunction>{{{0, more_than(1), slow}}});
  // It is due before, so that the others pile up behind it.
  const ChangeTiming less_slow{.at_most_every = Duration{45'000}};
  index.add(6, std::vector<CompositeConjunction>{{{1, more_than(1), less_slow}}});
  for (const double value : {0.0, 5.0}) index.update(Readings{{1, value}}, Instant{0}, firing);
  index.add(
      8, std::vector<CompositeConjunction>{{{0, more_than(1), {.silent_for = Duration::seconds(9)}},
                                            {0, more_than(1), {.silent_for = Duration{1}}}}});
  for (std::int64_t i = 0; i < 20'000; ++i) {
    index.update(Readings{{0, i % 2 == 0 ? 0.0 : 5.0}}, Instant{2 * i}, firing);
    index.add(7, std::vector<CompositeConjunction>{{{0, more_than(1), slow}}},
              {.newcomer = Newcomer::kKnowsCurrent, .initial = Initial::kNone});
    ASSERT_TRUE(index.remove(7));
  }
  EXPECT_EQ(index.next_wake(), Instant{45'000});
  EXPECT_LT(index.memory_bytes(), 20'000);
}

TEST(LeafConditionTest, TheBandOfTwoPartsIsExact) {
  base::Prng prng(11);
  for (int i = 0; i < 20'000; ++i) {
    const LeafCondition condition = random_condition(prng, prng.chance(0.5));
    const double last = prng.chance(0.2) ? 0 : (prng.fraction() - 0.5) * 100;
    const Band band = condition.quiet_band(last);
    for (const double x : {band.low, band.high, last, last + prng.fraction() * 5}) {
      if (!std::isfinite(x)) continue;
      for (const double near : {std::nextafter(x, -1e9), x, std::nextafter(x, 1e9)}) {
        ASSERT_EQ(band.contains(near), !condition.satisfied(last, near)) << last << ' ' << near;
      }
    }
  }
}

}  // namespace
}  // namespace weir::match
