// SPDX-License-Identifier: Apache-2.0
// RowStore: buckets of rows, each in blocks of 64; small buckets in one smaller block.
//
// Adding and removing a row takes constant time: the last row of the bucket takes the place of one
// that goes. Memory comes in chunks and is reused, not given back. Ten bytes per row, and half a
// block per bucket on average.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/growing_array.h"
#include "bloom/line_buffer.h"
#include "match/content/ids.h"
#include "match/content/row_block.h"
#include "match/content/row_kernels.h"

namespace weir::match::content {

class RowStore {
 public:
  BucketId make_bucket();
  // Requires that it is empty.
  void drop_bucket(BucketId id);

  // Gives the row's place in the bucket.
  std::uint32_t add(BucketId id, const Row& row);
  // The same for several, in their order.
  void append(BucketId id, std::span<const Row> rows);
  // Gives the record of the row that has this place now; kNoId if that was the last place.
  RecordRef remove(BucketId id, std::uint32_t place);
  // Asks for what that touches.
  void prefetch_remove(BucketId id, std::uint32_t place) const;
  RecordRef record_at(BucketId id, std::uint32_t place) const;
  std::uint32_t row_count(BucketId id) const { return buckets_[id].row_count; }
  // One more than the largest id in use so far.
  std::size_t bucket_bound() const { return buckets_.size(); }

  // Asks for the bucket, for a prefetch() some steps later.
  void prefetch_bucket(BucketId id) const { __builtin_prefetch(&buckets_[id]); }
  // Asks for the first blocks, for a scan some steps later; gives the number of rows.
  std::uint32_t prefetch(BucketId id) const;
  // Writes the records of rows that let the event through, and gives their number. There must be
  // room for all rows of the bucket, and kRecordPadCount more.
  std::size_t scan(BucketId id, RowKernel kernel, const std::uint8_t* lanes,
                   RecordRef* records) const;

  std::size_t size() const { return row_count_; }
  std::size_t memory_bytes() const;

 private:
  using Blocks = std::vector<std::uint8_t*>;  // of 64 rows each
  // More than there are records for.
  static constexpr std::uint32_t kNoMore = (1U << 30U) - 1;
  // Four lie in a cache line, and none in two.
  struct alignas(16) Bucket {
    std::uint8_t* first = nullptr;  // null: there are no rows
    std::uint32_t row_count = 0;
    std::uint32_t first_pool : 2 = 0;
    std::uint32_t more : 30 = kNoMore;  // in more_, the blocks after the first; kNoMore: none

    std::size_t first_capacity() const { return kBlockRowsMin << first_pool; }
    bool has_more() const { return more != kNoMore; }
  };
  // Blocks of one size. Those of 64 rows begin at a cache line, and so does each of their columns.
  struct Pool {
    base::GrowingArray<std::uint8_t*> free = {};
    std::vector<bloom::LineBuffer> chunks = {};
    std::size_t left = 0;  // blocks in the last chunk that were never used
  };
  static constexpr std::size_t kPoolCount = 4;  // 8, 16, 32, 64 rows

  static std::size_t pool_of(std::size_t capacity);
  RowBlock block_at(const Bucket& bucket, std::uint32_t place) const;
  std::uint8_t* take_block(std::size_t capacity);
  void give_block(std::uint8_t* block, std::size_t capacity);
  std::uint32_t take_more();
  void make_room(Bucket& bucket, std::size_t wanted_count);
  void resize_first(Bucket& bucket, std::size_t capacity);
  void free_room(Bucket& bucket);

  base::GrowingArray<Bucket> buckets_;
  base::GrowingArray<BucketId> free_buckets_;
  std::vector<Blocks> more_;
  std::vector<std::uint32_t> free_more_;
  std::array<Pool, kPoolCount> pools_;
  std::size_t row_count_ = 0;
};

}  // namespace weir::match::content
