// SPDX-License-Identifier: Apache-2.0
// recover_segments: from the files in a directory to the list of segments, ready to be written.
//
// The last segment may end in a torn tail: bytes that are no valid record, while no valid record
// after them tells that they were confirmed. It is cut. What is left of the last commit may never
// have been confirmed, and the kernel may hold it in memory only (after a failed fsync it does not
// try again): it is written once more and synced. A last file without a whole header and without
// records is made anew; if the disk is full, it is removed and the one before it is the last.
//
// kStoreCorrupt: damage before confirmed bytes, a missing segment, a length that is not the one
// that the next segment's header tells. kStoreVersion: a header of a later version.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "store/event_log.h"
#include "store/file_system.h"
#include "store/segment_list.h"

namespace weir::store {

struct RecoveredSegments {
  std::shared_ptr<SegmentList> segments;
  LogRecovery recovery;
};

base::Result<RecoveredSegments> recover_segments(FileSystem& files,
                                                 const std::filesystem::path& directory);

}  // namespace weir::store
