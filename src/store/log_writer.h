// SPDX-License-Identifier: Apache-2.0
// LogWriter: records into a buffer, the buffer onto the disk, and what to do when that fails.
//
// Records are encoded where they will lie, so a batch goes into one segment, which is chosen when
// the batch begins. After a failed write or sync the batch is dropped and a repair is due: the
// segment is cut to its confirmed length and not written again, a new one is begun. One that holds
// no record yet has its header written again instead, so that a full disk does not fill with
// headers.
//
// Each commit that succeeded is told to the bounds of the log.
//
// Threads: one at a time; readers of the segments may be any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "store/event_log.h"
#include "store/file_system.h"
#include "store/log_bounds.h"
#include "store/segment_list.h"

namespace weir::store {

class LogWriter {
 public:
  // Goes on at the end of the last segment.
  LogWriter(FileSystem& files, std::filesystem::path directory, const LogOptions& options,
            std::shared_ptr<SegmentList> segments, BoundsFile& bounds);

  base::Result<std::uint64_t> append_event(base::Instant at, std::string_view json);
  void append_note(std::uint64_t sequence, base::Instant at, std::string_view note);
  base::Result<void> commit();

 private:
  void append(const RecordView& record);
  void begin_batch();
  bool needs_new_segment() const;
  base::Result<void> prepare();
  base::Result<void> repair();
  base::Result<void> begin_segment();
  base::Result<void> write_batch();
  void drop_batch();

  FileSystem& files_;
  std::filesystem::path directory_;
  LogOptions options_;
  std::shared_ptr<SegmentList> segments_;
  SegmentList::SegmentPtr current_;
  BoundsFile& bounds_;

  bool repair_due_ = false;
  bool creation_begun_ = false;  // of the next segment: there may be a file

  std::string batch_;
  RecordPlace batch_place_;
  SegmentEnd batch_end_;  // what will be confirmed with the batch
  SparseIndex batch_index_;
};

}  // namespace weir::store
