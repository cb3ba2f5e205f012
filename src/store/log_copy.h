// SPDX-License-Identifier: Apache-2.0
// LogCopy: the segments of a snapshot copied into an empty directory, each record checked.
//
// The copy ends with a whole record: what the snapshot has of an unfinished write is left out. A
// record that fails its checksum elsewhere is kStoreCorrupt, which names the file and the offset
// of the original.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/file_copy.h"
#include "store/file_system.h"
#include "store/log_snapshot.h"
#include "store/manifest.h"
#include "store/segment_scan.h"

namespace weir::store {

class LogCopy {
 public:
  LogCopy(FileSystem& files, std::filesystem::path target, CopyProgress progress);

  // Durable when it returns, the directory too.
  base::Result<void> copy(const std::vector<SnapshotSegment>& segments);

  // The files that were copied.
  const std::vector<ManifestFile>& copied() const { return copied_; }
  std::uint64_t first_sequence() const { return first_sequence_; }
  std::uint64_t next_sequence() const { return end_.next_sequence; }
  SegmentEnd end() const { return end_; }  // of the last segment

 private:
  base::Result<void> copy_closed(const SnapshotSegment& segment, const SnapshotSegment& later);
  base::Result<void> copy_last(const SnapshotSegment& segment);
  // Whether the copy is good; it is not if the writer repaired the segment meanwhile.
  base::Result<bool> try_copy_last(const SnapshotSegment& segment);
  void add(const SnapshotSegment& segment, const CopiedFile& file);

  FileSystem& files_;
  std::filesystem::path target_;
  CopyProgress progress_;
  std::vector<ManifestFile> copied_;
  std::uint64_t first_sequence_ = 1;
  SegmentEnd end_;
};

}  // namespace weir::store
