// SPDX-License-Identifier: Apache-2.0
#include "bloom/bloom_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/prng.h"

namespace weir::bloom {
namespace {

using ::testing::ElementsAre;

enum class Setting : std::uint8_t { kDense, kSparse };
using enum Setting;
using enum RefutedMatch;

struct Offer {
  std::uint32_t leaf = 0;
  std::uint64_t key = 0;
};

// A shape and a stream for it that fills its filters, so that false positives are frequent.
struct Trial {
  TreeShape shape = TreeShape::of_parents({0});
  BloomShape filter = {};
  std::vector<Offer> offers = {};
};

TreeShape random_shape(base::Prng& prng) {
  if (prng.chance(0.5)) {
    return TreeShape::uniform({.fan_out = 1 + static_cast<std::uint32_t>(prng.below(4)),
                               .depth = static_cast<std::uint32_t>(prng.below(4))});
  }
  std::vector<std::uint32_t> parents = {0};
  for (std::uint64_t count = prng.below(20); count > 0; --count) {
    parents.push_back(static_cast<std::uint32_t>(prng.below(parents.size())));
  }
  return TreeShape::of_parents(parents);
}

Trial random_trial(std::uint64_t seed) {
  base::Prng prng(seed);
  Trial trial{.shape = random_shape(prng)};
  trial.filter = {20 + prng.below(200), 1 + static_cast<std::uint32_t>(prng.below(4))};
  const std::uint64_t key_count = 20 + prng.below(100);
  for (int i = 0; i < 150; ++i) {
    const std::uint32_t leaf = trial.shape.leaves()[prng.below(trial.shape.leaves().size())];
    trial.offers.push_back({leaf, mix(seed * 1000 + prng.below(key_count))});
  }
  return trial;
}

bool offer(BloomTree& tree, Setting setting, const Offer& event) {
  return (setting == kDense ? tree.test_and_set(event.leaf, event.key)
                            : tree.first_test_then_set(event.leaf, event.key))
      .distinct;
}

std::vector<bool> answers_of(BloomTree tree, Setting setting, const std::vector<Offer>& offers) {
  std::vector<bool> answers;
  for (const Offer& event : offers) answers.push_back(offer(tree, setting, event));
  return answers;
}

std::vector<bool> single_answers(const Trial& trial) {
  ClassicBloom single(trial.filter);
  std::vector<bool> answers;
  for (const Offer& event : trial.offers) answers.push_back(single.test_and_set(event.key));
  return answers;
}

// Events called distinct although they were, before, called distinct or offered at all.
struct Repeats {
  std::size_t of_distinct = 0;
  std::size_t of_offered = 0;
};

Repeats repeats_of(const std::vector<Offer>& offers, const std::vector<bool>& answers) {
  Repeats repeats;
  std::set<std::uint64_t> distinct;
  std::set<std::uint64_t> offered;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const bool is_new = offered.insert(offers[i].key).second;
    if (!answers[i]) continue;
    repeats.of_offered += is_new ? 0U : 1U;
    repeats.of_distinct += distinct.insert(offers[i].key).second ? 0U : 1U;
  }
  return repeats;
}

// As many cells per node as chance has it.
std::vector<ClassicBloom> unequal_nodes(const Trial& trial) {
  base::Prng prng(trial.offers[0].key);
  std::vector<ClassicBloom> nodes;
  for (std::uint32_t i = 0; i < trial.shape.node_count(); ++i) {
    nodes.emplace_back(BloomShape{10 + prng.below(200), trial.filter.probe_count});
  }
  return nodes;
}

// Propositions 3 and 4 in their exact form.
TEST(BloomTreeTest, DenseAndSparseAnswerAsASingleFilterDoes) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Trial trial = random_trial(seed);
    const BloomTree tree(trial.shape, ClassicBloom(trial.filter));
    const std::vector<bool> single = single_answers(trial);
    ASSERT_EQ(answers_of(tree, kDense, trial.offers), single) << "seed " << seed;
    ASSERT_EQ(answers_of(tree, kSparse, trial.offers), single) << "seed " << seed;
  }
}

TEST(BloomTreeTest, ANodesCellsAreItsParentsAndTheRootHasAllOfTheSingleFilter) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Trial trial = random_trial(seed);
    for (const std::uint32_t top_down_level : {0U, 2U}) {
      for (const Setting setting : {kDense, kSparse}) {
        BloomTree tree(trial.shape, ClassicBloom(trial.filter), {.top_down_level = top_down_level});
        ClassicBloom single(trial.filter);
        for (const Offer& event : trial.offers) {
          offer(tree, setting, event);
          single.set(event.key);
        }
        ASSERT_EQ(tree.node(0), single) << "seed " << seed;
        for (std::uint32_t node = 1; node < trial.shape.node_count(); ++node) {
          const ClassicBloom& parent = tree.node(trial.shape.parent(node));
          for (std::uint64_t cell = 0; cell < trial.filter.cell_count; ++cell) {
            ASSERT_TRUE(parent.cell(cell) || !tree.node(node).cell(cell)) << "seed " << seed;
          }
        }
      }
    }
  }
}

