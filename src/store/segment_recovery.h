// SPDX-License-Identifier: Apache-2.0
// recover_segments: from the files in a directory to the list of segments, ready to be written.
//
// The last segment may end in a torn tail: bytes that are no valid record, while neither a valid
// record after them nor the log's bounds tell that they were confirmed. It is cut. What is left of
// the last commit may never have been confirmed, and the kernel may hold it in memory only (after a
// failed fsync it does not try again): it is written once more and synced. A last file without a
// whole header and without records is made anew; if the disk is full, it is removed and the one
// before it is the last.
//
// A log of an earlier version has no bounds: they are made of what there is.
//
// kStoreCorrupt: damage before confirmed bytes, a missing segment, a length that is not the one
// that the next segment's header tells. kStoreIncomplete: the log begins later, or ends earlier,
// than its bounds tell, or the bounds are missing. kStoreVersion: a header of a later version.
// Nothing is changed before all of this is checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/event_log.h"
#include "store/file_system.h"
#include "store/log_bounds.h"
#include "store/segment_link.h"
#include "store/segment_list.h"

namespace weir::store {

struct RecoveredSegments {
  std::shared_ptr<SegmentList> segments;
  LogRecovery recovery;
  std::unique_ptr<BoundsFile> bounds;
};

base::Result<RecoveredSegments> recover_segments(FileSystem& files,
                                                 const std::filesystem::path& directory);

// kStoreIncomplete if these segments, which are ascending, begin later than the bounds tell.
base::Result<void> check_begin(const std::filesystem::path& log,
                               const std::vector<FoundSegment>& found, const LogBounds& bounds);
// kStoreIncomplete if a log that ends here in this segment has less than the bounds tell.
base::Result<void> check_end(const std::filesystem::path& log, std::uint64_t segment,
                             const SegmentEnd& end, const LogBounds& bounds);
// The bounds of a log that has these segments; kStoreIncomplete if they are missing or damaged,
// nullopt if the log is of a version that had none.
base::Result<std::optional<LogBounds>> required_bounds(FileSystem& files,
                                                       const std::filesystem::path& log,
                                                       const std::vector<FoundSegment>& found);

}  // namespace weir::store
