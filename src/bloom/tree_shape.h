// SPDX-License-Identifier: Apache-2.0
// TreeShape: who is whose parent in a tree of filters, and at which level.
//
// Nodes are numbered from the root, 0, so that every parent comes before its children; the root is
// level 0, as in paper 000.
//
//   TreeShape::of_parents({0, 0, 0, 1, 1})        level 0        0
//                                                 level 1     1     2
//                                                 level 2    3 4
//
// Immutable, so any thread may use it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weir::bloom {

struct UniformTree {
  std::uint32_t fan_out = 1;
  std::uint32_t depth = 1;  // of the leaves; 0 is a root alone
};

inline constexpr std::uint32_t kTreeNodeCountMax = 1U << 20U;

class TreeShape {
 public:
  // parents[i] < i is the parent of node i; parents[0] stands for nothing and is 0. Requires
  // between 1 and kTreeNodeCountMax nodes.
  static TreeShape of_parents(std::vector<std::uint32_t> parents);
  static TreeShape uniform(const UniformTree& tree);

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(parents_.size()); }
  std::uint32_t level_count() const { return level_count_; }
  // Requires node > 0.
  std::uint32_t parent(std::uint32_t node) const { return parents_[node]; }
  std::uint32_t level(std::uint32_t node) const { return levels_[node]; }
  std::span<const std::uint32_t> children(std::uint32_t node) const { return children_[node]; }
  bool is_leaf(std::uint32_t node) const { return children_[node].empty(); }
  // Nodes without children, ascending.
  std::span<const std::uint32_t> leaves() const { return leaves_; }

 private:
  explicit TreeShape(std::vector<std::uint32_t> parents);

  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> levels_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::uint32_t> leaves_;
  std::uint32_t level_count_ = 1;
};

}  // namespace weir::bloom
