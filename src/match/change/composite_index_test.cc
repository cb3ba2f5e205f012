// SPDX-License-Identifier: Apache-2.0
#include "match/change/composite_index.h"

#include <gtest/gtest.h>

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

using Fired = std::map<std::uint64_t, std::set<std::uint32_t>>;  // conjunctions
using Taken = std::set<std::tuple<std::uint64_t, std::size_t, std::size_t>>;
using Readings = std::vector<CompositeReading>;

// Composites by definition: every leaf of everybody is looked at on every update.
class Oracle {
 public:
  struct Leaf {
    CompositeLeaf definition;
    Initial initial = Initial::kDeliver;
    std::optional<double> last;
    std::optional<double> current;
  };

  void add(std::uint64_t id, const std::vector<CompositeConjunction>& conjunctions,
           Newcomer newcomer, Initial initial) {
    std::vector<std::vector<Leaf>> all;
    for (const CompositeConjunction& conjunction : conjunctions) {
      auto& leaves = all.emplace_back();
      for (const CompositeLeaf& definition : conjunction) {
        Leaf& leaf = leaves.emplace_back(Leaf{definition, initial, {}, {}});
        const auto current = currents_.find(definition.source);
        if (newcomer == Newcomer::kKnowsNothing || current == currents_.end()) continue;
        leaf.current = current->second;
        if (initial == Initial::kNone) leaf.last = leaf.current;
      }
    }
    composites_[id] = all;
  }
  void remove(std::uint64_t id) { composites_.erase(id); }
  bool forget(std::uint64_t id) {
    bool knew = false;
    for (auto& leaves : composites_[id]) {
      for (Leaf& leaf : leaves) {
        knew = knew || leaf.current;
        leaf.last = leaf.current = std::nullopt;
      }
    }
    return knew;
  }

  Fired update(const Readings& readings) {
    taken_.clear();
    for (const CompositeReading& reading : readings) currents_[reading.source] = reading.value;
    Fired fired;
    for (auto& [id, conjunctions] : composites_) {
      for (std::uint32_t i = 0; i < conjunctions.size(); ++i) {
        if (fires(id, i, readings)) fired[id].insert(i);
      }
    }
    return fired;
  }

  std::map<std::uint64_t, std::vector<std::vector<Leaf>>>& composites() { return composites_; }
  const std::map<SourceNumber, double>& currents() const { return currents_; }
  const Taken& taken() const { return taken_; }

 private:
  bool fires(std::uint64_t id, std::uint32_t conjunction, const Readings& readings) {
    std::vector<Leaf>& leaves = composites_[id][conjunction];
    bool concerned = false;
    bool satisfied = true;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      Leaf& leaf = leaves[i];
      for (const CompositeReading& reading : readings) {
        if (leaf.definition.source != reading.source) continue;
        concerned = true;
        leaf.current = reading.value;
        if (leaf.last || leaf.initial == Initial::kDeliver) continue;
        leaf.last = reading.value;
        taken_.emplace(id, conjunction, i);
      }
      satisfied = satisfied && leaf.current &&
                  (!leaf.last || leaf.definition.condition.satisfied(*leaf.last, *leaf.current));
    }
    if (!concerned || !satisfied) return false;
    for (Leaf& leaf : leaves) leaf.last = leaf.current;
    return true;
  }

  std::map<std::uint64_t, std::vector<std::vector<Leaf>>> composites_;
  std::map<SourceNumber, double> currents_;
  Taken taken_;
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
    if (prng_.chance(0.15)) replace(prng_.below(40));
    if (prng_.chance(0.01)) restore();
    if (prng_.chance(0.03) && !oracle_.composites().empty()) {
      const std::uint64_t id = random_id();
      ASSERT_EQ(index_.forget(id), oracle_.forget(id));
    }
    Readings readings;
    for (SourceNumber source = 0; source < 6; ++source) {
      if (prng_.chance(0.3)) readings.push_back({source, random_value(source)});
    }
    index_.update(readings, firing_);
    ASSERT_EQ(collect(firing_), oracle_.update(readings));
    ASSERT_EQ(collect(firing_.taken), oracle_.taken());
    if (prng_.chance(0.1)) compare_views();
  }

 private:
  std::uint64_t random_id() {
    const auto& composites = oracle_.composites();
    return std::next(composites.begin(),
                     static_cast<std::ptrdiff_t>(prng_.below(composites.size())))
        ->first;
  }
  void replace(std::uint64_t id) {
    ASSERT_EQ(index_.remove(id), oracle_.composites().contains(id));
    oracle_.remove(id);
    const auto composite = random_composite(prng_, integers_);
    const auto newcomer = prng_.chance(0.5) ? Newcomer::kKnowsCurrent : Newcomer::kKnowsNothing;
    const auto initial = prng_.chance(0.3) ? Initial::kNone : Initial::kDeliver;
    index_.add(id, composite, newcomer, initial);
    oracle_.add(id, composite, newcomer, initial);
  }
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

  // Another index that is told what this one knows goes on as this one would. What a leaf knows may
  // be older than what its source is at.
  void restore() {
    CompositeIndex restored;
    for (const auto& [source, value] : oracle_.currents()) {
      const CompositeReading reading{source, value};
      restored.update({&reading, 1}, firing_);
    }
    for (auto& [id, conjunctions] : oracle_.composites()) {
      std::vector<CompositeConjunction> definition;
      for (const auto& leaves : conjunctions) {
        auto& conjunction = definition.emplace_back();
        for (const auto& leaf : leaves) conjunction.push_back(leaf.definition);
      }
      restored.add(id, definition, Newcomer::kKnowsNothing, conjunctions[0][0].initial);
      for (std::size_t i = 0; i < definition.size(); ++i) {
        for (std::size_t j = 0; j < definition[i].size(); ++j) {
          const auto view = index_.view(id, {i, j});
          if (!view->current) continue;
          double& current = *conjunctions[i][j].current;
          if (prng_.chance(0.2)) current += static_cast<double>(prng_.below(7)) - 3;
          ASSERT_TRUE(restored.restore(id, {i, j}, view->last, current));
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

void update(CompositeIndex& index, SourceNumber source, double value, CompositeFiring& firing) {
  const CompositeReading reading{source, value};
  index.update({&reading, 1}, firing);
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
  index.add(9, both, Newcomer::kKnowsNothing);
  index.update(Readings{{0, 20}, {1, 30}}, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
  update(index, 0, 30, firing);
  EXPECT_TRUE(firing.composites.empty());
  // The second leaf would be satisfied if the first had not come back.
  index.update(Readings{{0, 21}, {1, 40}}, firing);
  EXPECT_TRUE(firing.composites.empty());
  index.update(Readings{{0, 24}, {1, 41}}, firing);
  EXPECT_EQ(collect(firing), (Fired{{9, {0}}}));
  EXPECT_EQ(index.view(9, {0, 1})->last, 41);
}

TEST(CompositeIndexTest, OnlyLeavesThatFlipAreTouched) {
  CompositeIndex index;
  CompositeFiring firing;
  for (std::uint64_t id = 0; id < 100; ++id) {
    const auto c = static_cast<double>(id + 1);
    index.add(id, std::vector<CompositeConjunction>{{{0, more_than(c)}, {1, more_than(1)}}},
              Newcomer::kKnowsNothing);
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
      index.add(id, random_composite(prng, true), Newcomer::kKnowsCurrent);
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
