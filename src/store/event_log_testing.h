// SPDX-License-Identifier: Apache-2.0
// Event logs in tests: records as lines of text, so that one comparison checks a whole log.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/event_log.h"
#include "store/fault_file_system_testing.h"

namespace weir::store {

inline constexpr std::string_view kLogDirectory = "log";
inline constexpr const char* kBoundsPath = "log/BOUNDS";

// The files of a log by path, without its bounds.
using LogFiles = std::map<std::string, std::string>;
LogFiles segment_files(const FaultFileSystem& files);

// "event 7 at 12: payload" or "note 7 at 12: payload".
std::string to_line(const LogRecord& record);

struct LogLines {
  std::vector<std::string> lines;
  std::string end = "ok";  // or the error that ended the reading
};

// All that a reader from this sequence on gives.
LogLines lines_from(const EventLog& log, std::uint64_t sequence);

// In kLogDirectory; a failed open fails the test and gives null.
std::unique_ptr<EventLog> open_log(FileSystem& files, const LogOptions& options = {});

// Appends each as an event, its instant in nanoseconds being its sequence, and commits.
base::Result<void> commit_events(EventLog& log, const std::vector<std::string>& payloads);

// "event 1 at 1: a" and so on: what commit_events() leaves in an empty log.
std::vector<std::string> event_lines(const std::vector<std::string>& payloads);

}  // namespace weir::store
