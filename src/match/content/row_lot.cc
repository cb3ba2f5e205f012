// SPDX-License-Identifier: Apache-2.0
#include "match/content/row_lot.h"

#include <algorithm>
#include <span>
#include <utility>

namespace weir::match::content {
namespace {

std::size_t lines_of(std::size_t bytes) {
  return (bytes + bloom::kLineBytes - 1) / bloom::kLineBytes;
}

}  // namespace

RowLot::RowLot(std::size_t row_count)
    : row_bound_(std::clamp<std::size_t>(row_count, 1, kRowCountMax)),
      pending_(lines_of(row_bound_ * sizeof(PendingRow))),
      sorted_(lines_of(row_bound_ * sizeof(Row))) {}

void RowLot::learn_places(BucketId last, const RowStore& store) {
  for (auto id = static_cast<BucketId>(next_places_.size()); id <= last; ++id) {
    next_places_.push_back(store.row_count(id));
  }
}

void RowLot::write_to(RowStore& store) {
  // Where each bucket's rows begin among all; while they are sorted, where the next one goes.
  std::uint32_t sum = 0;
  for (BucketId id = 0; id < next_places_.size(); ++id) {
    sum += std::exchange(next_places_[id], sum) - store.row_count(id);
  }
  for (const auto& [bucket, row] : std::span(pending(), row_count_)) {
    sorted()[next_places_[bucket]++] = row;
  }
  const Row* begin = sorted();
  for (BucketId id = 0; id < next_places_.size(); ++id) {
    const Row* const end = sorted() + next_places_[id];
    store.append(id, {begin, end});
    begin = end;
  }
  next_places_.clear();
  row_count_ = 0;
}

}  // namespace weir::match::content
