// SPDX-License-Identifier: Apache-2.0
// IntervalIndex: which of many closed intervals contain a key, at the cost of listing them.
//
// Keys are 64-bit; order_key() maps numbers and timestamps to keys without ever changing their
// order, though two that lie very close may get one key: an answer is a candidate, not a match.
//
// An interval tree (Edelsbrunner 1980) over the fixed binary trie of all keys, as in the relational
// interval tree (Kriegel, Poetke, Seidl, VLDB 2000), so that nothing is ever rebalanced. An
// interval is kept at one node, the one at whose centre its two ends part:
//
//   low    0110 0010        they part at bit 4, so
//   high   0111 0100        centre = 0111 0000, which names the node
//
// A key meets one node on every level. Left of the centre every interval there that begins at or
// before the key contains it, right of the centre every one that ends at or after it. Half-bounded
// intervals need no special care.
//
// Cost: a look-up for each level in use (at most 64, a dozen in practice), then a step for each
// interval found. Adding and removing take O(log n). About 50 bytes per interval.
#pragma once

#include <array>
#include <bit>
#include <boost/unordered/unordered_flat_map.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/prng.h"
#include "event/value.h"
#include "match/content/ids.h"
#include "match/content/sorted_list.h"

namespace weir::match::content {

// Requires a number or a timestamp.
std::uint64_t order_key(const event::Value& value);

struct KeyInterval {
  std::uint64_t low = 0;
  std::uint64_t high = ~std::uint64_t{0};
};

class IntervalIndex {
 public:
  bool empty() const { return level_mask_ == 0; }

  // Requires low <= high.
  void add(const KeyInterval& interval, ConjunctionId id);
  // Requires that this was added.
  void remove(const KeyInterval& interval, ConjunctionId id);

  template <typename Visit>
  void for_each_containing(std::uint64_t key, Visit&& visit) const {
    for (std::uint64_t levels = level_mask_; levels != 0; levels &= levels - 1) {
      const std::uint64_t centre_bit = levels & (0 - levels);
      const auto node = nodes_.find((key & ~(centre_bit - 1)) | centre_bit);
      if (node == nodes_.end()) continue;
      if ((key & centre_bit) == 0) {
        node->second.by_low.scan_up(
            [&](const End& end) { return end.key <= key && (visit(end.id), true); });
      } else {
        node->second.by_high.scan_down(
            [&](const End& end) { return end.key >= key && (visit(end.id), true); });
      }
    }
  }

 private:
  struct End {
    std::uint64_t key = 0;
    ConjunctionId id = kNoId;

    auto operator<=>(const End&) const = default;
  };
  struct Node {
    SortedList<End> by_low;
    SortedList<End> by_high;
  };
  struct Hash {
    using is_avalanching = void;
    std::size_t operator()(std::uint64_t centre) const {
      return static_cast<std::size_t>(base::Prng(centre).next());
    }
  };

  static std::uint64_t centre_of(const KeyInterval& interval);

  boost::unordered_flat_map<std::uint64_t, Node, Hash> nodes_;  // by centre
  std::uint64_t level_mask_ = 0;                                // levels with nodes
  std::array<std::uint32_t, 64> node_counts_{};                 // by level
};

}  // namespace weir::match::content
