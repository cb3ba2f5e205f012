// SPDX-License-Identifier: Apache-2.0
#include "bloom/tree_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace weir::bloom {
namespace {

using ::testing::ElementsAre;

TEST(TreeShapeTest, KnowsLevelsChildrenAndLeavesFromParents) {
  const TreeShape shape = TreeShape::of_parents({0, 0, 0, 1, 1});
  EXPECT_EQ(shape.node_count(), 5U);
  EXPECT_EQ(shape.level_count(), 3U);
  EXPECT_EQ(shape.level(0), 0U);
  EXPECT_EQ(shape.level(2), 1U);
  EXPECT_EQ(shape.level(4), 2U);
  EXPECT_EQ(shape.parent(4), 1U);
  EXPECT_THAT(shape.children(1), ElementsAre(3, 4));
  EXPECT_THAT(shape.leaves(), ElementsAre(2, 3, 4));
  EXPECT_TRUE(shape.is_leaf(2));
  EXPECT_FALSE(shape.is_leaf(1));
}

TEST(TreeShapeTest, UniformTreesHaveAllLeavesAtTheirDepth) {
  const TreeShape shape = TreeShape::uniform({.fan_out = 3, .depth = 2});
  EXPECT_EQ(shape.node_count(), 13U);
  EXPECT_EQ(shape.leaves().size(), 9U);
  for (const std::uint32_t leaf : shape.leaves()) EXPECT_EQ(shape.level(leaf), 2U);
  EXPECT_THAT(shape.children(2), ElementsAre(7, 8, 9));
}

TEST(TreeShapeTest, ARootAloneIsALeaf) {
  const TreeShape shape = TreeShape::uniform({.fan_out = 3, .depth = 0});
  EXPECT_EQ(shape.node_count(), 1U);
  EXPECT_THAT(shape.leaves(), ElementsAre(0));
}

TEST(TreeShapeDeathTest, RefusesParentsThatComeAfterTheirChildren) {
  EXPECT_DEATH(TreeShape::of_parents({0, 2, 0}), "parents_");
  EXPECT_DEATH(TreeShape::of_parents({}), "parents_");
}

}  // namespace
}  // namespace weir::bloom
