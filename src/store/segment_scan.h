// SPDX-License-Identifier: Apache-2.0
// scan_segment: all records of one segment read through and checked, its index made.
//
// Beyond the checksums: events have dense sequences, and marks of what was confirmed lie where
// commits begin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>

#include "base/result.h"
#include "store/file_system.h"
#include "store/segment_format.h"
#include "store/sparse_index.h"

namespace weir::store {

// The end of a segment's confirmed records.
struct SegmentEnd {
  std::uint64_t bytes = 0;
  std::uint64_t next_sequence = 0;
  base::Instant newest;          // in this segment and all before it
  std::uint64_t note_bytes = 0;  // of the bytes; the rest is events
};

enum class ScanState : std::uint8_t {
  kWhole,
  kDamaged,   // the bytes at `end` are no record
  kDisorder,  // the record that ends at `end` is valid and out of place
};

struct SegmentScan {
  ScanState state = ScanState::kWhole;
  SegmentEnd end;                       // of the valid records
  std::uint64_t last_commit_bytes = 0;  // where the last commit of them begins
  // Where the last record stands that tells of lost ones: commits behind it may begin within it.
  std::uint64_t lost_begin_bytes = std::numeric_limits<std::uint64_t>::max();
  SparseIndex index;
};

// Told of each valid record in its place, with the offset at which it begins.
using ScanVisitor = std::function<void(std::uint64_t offset_bytes, const RecordView& record)>;

// The records in the first `limit_bytes`. An error only if they cannot be read.
base::Result<SegmentScan> scan_segment(std::shared_ptr<const File> file,
                                       const SegmentHeader& header, std::uint64_t limit_bytes,
                                       const ScanVisitor& visit = {});

// kStoreCorrupt, with the place and what to do.
base::Error damage(const std::filesystem::path& path, std::uint64_t offset_bytes,
                   std::string_view what);

}  // namespace weir::store
