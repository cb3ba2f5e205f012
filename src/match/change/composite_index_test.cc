// SPDX-License-Identifier: Apache-2.0
#include "match/change/composite_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "match/change/change_testing.h"

namespace weir::match {
namespace {

using Fired = std::map<std::uint64_t, std::set<SourceNumber>>;

// Composites by definition: every leaf of everybody is looked at on every update.
class Oracle {
 public:
  void add(std::uint64_t id, const std::vector<CompositeConjunction>& conjunctions,
           Newcomer newcomer) {
    std::vector<std::vector<Leaf>> all;
    for (const CompositeConjunction& conjunction : conjunctions) {
      auto& leaves = all.emplace_back();
      for (const CompositeLeaf& leaf : conjunction) {
        leaves.push_back({leaf, std::nullopt, std::nullopt});
        const auto current = currents_.find(leaf.source);
        if (newcomer == Newcomer::kKnowsCurrent && current != currents_.end()) {
          leaves.back().current = current->second;
        }
      }
    }
    composites_[id] = all;
  }
  void remove(std::uint64_t id) { composites_.erase(id); }

  Fired update(SourceNumber source, double value) {
    currents_[source] = value;
    Fired fired;
    for (auto& [id, conjunctions] : composites_) {
      for (std::vector<Leaf>& leaves : conjunctions) {
        if (fires(leaves, source, value)) {
          for (const Leaf& leaf : leaves) fired[id].insert(leaf.definition.source);
        }
      }
    }
    return fired;
  }

  struct Leaf {
    CompositeLeaf definition;
    std::optional<double> last;
    std::optional<double> current;
  };
  const std::map<std::uint64_t, std::vector<std::vector<Leaf>>>& composites() const {
    return composites_;
  }
  const std::map<SourceNumber, double>& currents() const { return currents_; }

 private:
  static bool fires(std::vector<Leaf>& leaves, SourceNumber source, double value) {
    bool concerned = false;
    bool satisfied = true;
    for (Leaf& leaf : leaves) {
      const bool own = leaf.definition.source == source;
      concerned = concerned || own;
      if (own) leaf.current = value;
      satisfied = satisfied && leaf.current &&
                  (!leaf.last || leaf.definition.condition.satisfied(*leaf.last, *leaf.current));
    }
    if (!concerned || !satisfied) return false;
    for (Leaf& leaf : leaves) leaf.last = leaf.current;
    return true;
  }

