// SPDX-License-Identifier: Apache-2.0
// RowLot: rows on their way to many buckets, which are sorted by bucket before they are written.
//
// Rows that come one by one each touch a block somewhere else in memory; those of a lot touch each
// block once. As long as a lot has rows of a bucket, nothing else may change the bucket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bloom/line_buffer.h"
#include "match/content/ids.h"
#include "match/content/row_block.h"
#include "match/content/row_store.h"

namespace weir::match::content {

class RowLot {
 public:
  static constexpr std::size_t kRowCountMax = 500'000;

  // For so many rows, or at most kRowCountMax of them at a time.
  explicit RowLot(std::size_t row_count);

  bool is_full() const { return row_count_ == row_bound_; }
  // Gives the row's place in the bucket, where it is not yet. Requires a lot that is not full.
  std::uint32_t add(BucketId bucket, const Row& row, const RowStore& store) {
    pending()[row_count_++] = {bucket, row};
    if (bucket >= next_places_.size()) learn_places(bucket, store);
    return next_places_[bucket]++;
  }
  // Empties the lot.
  void write_to(RowStore& store);

 private:
  struct PendingRow {
    BucketId bucket;
    Row row;
  };

  PendingRow* pending() { return reinterpret_cast<PendingRow*>(pending_.data()); }
  Row* sorted() { return reinterpret_cast<Row*>(sorted_.data()); }
  void learn_places(BucketId last, const RowStore& store);

  std::size_t row_bound_;
  bloom::LineBuffer pending_;
  bloom::LineBuffer sorted_;
  std::size_t row_count_ = 0;
  std::vector<std::uint32_t> next_places_;  // by bucket, behind those; of some of the buckets
};

}  // namespace weir::match::content