TEST(BloomTreeTest, UnequalNodesTellSparseFromDenseButRepeatNothing) {
  int difference_count = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Trial trial = random_trial(seed);
    const BloomTree tree(trial.shape, unequal_nodes(trial));
    const auto dense = answers_of(tree, kDense, trial.offers);
    const auto sparse = answers_of(tree, kSparse, trial.offers);
    difference_count += dense != sparse ? 1 : 0;
    ASSERT_EQ(repeats_of(trial.offers, dense).of_distinct, 0U) << "seed " << seed;
    ASSERT_EQ(repeats_of(trial.offers, sparse).of_distinct, 0U) << "seed " << seed;
  }
  EXPECT_GT(difference_count, 50);
}

TEST(BloomTreeTest, AnEventInsertedAnywhereIsFoundFromEveryLeaf) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Trial trial = random_trial(seed);
    for (const Setting setting : {kDense, kSparse}) {
      BloomTree tree(trial.shape, ClassicBloom(trial.filter));
      for (const Offer& event : trial.offers) offer(tree, setting, event);
      for (const std::uint32_t leaf : trial.shape.leaves()) {
        for (const Offer& event : trial.offers) {
          ASSERT_FALSE(tree.test(leaf, event.key).distinct) << "seed " << seed;
        }
      }
    }
  }
}

TEST(BloomTreeTest, TopDownChecksOnlyTurnDuplicatesIntoDistinct) {
  std::map<Setting, std::uint64_t> spared;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Trial trial = random_trial(seed);
    const std::vector<bool> single = single_answers(trial);
    for (const Setting setting : {kDense, kSparse}) {
      for (const RefutedMatch refuted_match : {kClimb, kStop}) {
        const auto level = 1 + static_cast<std::uint32_t>(seed % 3);
        const BloomTree tree(trial.shape, ClassicBloom(trial.filter), {level, refuted_match});
        const auto answers = answers_of(tree, setting, trial.offers);
        for (std::size_t i = 0; i < answers.size(); ++i) {
          ASSERT_TRUE(answers[i] || !single[i]) << "seed " << seed;
          spared[setting] += answers[i] && !single[i] ? 1U : 0U;
        }
      }
    }
  }
  EXPECT_GT(spared[kDense], 1000U);
  EXPECT_GT(spared[kSparse], 1000U);
}

TEST(BloomTreeTest, TopDownChecksThatClimbOnHaveNoFalseNegatives) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Trial trial = random_trial(seed);
    const BloomTreeOptions options{.top_down_level = 1 + static_cast<std::uint32_t>(seed % 4)};
    const BloomTree equal(trial.shape, ClassicBloom(trial.filter), options);
    const BloomTree unequal(trial.shape, unequal_nodes(trial), options);
    for (const Setting setting : {kDense, kSparse}) {
      const auto answers = answers_of(equal, setting, trial.offers);
      ASSERT_EQ(repeats_of(trial.offers, answers).of_offered, 0U) << "seed " << seed;
      const auto others = answers_of(unequal, setting, trial.offers);
      ASSERT_EQ(repeats_of(trial.offers, others).of_distinct, 0U) << "seed " << seed;
    }
  }
}

TEST(BloomTreeTest, TopDownChecksThatStopHaveFalseNegativesUnlessOnlyTheRootIsDoubted) {
  std::map<Setting, std::uint64_t> repeat_count;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Trial trial = random_trial(seed);
    for (const Setting setting : {kDense, kSparse}) {
      const BloomTree root_only(trial.shape, ClassicBloom(trial.filter), {1, kStop});
      const auto root_answers = answers_of(root_only, setting, trial.offers);
      ASSERT_EQ(repeats_of(trial.offers, root_answers).of_offered, 0U) << "seed " << seed;
      const BloomTree tree(trial.shape, ClassicBloom(trial.filter), {3, kStop});
      const auto answers = answers_of(tree, setting, trial.offers);
      repeat_count[setting] += repeats_of(trial.offers, answers).of_distinct;
    }
  }
  EXPECT_GT(repeat_count[kDense], 50U);
  EXPECT_GT(repeat_count[kSparse], 50U);
}

TEST(BloomTreeTest, TopDownChecksTellSparseFromDense) {
  int difference_count = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Trial trial = random_trial(seed);
    const BloomTree tree(trial.shape, ClassicBloom(trial.filter), {.top_down_level = 3});
    const auto dense = answers_of(tree, kDense, trial.offers);
    difference_count += dense != answers_of(tree, kSparse, trial.offers) ? 1 : 0;
  }
  EXPECT_GT(difference_count, 20);
}