  std::map<std::uint64_t, std::vector<std::vector<Leaf>>> composites_;
  std::map<SourceNumber, double> currents_;
};

Fired collect(const CompositeFiring& firing) {
  Fired fired;
  for (const FiredComposite& composite : firing.composites) {
    EXPECT_FALSE(fired.contains(composite.id));
    for (std::size_t i = composite.source_begin; i < composite.source_end; ++i) {
      EXPECT_TRUE(fired[composite.id].insert(firing.sources[i]).second);
    }
  }
  return fired;
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

std::vector<CompositeConjunction> random_composite(base::Prng& prng, bool integers) {
  std::vector<CompositeConjunction> conjunctions(1 + prng.below(3));
  for (CompositeConjunction& conjunction : conjunctions) {
    conjunction.resize(1 + prng.below(5));
    for (CompositeLeaf& leaf : conjunction) {
      leaf = {static_cast<SourceNumber>(prng.below(6)), random_condition(prng, integers)};
    }
  }
  return conjunctions;
}

class Twins {
 public:
  Twins(std::uint64_t seed, bool integers) : prng_(seed), integers_(integers) {}

  void step() {
    if (prng_.chance(0.15)) {
      const std::uint64_t id = prng_.below(40);
      const bool removed = index_.remove(id);
      ASSERT_EQ(removed, oracle_.composites().contains(id));
      oracle_.remove(id);
      const auto composite = random_composite(prng_, integers_);
      const auto newcomer = prng_.chance(0.5) ? Newcomer::kKnowsCurrent : Newcomer::kKnowsNothing;
      index_.add(id, composite, newcomer);
      oracle_.add(id, composite, newcomer);
    }
    if (prng_.chance(0.01)) restore();
    const auto source = static_cast<SourceNumber>(prng_.below(6));
    const double value = random_value(source);
    index_.update(source, value, firing_);
    ASSERT_EQ(collect(firing_), oracle_.update(source, value));
    if (prng_.chance(0.1)) compare_views();
  }

 private:
  double random_value(SourceNumber source) {
    double& value = values_[source];
    if (integers_) return value += static_cast<double>(prng_.below(7)) - 3;
    if (prng_.chance(0.05)) return value = 0;
    if (prng_.chance(0.4) && !oracle_.composites().empty()) {
      // At the very edge of somebody's band.
      const auto& leaf = oracle_.composites().begin()->second[0][0];
      if (leaf.last && leaf.definition.source == source) {
        const Band band = leaf.definition.condition.quiet_band(*leaf.last);
        const double end = prng_.chance(0.5) ? band.low : band.high;
        if (std::isfinite(end)) return value = prng_.chance(0.5) ? end : std::nextafter(end, 1e9);
      }
    }
    return value += (prng_.fraction() - 0.5) * 6;
  }

  // What another index is told goes on as this one would.
  void restore() {
    CompositeIndex restored;
    for (const auto& [source, value] : oracle_.currents()) restored.restore_current(source, value);
    for (const auto& [id, conjunctions] : oracle_.composites()) {
      std::vector<CompositeConjunction> definition;
      for (const auto& leaves : conjunctions) {
        auto& conjunction = definition.emplace_back();
        for (const auto& leaf : leaves) conjunction.push_back(leaf.definition);
      }
      restored.add(id, definition, Newcomer::kKnowsNothing);
      for (std::size_t i = 0; i < definition.size(); ++i) {
        for (std::size_t j = 0; j < definition[i].size(); ++j) {
          const auto view = index_.view(id, {i, j});
          if (view->current) {
            ASSERT_TRUE(restored.restore(id, {i, j}, view->last));
          }
        }
      }
    }
    index_ = std::move(restored);
  }

  void compare_views() {
    for (const auto& [id, conjunctions] : oracle_.composites()) {
      for (std::size_t i = 0; i < conjunctions.size(); ++i) {
        for (std::size_t j = 0; j < conjunctions[i].size(); ++j) {
          const auto view = index_.view(id, {i, j});
          ASSERT_TRUE(view.has_value());
          ASSERT_EQ(view->last, conjunctions[i][j].last);
          ASSERT_EQ(view->current, conjunctions[i][j].current);
        }
      }
    }
  }

  base::Prng prng_;
  bool integers_;
  CompositeIndex index_;
  Oracle oracle_;
  CompositeFiring firing_;
  std::map<SourceNumber, double> values_;
};

TEST(CompositeIndexTest, FiresWhatTheDefinitionSays) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Twins twins(seed, seed % 2 == 0);
    for (int i = 0; i < 1'000; ++i) {
      twins.step();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
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
  index.add(9, both, Newcomer::kKnowsNothing);
  index.update(0, 20, firing);
  EXPECT_TRUE(firing.composites.empty());
  index.update(1, 30, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0, 1}}}));
  index.update(0, 24, firing);
  EXPECT_TRUE(firing.composites.empty());
  index.update(1, 33, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0, 1}}}));
}

TEST(CompositeIndexTest, OnlyLeavesThatFlipAreTouched) {
  CompositeIndex index;
  CompositeFiring firing;
  for (std::uint64_t id = 0; id < 100; ++id) {
    const auto c = static_cast<double>(id + 1);
    index.add(id, std::vector<CompositeConjunction>{{{0, more_than(c)}, {1, more_than(1)}}},
              Newcomer::kKnowsNothing);
  }
  index.update(0, 0, firing);
  index.update(1, 0, firing);
  ASSERT_EQ(firing.composites.size(), 100);
  const std::uint64_t flips = index.counters().flips;
  index.update(0, 10.5, firing);
  EXPECT_EQ(index.counters().flips - flips, 10);
  index.update(0, 5.5, firing);
  EXPECT_EQ(index.counters().flips - flips, 15);
  index.update(0, 5.25, firing);
  EXPECT_EQ(index.counters().flips - flips, 15);
}

TEST(CompositeIndexTest, RemovalLeavesNothingBehind) {
  CompositeIndex index;
  CompositeFiring firing;
  base::Prng prng(3);
  for (int round = 0; round < 50; ++round) {
    for (std::uint64_t id = 0; id < 30; ++id) {
      index.add(id, random_composite(prng, true), Newcomer::kKnowsCurrent);
    }
    for (SourceNumber source = 0; source < 6; ++source) index.update(source, round, firing);
    for (std::uint64_t id = 0; id < 30; ++id) ASSERT_TRUE(index.remove(id));
    EXPECT_FALSE(index.remove(7));
  }
  EXPECT_EQ(index.size(), 0);
  EXPECT_LT(index.memory_bytes(), 200'000);
  index.update(0, 1e9, firing);
  EXPECT_TRUE(firing.composites.empty());
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
