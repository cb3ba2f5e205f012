// SPDX-License-Identifier: Apache-2.0
#include "bloom/tree_shape.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/check.h"

namespace weir::bloom {

TreeShape TreeShape::of_parents(std::vector<std::uint32_t> parents) {
  return TreeShape(std::move(parents));
}

TreeShape TreeShape::uniform(const UniformTree& tree) {
  std::vector<std::uint32_t> parents = {0};
  std::size_t level_begin = 0;
  for (std::uint32_t level = 0; level < tree.depth; ++level) {
    const std::size_t level_end = parents.size();
    WEIR_CHECK(tree.fan_out >= 1 && tree.fan_out <= kTreeNodeCountMax / level_end);
    for (std::size_t node = level_begin; node < level_end; ++node) {
      parents.insert(parents.end(), tree.fan_out, static_cast<std::uint32_t>(node));
    }
    level_begin = level_end;
  }
  return TreeShape(std::move(parents));
}

TreeShape::TreeShape(std::vector<std::uint32_t> parents)
    : parents_(std::move(parents)), levels_(parents_.size()), children_(parents_.size()) {
  WEIR_CHECK(!parents_.empty() && parents_.size() <= kTreeNodeCountMax && parents_[0] == 0);
  for (std::uint32_t node = 1; node < node_count(); ++node) {
    WEIR_CHECK(parents_[node] < node);
    levels_[node] = levels_[parents_[node]] + 1;
    level_count_ = std::max(level_count_, levels_[node] + 1);
    children_[parents_[node]].push_back(node);
  }
  for (std::uint32_t node = 0; node < node_count(); ++node) {
    if (is_leaf(node)) leaves_.push_back(node);
  }
}

}  // namespace weir::bloom
