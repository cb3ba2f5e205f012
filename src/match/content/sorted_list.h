// SPDX-License-Identifier: Apache-2.0
// SortedList: a sorted sequence in chunks, for scans from either end, adding and removing anywhere.
//
// A scan reads memory in order. Adding and removing cost a binary search and a move within one
// chunk of at most 2 kB, however long the list is (and, once in a hundred times, a move of the
// chunks).
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "base/check.h"

namespace weir::match::content {

template <typename Item>
class SortedList {
 public:
  bool empty() const { return chunks_.empty(); }

  void add(const Item& item) {
    if (chunks_.empty()) chunks_.emplace_back();
    const auto chunk = chunk_of(item);
    chunk->insert(std::ranges::upper_bound(*chunk, item), item);
    if (chunk->size() > kChunkCountMax) split(chunk);
  }

  // Requires that the item is there.
  void remove(const Item& item) {
    WEIR_CHECK(!chunks_.empty());
    const auto chunk = chunk_of(item);
    const auto found = std::ranges::lower_bound(*chunk, item);
    WEIR_CHECK(found != chunk->end() && *found == item);
    chunk->erase(found);
    if (chunk->empty()) chunks_.erase(chunk);
    if (chunks_.empty()) chunks_.shrink_to_fit();
  }

  // Hands out items in ascending (descending) order until `take` says false.
  template <typename Take>
  void scan_up(Take&& take) const {
    for (const auto& chunk : chunks_) {
      for (const Item& item : chunk) {
        if (!take(item)) return;
      }
    }
  }
  template <typename Take>
  void scan_down(Take&& take) const {
    for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
      for (auto item = chunk->rbegin(); item != chunk->rend(); ++item) {
        if (!take(*item)) return;
      }
    }
  }

 private:
  using Chunk = std::vector<Item>;
  static constexpr std::size_t kChunkCountMax = 2048 / sizeof(Item);

  // The last chunk that does not begin after the item, or the first.
  typename std::vector<Chunk>::iterator chunk_of(const Item& item) {
    const auto after = std::ranges::upper_bound(chunks_, item, {}, [](const Chunk& chunk) {
      return chunk.empty() ? Item() : chunk.front();
    });
    return after == chunks_.begin() ? after : std::prev(after);
  }

  void split(typename std::vector<Chunk>::iterator chunk) {
    const auto middle = chunk->begin() + static_cast<std::ptrdiff_t>(chunk->size() / 2);
    Chunk upper(middle, chunk->end());
    chunk->erase(middle, chunk->end());
    chunks_.insert(std::next(chunk), std::move(upper));
  }

  std::vector<Chunk> chunks_;  // none is empty
};

}  // namespace weir::match::content
