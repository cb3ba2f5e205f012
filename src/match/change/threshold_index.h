// SPDX-License-Identifier: Apache-2.0
// ThresholdIndex: ids in the order of their thresholds, in chunks of sorted arrays.
//
// insert and erase cost a search and a move within one chunk, a range is listed as a few spans of
// ids without a copy. About 17 bytes per id all in all, also after random insertions: a chunk's
// arrays grow by kGrowth, not by doubling.
//
//   first thresholds   0.01            0.07            0.4          directory, one per chunk
//                        |               |               |
//   chunk              thresholds [..] thresholds [..] thresholds [..]
//                      ids        [..] ids        [..] ids        [..]
//
// Single-threaded. Cursors and spans are valid until the next change.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "match/change/position.h"

namespace weir::match {

class ThresholdIndex {
 public:
  static constexpr std::size_t kChunkSizeMax = 512;

  // A member, or the end.
  struct Cursor {
    std::size_t chunk = 0;
    std::size_t offset = 0;

    auto operator<=>(const Cursor&) const = default;
  };
  using Spans = std::vector<std::span<const std::uint64_t>>;

  // False if it is there already, or not there.
  bool insert(Position position);
  bool erase(Position position);
  bool contains(Position position) const;
  // Replaces all members, in any order; full chunks.
  void assign(std::vector<Position> positions);

  Cursor begin() const { return {}; }
  Cursor end() const { return {chunks_.size(), 0}; }
  Position at(Cursor cursor) const {
    const Chunk& chunk = chunks_[cursor.chunk];
    return {chunk.thresholds[cursor.offset], chunk.ids[cursor.offset]};
  }
  // Requires a member.
  Cursor after(Cursor cursor) const {
    return cursor.offset + 1 < chunks_[cursor.chunk].size()
               ? Cursor{cursor.chunk, cursor.offset + 1}
               : Cursor{cursor.chunk + 1, 0};
  }
  // The first member at or behind the position.
  Cursor lower_bound(Position position) const;

  // The first member from `from` on for which holds(position) is false. holds() must be true up to
  // some member and false from there on. Costs the logarithm of the distance.
  template <typename Holds>
  Cursor prefix_end(Cursor from, const Holds& holds) const;

  // Appends the ids of [from, to).
  void list(Cursor from, Cursor to, Spans& spans) const;

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kGrowth = 32;
  static constexpr std::size_t kChunkSizeMin = kChunkSizeMax / 4;
  static constexpr std::size_t kMergedSizeMax = kChunkSizeMax * 3 / 4;

  struct Chunk {
    std::vector<double> thresholds;
    std::vector<std::uint64_t> ids;

    std::size_t size() const { return ids.size(); }
    Position at(std::size_t offset) const { return {thresholds[offset], ids[offset]}; }
    void insert(std::size_t offset, Position position);
    void append(const Chunk& other, std::size_t from);
  };

  Position first(std::size_t chunk) const { return {first_thresholds_[chunk], first_ids_[chunk]}; }
  void update_first(std::size_t chunk);
  // Where the position is or belongs, maybe behind the last member of a chunk. Requires a chunk.
  Cursor place_of(Position position) const;
  void insert_chunk(std::size_t chunk, Chunk content);
  void erase_chunk(std::size_t chunk);
  void split(std::size_t chunk);
  void merge_small(std::size_t chunk);
  template <typename Holds>
  static std::size_t first_false(std::size_t low, std::size_t high, const Holds& holds);
  template <typename Holds>
  static std::size_t far_first_false(const Chunk& chunk, const Holds& holds);
  template <typename Holds>
  static std::size_t gallop(std::size_t from, std::size_t end, const Holds& holds);

  std::vector<Chunk> chunks_;  // none is empty
  std::vector<double> first_thresholds_;
  std::vector<std::uint64_t> first_ids_;
  std::size_t size_ = 0;
};

template <typename Holds>
std::size_t ThresholdIndex::first_false(std::size_t low, std::size_t high, const Holds& holds) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <typename Holds>
std::size_t ThresholdIndex::gallop(std::size_t from, std::size_t end, const Holds& holds) {
  std::size_t low = from;
  for (std::size_t step = 1; low + step - 1 < end; step *= 2) {
    if (!holds(low + step - 1)) return first_false(low, low + step - 1, holds);
    low += step;
  }
  return first_false(low, end, holds);
}

// In a chunk that is hardly ever in the cache: what the next steps of the search may need is asked
// for at once, so that it waits for memory twice and not seven times.
template <typename Holds>
std::size_t ThresholdIndex::far_first_false(const Chunk& chunk, const Holds& holds) {
  constexpr std::size_t kLine = 64 / sizeof(double);
  constexpr std::size_t kBlock = 8 * kLine;
  const double* const thresholds = chunk.thresholds.data();
  const std::size_t size = chunk.size();
  for (std::size_t i = kBlock; i < size; i += kBlock) __builtin_prefetch(thresholds + i);
  const std::size_t block = first_false(1, (size + kBlock - 1) / kBlock,
                                        [&](std::size_t i) { return holds(i * kBlock); });
  const std::size_t begin = (block - 1) * kBlock;
  const std::size_t end = std::min(size, begin + kBlock);
  for (std::size_t i = begin; i < end; i += kLine) __builtin_prefetch(thresholds + i);
  return first_false(begin, end, holds);
}

template <typename Holds>
ThresholdIndex::Cursor ThresholdIndex::prefix_end(Cursor from, const Holds& holds) const {
  if (from.chunk == chunks_.size()) return from;
  const std::size_t next = gallop(from.chunk + 1, chunks_.size(),
                                  [&](std::size_t chunk) { return holds(first(chunk)); });
  const std::size_t last = next - 1;
  const Chunk& chunk = chunks_[last];
  const auto holds_at = [&](std::size_t offset) { return holds(chunk.at(offset)); };
  const std::size_t offset = last == from.chunk ? gallop(from.offset, chunk.size(), holds_at)
                                                : far_first_false(chunk, holds_at);
  return offset < chunk.size() ? Cursor{last, offset} : Cursor{next, 0};
}

}  // namespace weir::match
