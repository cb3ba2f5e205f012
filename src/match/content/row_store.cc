// SPDX-License-Identifier: Apache-2.0
#include "match/content/row_store.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/heap_bytes.h"

namespace weir::match::content {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 22U;
constexpr std::size_t kBlocksAhead = 2;  // asked for before they are scanned

// All but the records; of a small block a little more, so that there is no branch on its size,
// which is hard to foresee.
void prefetch_block(const std::uint8_t* block, std::size_t capacity) {
  constexpr std::size_t kSmallLines = 3;
  for (std::size_t i = 0; i < kSmallLines; ++i) __builtin_prefetch(block + 64 * i);
  if (capacity < kBlockRowsMax) return;
  for (std::size_t i = kSmallLines; i < 6; ++i) __builtin_prefetch(block + 64 * i);
}

}  // namespace

std::size_t RowStore::pool_of(std::size_t capacity) {
  return static_cast<std::size_t>(std::countr_zero(capacity / kBlockRowsMin));
}

std::uint8_t* RowStore::take_block(std::size_t capacity) {
  Pool& pool = pools_[pool_of(capacity)];
  if (!pool.free.empty()) {
    std::uint8_t* const block = pool.free.back();
    pool.free.pop_back();
    return block;
  }
  const std::size_t bytes = capacity * kRowBytes;
  const std::size_t count = (kChunkBytes - kBlockPadBytes) / bytes;
  if (pool.left == 0) {
    // The first may stay nearly empty.
    using Pages = bloom::LineBuffer::Pages;
    pool.chunks.emplace_back(kChunkBytes / bloom::kLineBytes,
                             pool.chunks.empty() ? Pages::kSmall : Pages::kHuge);
    pool.left = count;
  }
  auto* const first = reinterpret_cast<std::uint8_t*>(pool.chunks.back().data());
  return first + (count - pool.left--) * bytes;
}

void RowStore::give_block(std::uint8_t* block, std::size_t capacity) {
  pools_[pool_of(capacity)].free.push_back(block);
}

BucketId RowStore::make_bucket() {
  if (free_buckets_.empty()) {
    buckets_.push_back({});
    return static_cast<BucketId>(buckets_.size() - 1);
  }
  const BucketId id = free_buckets_.back();
  free_buckets_.pop_back();
  return id;
}

void RowStore::drop_bucket(BucketId id) {
  WEIR_CHECK(buckets_[id].row_count == 0);
  buckets_[id] = {};
  free_buckets_.push_back(id);
}

RowBlock RowStore::block_at(const Bucket& bucket, std::uint32_t place) const {
  if (place < kBlockRowsMax) return {bucket.first, bucket.first_capacity()};
  return {more_[bucket.more][place / kBlockRowsMax - 1], kBlockRowsMax};
}

// An empty list of blocks.
std::uint32_t RowStore::take_more() {
  if (free_more_.empty()) {
    more_.emplace_back();
    return static_cast<std::uint32_t>(more_.size() - 1);
  }
  const std::uint32_t list = free_more_.back();
  free_more_.pop_back();
  return list;
}

// For one row more at least, of so many that are to come.
void RowStore::make_room(Bucket& bucket, std::size_t wanted_count) {
  const std::size_t capacity = bucket.first == nullptr ? 0 : bucket.first_capacity();
  if (bucket.row_count < capacity) return;
  if (capacity < kBlockRowsMax) {
    const std::size_t fitting = std::bit_ceil(bucket.row_count + wanted_count);
    return resize_first(bucket, std::clamp(fitting, kBlockRowsMin, kBlockRowsMax));
  }
  if (!bucket.has_more()) bucket.more = take_more() & kNoMore;
  Blocks& more = more_[bucket.more];
  if (bucket.row_count / kBlockRowsMax - 1 == more.size()) {
    more.push_back(take_block(kBlockRowsMax));
  }
}

// After a row has gone.
void RowStore::free_room(Bucket& bucket) {
  const std::size_t capacity = bucket.first_capacity();
  if (bucket.row_count == 0) {
    give_block(bucket.first, capacity);
    bucket.first = nullptr;
  } else if (bucket.has_more() && bucket.row_count % kBlockRowsMax == 0) {
    Blocks& more = more_[bucket.more];
    give_block(more.back(), kBlockRowsMax);
    more.pop_back();
    if (!more.empty()) return;
    more = {};
    free_more_.push_back(bucket.more);
    bucket.more = kNoMore;
  } else if (capacity > kBlockRowsMin && bucket.row_count <= capacity / 4) {
    resize_first(bucket, capacity / 2);
  }
}

