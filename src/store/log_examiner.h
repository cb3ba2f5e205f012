// SPDX-License-Identifier: Apache-2.0
// examine_log: every record of every segment read and checked; nothing is changed.
//
// Goes on after damage with the next segment, and tells which events are lost. A broker may be
// writing: what is written after the examination of the last segment began is not looked at.
//
// Costs a read of the whole log; memory for one segment's tail, at most.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "store/file_system.h"
#include "store/findings.h"
#include "store/segment_scan.h"

namespace weir::store {

struct LogExamination {
  std::uint64_t segment_count = 0;
  std::uint64_t event_count = 0;
  std::uint64_t note_count = 0;
  std::uint64_t lost_count = 0;  // events that a repair went on without
  std::uint64_t bytes = 0;
  std::uint64_t first_sequence = 1;
  std::uint64_t next_sequence = 1;
};

// The file's name relative to the directory, where the record begins, and the record.
using RecordVisitor =
    std::function<void(const std::string& file, std::uint64_t offset_bytes, const RecordView&)>;

// An error only if the directory cannot be listed.
base::Result<LogExamination> examine_log(FileSystem& files, const std::filesystem::path& log,
                                         const RecordVisitor& visit, Findings& findings);

}  // namespace weir::store
