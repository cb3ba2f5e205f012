// SPDX-License-Identifier: Apache-2.0
#include "store/sparse_index.h"

#include <algorithm>
#include <iterator>

#include "store/segment_format.h"

namespace weir::store {
namespace {

constexpr std::uint64_t kEntryDistanceBytes = std::uint64_t{4} << 10U;

}  // namespace

void SparseIndex::add(IndexEntry entry) {
  if (!entries_.empty() &&
      entry.offset_bytes - entries_.back().offset_bytes < kEntryDistanceBytes) {
    return;
  }
  entries_.push_back(entry);
}

Block SparseIndex::block_of(std::uint64_t sequence, std::uint64_t end_bytes) const {
  const auto next = std::upper_bound(
      entries_.begin(), entries_.end(), sequence,
      [](std::uint64_t wanted, const IndexEntry& entry) { return wanted < entry.sequence; });
  return {
      .begin_bytes = next == entries_.begin() ? kSegmentHeaderBytes : std::prev(next)->offset_bytes,
      .end_bytes = next == entries_.end() ? end_bytes : next->offset_bytes};
}

}  // namespace weir::store