void RowStore::resize_first(Bucket& bucket, std::size_t capacity) {
  const RowBlock to{take_block(capacity), capacity};
  if (bucket.first != nullptr) {
    const RowBlock from{bucket.first, bucket.first_capacity()};
    for (std::size_t i = 0; i < bucket.row_count; ++i) to.write(i, from.read(i));
    give_block(from.bytes, from.capacity);
  }
  bucket.first = to.bytes;
  bucket.first_pool = pool_of(capacity) & 3U;
}

std::uint32_t RowStore::add(BucketId id, const Row& row) {
  Bucket& bucket = buckets_[id];
  make_room(bucket, 1);
  const std::uint32_t place = bucket.row_count++;
  const RowBlock block = block_at(bucket, place);
  block.prefetch(place % kBlockRowsMax);  // at once; the writes wait for one another
  block.write(place % kBlockRowsMax, row);
  ++row_count_;
  return place;
}

void RowStore::append(BucketId id, std::span<const Row> rows) {
  Bucket& bucket = buckets_[id];
  row_count_ += rows.size();
  while (!rows.empty()) {
    make_room(bucket, rows.size());
    const RowBlock block = block_at(bucket, bucket.row_count);
    const std::size_t first = bucket.row_count % kBlockRowsMax;
    const std::size_t count = std::min(rows.size(), block.capacity - first);
    for (std::size_t i = 0; i < count; ++i) block.write(first + i, rows[i]);
    bucket.row_count += static_cast<std::uint32_t>(count);
    rows = rows.subspan(count);
  }
}

RecordRef RowStore::remove(BucketId id, std::uint32_t place) {
  Bucket& bucket = buckets_[id];
  WEIR_CHECK(place < bucket.row_count);
  const std::uint32_t last = bucket.row_count - 1;
  RecordRef moved = kNoId;
  if (place != last) {
    const Row row = block_at(bucket, last).read(last % kBlockRowsMax);
    block_at(bucket, place).write(place % kBlockRowsMax, row);
    moved = row.record;
  }
  --bucket.row_count;
  --row_count_;
  free_room(bucket);
  return moved;
}

void RowStore::prefetch_remove(BucketId id, std::uint32_t place) const {
  const Bucket& bucket = buckets_[id];
  const std::uint32_t last = bucket.row_count - 1;
  block_at(bucket, last).prefetch(last % kBlockRowsMax);
  block_at(bucket, place).prefetch(place % kBlockRowsMax);
}

RecordRef RowStore::record_at(BucketId id, std::uint32_t place) const {
  return block_at(buckets_[id], place).read(place % kBlockRowsMax).record;
}

std::uint32_t RowStore::prefetch(BucketId id) const {
  const Bucket& bucket = buckets_[id];
  prefetch_block(bucket.first, bucket.first_capacity());
  if (!bucket.has_more()) return bucket.row_count;
  const Blocks& more = more_[bucket.more];
  const std::size_t count = std::min(more.size(), kBlocksAhead);
  for (std::size_t i = 0; i < count; ++i) prefetch_block(more[i], kBlockRowsMax);
  return bucket.row_count;
}

std::size_t RowStore::scan(BucketId id, RowKernel kernel, const std::uint8_t* lanes,
                           RecordRef* records) const {
  const Bucket& bucket = buckets_[id];
  std::size_t found =
      kernel(bucket.first, bucket.first_capacity(),
             std::min<std::size_t>(bucket.row_count, kBlockRowsMax), lanes, records);
  if (!bucket.has_more()) return found;
  const Blocks& more = more_[bucket.more];
  std::size_t left = bucket.row_count - kBlockRowsMax;
  for (std::size_t i = 0; i < more.size(); ++i, left -= kBlockRowsMax) {
    if (i + kBlocksAhead < more.size()) prefetch_block(more[i + kBlocksAhead], kBlockRowsMax);
    found += kernel(more[i], kBlockRowsMax, std::min(left, kBlockRowsMax), lanes, records + found);
  }
  return found;
}

std::size_t RowStore::memory_bytes() const {
  std::size_t bytes = buckets_.memory_bytes() + free_buckets_.memory_bytes() +
                      base::heap_bytes(more_) + base::heap_bytes(free_more_);
  for (const Blocks& more : more_) bytes += base::heap_bytes(more);
  for (std::size_t i = 0; i < kPoolCount; ++i) {
    const Pool& pool = pools_[i];
    const std::size_t never_used = pool.left * (kBlockRowsMin << i) * kRowBytes;
    bytes += pool.chunks.size() * kChunkBytes - never_used + base::heap_bytes(pool.chunks) +
             pool.free.memory_bytes();
  }
  return bytes;
}

}  // namespace weir::match::content
