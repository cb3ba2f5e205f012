// SPDX-License-Identifier: Apache-2.0
// BloomTree: filters in a tree whose leaves lie near the producers, so that a duplicate is noticed
// close to where it arises.
//
// The idea (paper 000, section 5): an event is looked up at its producer's leaf, then at the
// parent, up to the first filter that holds it. Only what the root does not know either is
// distinct.
//
//              root               dense, test_and_set (Algorithm 1): set at every node on the way
//            /      \             up until one knew the event. It comes to be known at every leaf
//          n1        n2           that has seen it: duplicates stay local.
//         /  \      /  \          sparse, first_test_then_set (Algorithm 2): tested on the way up,
//        A    B    C    D         set on the way down, only if the root says distinct. It is known
//                                 at one leaf: emptier filters, longer ways.
//
//   u at A, then u twice at C:    dense   A n1 root; C n2 root (hit); C (hit)
//                                 sparse  A n1 root and back; C n2 root (hit); C n2 root (hit)
//
// What holds if all nodes have one configuration and never forget, as ClassicBloom, without the
// top-down check. Every cell that is set in a node is set in its parent, and the root has exactly
// the cells of all events so far: an event that sets nothing at the root has its cells there
// already. So an event is distinct if and only if the root misses it, and
//
//   - sparse and dense answer alike, event by event (Proposition 3 says: falsely as often);
//   - both answer as one filter of that configuration that sees the whole stream, event by event
//     (Proposition 4 says: what the filter calls distinct, the tree does);
//   - an event that was offered at any leaf is never called distinct again.
//
// With nodes of different configurations a small leaf may hit falsely and keep an event from the
// root, a dense one, being fuller, at other events than a sparse one. Then sparse, dense and single
// filter differ, and what is left is that nothing is called distinct twice.
//
// The top-down check: a match at level j < d is doubted. The other children of the matching node
// are asked, and those of each child that matches, down to level d (or a leaf); if every way down
// ends in a miss, the match was false. Then
//
//   kClimb  goes on to the parent as if the node had missed. No false negatives: an event that was
//           called distinct has its cells in all nodes from its leaf to the root, and one that was
//           called a duplicate in a way of nodes that stood the check (and, among equal nodes, in
//           all above). Cells are never cleared, so a later lookup meets that way and finds it.
//           With unequal nodes, again, nothing is called distinct twice.
//   kStop   is the paper's text: distinct at once. It has false negatives unless the doubted match
//           is the root's, since an event that was seen elsewhere is not looked for any more.
//
// Among equal nodes the check only turns "duplicate" into "distinct", event by event over the same
// stream, for both algorithms and both of the above. It costs tests of up to the whole subtree.
// With it sparse and dense differ, and both call events distinct that a single filter would not.
//
// Windows: only first_test_then_set. Dense setting would let a leaf remember a duplicate for longer
// than the root remembers the event.
//
// Costs: at most one filter access per level and way. The filter is a parameter: anything copyable
// with bool test(args...), bool test_and_set(args...) and void set(args...), where args are a key
// or a key and a time. Single-threaded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "bloom/classic_bloom.h"
#include "bloom/tree_shape.h"

namespace weir::bloom {

enum class RefutedMatch : std::uint8_t { kClimb, kStop };

struct BloomTreeOptions {
  std::uint32_t top_down_level = 0;  // d in the paper; 0: no match is doubted
  RefutedMatch refuted_match = RefutedMatch::kClimb;
};

struct TreeAnswer {
  bool distinct = false;
  std::uint32_t level = 0;         // of the node that decided; 0 is the root
  std::uint32_t access_count = 0;  // of filters
};

struct TreeLevelCounts {
  std::uint64_t access_count = 0;   // tests and sets; a test_and_set is one
  std::uint64_t hit_count = 0;      // duplicates decided here
  std::uint64_t refuted_count = 0;  // matches that the top-down check found false