// The root holds a (of the left leaf) and b (of the right one); x is a false positive of the two.
TEST(BloomTreeTest, ACheckOfTheOtherLeafRefutesTheRootsFalseMatch) {
  const ClassicBloom filter({64, 2});
  ClassicBloom both = filter;
  std::uint64_t a = 0;
  std::uint64_t b = 1;
  both.set(a);
  both.set(b);
  std::uint64_t x = 2;
  const auto is_false_match = [&](std::uint64_t key) {
    ClassicBloom one = filter;
    one.set(a);
    ClassicBloom other = filter;
    other.set(b);
    return !both.test(key) && one.test(key) && other.test(key);
  };
  while (!is_false_match(x)) ++x;
  const TreeShape shape = TreeShape::uniform({.fan_out = 2, .depth = 1});
  for (const std::uint32_t top_down_level : {0U, 1U}) {
    BloomTree tree(shape, filter, {.top_down_level = top_down_level});
    tree.test_and_set(1, a);
    tree.test_and_set(2, b);
    EXPECT_EQ(tree.test_and_set(1, x).distinct, top_down_level == 1);
    EXPECT_FALSE(tree.test_and_set(2, x).distinct);
    EXPECT_EQ(tree.counts()[0].refuted_count, top_down_level);
  }
}

// The example of the header: u at A, then twice at C.
TEST(BloomTreeTest, CountsAccessesAndHitsByLevel) {
  const TreeShape shape = TreeShape::uniform({.fan_out = 2, .depth = 2});
  constexpr std::uint32_t kA = 3;
  constexpr std::uint32_t kC = 5;
  constexpr std::uint64_t kKey = 7;
  BloomTree dense(shape, ClassicBloom({1000, 4}));
  EXPECT_EQ(dense.test_and_set(kA, kKey).access_count, 3U);
  const TreeAnswer first = dense.test_and_set(kC, kKey);
  EXPECT_EQ(first.level, 0U);
  EXPECT_FALSE(first.distinct);
  const TreeAnswer second = dense.test_and_set(kC, kKey);
  EXPECT_EQ(second.level, 2U);
  EXPECT_EQ(second.access_count, 1U);
  EXPECT_THAT(dense.counts(), ElementsAre(TreeLevelCounts{2, 1, 0}, TreeLevelCounts{2, 0, 0},
                                          TreeLevelCounts{3, 1, 0}));
  EXPECT_EQ(dense.levels_climbed(), 4U);

  BloomTree sparse(shape, ClassicBloom({1000, 4}));
  EXPECT_EQ(sparse.first_test_then_set(kA, kKey).access_count, 6U);
  sparse.first_test_then_set(kC, kKey);
  sparse.first_test_then_set(kC, kKey);
  EXPECT_THAT(sparse.counts(), ElementsAre(TreeLevelCounts{4, 2, 0}, TreeLevelCounts{4, 0, 0},
                                           TreeLevelCounts{4, 0, 0}));
  EXPECT_EQ(sparse.levels_climbed(), 6U);
}

TEST(BloomTreeTest, DenseTreesFindDuplicatesNearerToTheirProducers) {
  base::Prng prng(1);
  const TreeShape shape = TreeShape::uniform({.fan_out = 4, .depth = 2});
  BloomTree dense(shape, ClassicBloom({50'000, 4}));
  BloomTree sparse(shape, ClassicBloom({50'000, 4}));
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t leaf = shape.leaves()[prng.below(shape.leaves().size())];
    const std::uint64_t key = mix(prng.below(200));
    dense.test_and_set(leaf, key);
    sparse.first_test_then_set(leaf, key);
  }
  EXPECT_GT(dense.counts()[2].hit_count, 3 * sparse.counts()[2].hit_count);
  EXPECT_LT(dense.counts()[0].access_count, sparse.counts()[0].access_count);
  EXPECT_LT(dense.levels_climbed(), sparse.levels_climbed());
}

// The smallest filter that forgets.
struct Window {
  std::map<std::uint64_t, int> expiries = {};

  bool test(std::uint64_t key, int now) const {
    const auto found = expiries.find(key);
    return found == expiries.end() || found->second <= now;
  }
  void set(std::uint64_t key, int now) { expiries[key] = now + 10; }
};

TEST(BloomTreeTest, TakesFiltersThatForget) {
  BasicBloomTree<Window> tree(TreeShape::uniform({.fan_out = 2, .depth = 1}), Window{});
  EXPECT_TRUE(tree.first_test_then_set(1, std::uint64_t{7}, 0).distinct);
  EXPECT_FALSE(tree.first_test_then_set(2, std::uint64_t{7}, 9).distinct);
  EXPECT_TRUE(tree.first_test_then_set(2, std::uint64_t{7}, 10).distinct);
  EXPECT_FALSE(tree.first_test_then_set(1, std::uint64_t{7}, 19).distinct);
}

}  // namespace
}  // namespace weir::bloom
