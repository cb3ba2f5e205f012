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
#include <array>
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
  using Span = std::span<const std::uint64_t>;

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

  // The first member at or behind the position, from `from` on. Fast if it is near.
  Cursor seek(Cursor from, Position position) const;

  // How many are in [from, to), and visit(span of ids) for them.
  std::size_t count(Cursor from, Cursor to) const;
  template <typename Visit>
  void for_each_span(Cursor from, Cursor to, const Visit& visit) const;

  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kGrowth = 32;
  static constexpr std::size_t kChunkSizeMin = kChunkSizeMax / 4;
  static constexpr std::size_t kMergedSizeMax = kChunkSizeMax * 3 / 4;

  static constexpr std::size_t kSampleDistance = 64;

  struct Chunk {
    std::vector<double> thresholds;
    std::vector<std::uint64_t> ids;
    // Every 64th threshold, infinite beyond the last: a search begins without the arrays, which
    // are hardly ever in the cache.
    std::array<double, kChunkSizeMax / kSampleDistance> samples = {};

    std::size_t size() const { return ids.size(); }
    Position at(std::size_t offset) const { return {thresholds[offset], ids[offset]}; }
    // The first member at or behind the position; the size if there is none.
    std::size_t lower_bound(Position position) const;
    void insert(std::size_t offset, Position position);
    void append(const Chunk& other, std::size_t from);
    // Of what has changed, from an offset on.
    void sample(std::size_t from);
  };

  Position first(std::size_t chunk) const { return {first_thresholds_[chunk], first_ids_[chunk]}; }
  // Of a chunk that has changed, from an offset on.
  void update_directory(std::size_t chunk, std::size_t from);
  // The last chunk that begins before the position or with it, from `from` on. Requires a chunk.
  std::size_t chunk_of(std::size_t from, Position position) const;
  // Where the position is or belongs, maybe behind the last member of a chunk. Requires a chunk.
  Cursor place_of(Position position) const;
  void insert_chunk(std::size_t chunk, Chunk content);
  void erase_chunk(std::size_t chunk);
  void split(std::size_t chunk);
  void merge_small(std::size_t chunk);
  std::vector<Chunk> chunks_;  // none is empty
  std::vector<double> first_thresholds_;
  std::vector<std::uint64_t> first_ids_;
  std::vector<std::uint32_t> sizes_;
  std::size_t size_ = 0;
};

template <typename Visit>
void ThresholdIndex::for_each_span(Cursor from, Cursor to, const Visit& visit) const {
  for (; from.chunk < to.chunk; from = {from.chunk + 1, 0}) {
    visit(Span(chunks_[from.chunk].ids).subspan(from.offset));
  }
  if (from.offset < to.offset) {
    visit(Span(chunks_[from.chunk].ids).subspan(from.offset, to.offset - from.offset));
  }
}

}  // namespace weir::match
