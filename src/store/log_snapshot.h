// SPDX-License-Identifier: Apache-2.0
// LogSnapshot: the segments of a log as they are at one moment, while another process may write it.
//
// Holds every segment open, so that those that retention removes later can still be read: one
// descriptor for each segment. Everything that was confirmed before take() is in it. The last
// segment may end within a record, or in records that are never confirmed.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "store/file_system.h"
#include "store/segment_format.h"

namespace weir::store {

struct SnapshotSegment {
  std::filesystem::path path;
  SegmentHeader header;
  std::shared_ptr<const File> file;
  std::uint64_t bytes = 0;
  std::uint32_t version = 0;  // of the header
};

// By number; empty if no segment was complete yet. Fails with kStoreCorrupt if segments are missing
// or do not fit, and with kStoreVersion.
base::Result<std::vector<SnapshotSegment>> take_log_snapshot(FileSystem& files,
                                                             const std::filesystem::path& log);

}  // namespace weir::store
