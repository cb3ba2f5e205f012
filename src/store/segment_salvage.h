// SPDX-License-Identifier: Apache-2.0
// salvage_segment: the valid records of a damaged segment, and the places between them.
//
// A record's checksum depends on its segment and offset, so a record behind damage is found by
// trying every offset. Costs a read of the file and memory for its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "store/file_system.h"
#include "store/segment_format.h"

namespace weir::store {

// Bytes between valid records, or before the end.
struct SalvageGap {
  std::uint64_t begin_bytes = 0;
  std::uint64_t end_bytes = 0;
  std::uint64_t first_sequence = 0;  // of the event that may have followed the last one before it
  // The sequence of the first event behind it in the segment.
  std::optional<std::uint64_t> next_sequence = {};
};

struct Salvage {
  std::vector<SalvageGap> gaps;
  std::optional<std::uint64_t> first_sequence = {};  // of the first event
  std::uint64_t next_sequence = 0;                   // after the last event
  std::uint64_t end_bytes = 0;                       // of the last valid record
  std::uint64_t note_bytes = 0;
  base::Instant newest;
};

// The records of the segment of this number within the first `limit_bytes`, which may be more than
// the file has; events have sequences from `first_sequence` on.
base::Result<Salvage> salvage_segment(const File& file, std::uint64_t number,
                                      std::uint64_t first_sequence, std::uint64_t limit_bytes);

}  // namespace weir::store