  bool operator==(const TreeLevelCounts&) const = default;
};

template <typename Filter>
class BasicBloomTree {
 public:
  // nodes[i] is the filter of node i; requires one for each.
  BasicBloomTree(TreeShape shape, std::vector<Filter> nodes, const BloomTreeOptions& options = {})
      : shape_(std::move(shape)),
        nodes_(std::move(nodes)),
        options_(options),
        counts_(shape_.level_count()) {
    WEIR_CHECK(nodes_.size() == shape_.node_count());
  }

  // Every node a copy of this filter.
  BasicBloomTree(const TreeShape& shape, const Filter& node, const BloomTreeOptions& options = {})
      : BasicBloomTree(shape, std::vector<Filter>(shape.node_count(), node), options) {}

  // The event of the producer at this leaf; requires a node without children.
  template <typename... Event>
  TreeAnswer test(std::uint32_t leaf, const Event&... event) {
    return climb(leaf, [&](Filter& node) { return node.test(event...); }, event...);
  }

  template <typename... Event>
  TreeAnswer test_and_set(std::uint32_t leaf, const Event&... event) {
    return climb(leaf, [&](Filter& node) { return node.test_and_set(event...); }, event...);
  }

  template <typename... Event>
  TreeAnswer first_test_then_set(std::uint32_t leaf, const Event&... event) {
    TreeAnswer answer = test(leaf, event...);
    if (!answer.distinct) return answer;
    way_.clear();
    for (std::uint32_t node = leaf; node != 0; node = shape_.parent(node)) way_.push_back(node);
    way_.push_back(0);
    for (; !way_.empty(); way_.pop_back()) access(way_.back(), answer).set(event...);
    return answer;
  }

  const TreeShape& shape() const { return shape_; }
  const Filter& node(std::uint32_t index) const { return nodes_[index]; }
  // By level, the root's first.
  std::span<const TreeLevelCounts> counts() const { return counts_; }
  // Steps from a node to its parent, of all events.
  std::uint64_t levels_climbed() const { return levels_climbed_; }

 private:
  static constexpr std::uint32_t kNoNode = kTreeNodeCountMax;

  Filter& access(std::uint32_t node, TreeAnswer& answer) {
    ++counts_[shape_.level(node)].access_count;
    ++answer.access_count;
    return nodes_[node];
  }

  template <typename Misses, typename... Event>
  TreeAnswer climb(std::uint32_t leaf, Misses misses, const Event&... event) {
    WEIR_CHECK(leaf < shape_.node_count() && shape_.is_leaf(leaf));
    TreeAnswer answer;
    for (std::uint32_t node = leaf, from = kNoNode;; from = node, node = shape_.parent(node)) {
      answer.level = shape_.level(node);
      answer.distinct = misses(access(node, answer));
      if (!answer.distinct) {
        answer.distinct = doubted(node) && !found_below(node, from, answer, event...);
        ++(answer.distinct ? counts_[answer.level].refuted_count : counts_[answer.level].hit_count);
        if (!answer.distinct || options_.refuted_match == RefutedMatch::kStop) return answer;
      }
      if (node == 0) return answer;
      ++levels_climbed_;
    }
  }

  // A leaf's match has nothing below it that could refute it.
  bool doubted(std::uint32_t node) const {
    return shape_.level(node) < options_.top_down_level && !shape_.is_leaf(node);
  }

  // Whether a way of matches leads from the matching node down to level d or a leaf.
  template <typename... Event>
  bool found_below(std::uint32_t node, std::uint32_t from, TreeAnswer& answer,
                   const Event&... event) {
    return std::ranges::any_of(shape_.children(node), [&](std::uint32_t child) {
      if (child == from || access(child, answer).test(event...)) return false;
      return !doubted(child) || found_below(child, kNoNode, answer, event...);
    });
  }

  TreeShape shape_;
  std::vector<Filter> nodes_;
  BloomTreeOptions options_;
  std::vector<TreeLevelCounts> counts_;
  std::uint64_t levels_climbed_ = 0;
  std::vector<std::uint32_t> way_;  // of the event at hand, the root last
};

using BloomTree = BasicBloomTree<ClassicBloom>;

extern template class BasicBloomTree<ClassicBloom>;

}  // namespace weir::bloom
