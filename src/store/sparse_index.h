// SPDX-License-Identifier: Apache-2.0
// SparseIndex: where in a segment an event is, to within a few kilobytes.
//
// One entry of 16 bytes for every 4 KiB of records: 4 MiB for each GiB of log.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::store {

// At this offset a record begins, and the first event there or after it has this sequence.
struct IndexEntry {
  std::uint64_t sequence = 0;
  std::uint64_t offset_bytes = 0;
};

// Whole records: those from the first offset up to the second.
struct Block {
  std::uint64_t begin_bytes = 0;
  std::uint64_t end_bytes = 0;
};

class SparseIndex {
 public:
  // In ascending order. Keeps those that are far enough from the last one kept.
  void add(IndexEntry entry);

  // The block that has the event, if the segment has it and its records end there.
  Block block_of(std::uint64_t sequence, std::uint64_t end_bytes) const;

  const std::vector<IndexEntry>& entries() const { return entries_; }
  void clear() { entries_.clear(); }

 private:
  std::vector<IndexEntry> entries_;
};

}  // namespace weir::store
