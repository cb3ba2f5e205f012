// SPDX-License-Identifier: Apache-2.0
#include "store/event_log_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_testing.h"

namespace weir::store {

LogFiles segment_files(const FaultFileSystem& files) {
  LogFiles found = files.contents();
  found.erase(kBoundsPath);
  return found;
}

std::string to_line(const LogRecord& record) {
  return fmt::format("{} {} at {}: {}", record.kind == RecordKind::kEvent ? "event" : "note",
                     record.sequence, record.at.nanoseconds, record.payload);
}

LogLines lines_from(const EventLog& log, std::uint64_t sequence) {
  LogLines result;
  LogReader reader = log.reader(sequence);
  for (;;) {
    const auto record = reader.next();
    if (!record) {
      result.end = base::describe(record);
      return result;
    }
    if (!*record) return result;
    result.lines.push_back(to_line(**record));
  }
}

std::unique_ptr<EventLog> open_log(FileSystem& files, const LogOptions& options) {
  auto log = EventLog::open(files, kLogDirectory, options);
  EXPECT_EQ(base::describe(log), "ok");
  return log ? *std::move(log) : nullptr;
}

base::Result<void> commit_events(EventLog& log, const std::vector<std::string>& payloads) {
  auto sequence = static_cast<std::int64_t>(log.next_sequence());
  for (const std::string& payload : payloads) {
    if (auto appended = log.append_event({sequence++}, payload); !appended) {
      return appended.error();
    }
  }
  return log.commit();
}

std::vector<std::string> event_lines(const std::vector<std::string>& payloads) {
  std::vector<std::string> lines;
  std::int64_t sequence = 1;
  for (const std::string& payload : payloads) {
    lines.push_back(
        to_line({RecordKind::kEvent, static_cast<std::uint64_t>(sequence), {sequence}, payload}));
    ++sequence;
  }
  return lines;
}

}  // namespace weir::store
