// SPDX-License-Identifier: Apache-2.0
// EventLog: what happened, in order: events and notes on them, in append-only segments on disk.
//
// Events have dense ascending sequences, the first one ever is 1. A note is bytes of its owner's
// own (the broker keeps there which subscriptions an event went to). What commit() has confirmed
// survives a crash of the process and of the machine; what it has not may or may not be there
// afterwards, and if it is, it is whole. Formats: docs/formats/event_log.md.
//
// A failed commit leaves the log as it was before the records that it was to write: they are
// gone, their sequences are given again, and the next commit begins by repairing the file. Nothing
// that was confirmed is touched.
//
// The file BOUNDS tells where the log begins and how far it was confirmed (store/log_bounds.h): a
// log that has less than that is not opened.
//
// Costs: an event is copied once into a buffer; commit() is one write and one fdatasync, whatever
// the number of records. read() costs one pread of a few kilobytes and a scan of it, or one for
// many sequences that are near each other. open() reads the headers of all segments and the
// records of the last one; the others are read, and found damaged, when they are first asked for.
//
// Threads: append*, commit, remove_before, retain by one thread at a time; everything else by any
// thread at any time, and sees only what is confirmed. A LogReader by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "store/file_system.h"

namespace weir::store {

constexpr std::size_t kRecordBytesMax = std::size_t{1} << 30U;  // its length has room for more

struct LogOptions {
  std::uint64_t segment_bytes = std::uint64_t{64} << 20U;  // a new file beyond this
  // Bytes of events, without notes: whole segments are removed beyond.
  std::uint64_t retention_bytes = std::uint64_t{4} << 30U;
  std::optional<base::Duration> retention_age = {};
  std::size_t event_bytes_max = std::size_t{16} << 20U;  // the longest; at most kRecordBytesMax
};

enum class RecordKind : std::uint8_t {
  kEvent = 1,
  kNote = 2,
  // In the place of records that were lost (store/log_repair.h); readers pass it over. Its sequence
  // is the one that the next event has.
  kLost = 3,
};

struct LogRecord {
  RecordKind kind = RecordKind::kEvent;
  std::uint64_t sequence = 0;  // of the event; of a note: as its owner gave it
  base::Instant at;            // as its owner gave it
  std::string payload;         // the event's JSON text, or the note
};

// What open() found.
struct LogRecovery {
  std::uint64_t segment_count = 0;
  std::uint64_t torn_bytes = 0;  // cut from the end of the last segment
};

class SegmentList;

// Reads records forwards. It may outlive segments that retention removes: it then goes on with the
// oldest record there is.
class LogReader {
 public:
  LogReader(std::shared_ptr<const SegmentList> segments, std::uint64_t sequence);
  LogReader(LogReader&&) noexcept;
  LogReader& operator=(LogReader&&) noexcept;
  ~LogReader();

  // The next confirmed record; nothing at the end, where it can be asked again later. Corrupt
  // bytes are an error that names the file and the offset.
  base::Result<std::optional<LogRecord>> next();

 private:
  class Cursor;
  std::unique_ptr<Cursor> cursor_;
};

class EventLog {
 public:
  // Creates the directory if need be. A torn tail of the last segment, which nobody was told of, is
  // cut; anything else that fails its checksum is an error, here or where it is read. Confirmed
  // records that are missing are kStoreIncomplete. The file system must outlive the log
  // and its readers.
  static base::Result<std::unique_ptr<EventLog>> open(FileSystem& files,
                                                      const std::filesystem::path& directory,
                                                      LogOptions options);
  virtual ~EventLog() = default;

  virtual LogRecovery recovery() const = 0;

  // Takes the next sequence for an event, which commit() will write.
  virtual base::Result<std::uint64_t> append_event(base::Instant at, std::string_view json) = 0;
  // Of at most kRecordBytesMax.
  virtual void append_note(std::uint64_t sequence, base::Instant at, std::string_view note) = 0;
  // Without records it only does a repair that is due, so that it tells whether the log can write.
  virtual base::Result<void> commit() = 0;
  // The first event that would be left if old segments beyond the limits of size and age were
  // removed, never the newest one. A share below 1 tells what is next: of limits that much lower.
  virtual std::uint64_t retention_bound(base::Instant now, double share) const = 0;
  // Removes the segments that have only events before this one, never the newest segment. Returns
  // how many these were.
  virtual base::Result<std::uint64_t> remove_before(std::uint64_t sequence) = 0;
  // Both at once.
  base::Result<std::uint64_t> retain(base::Instant now) {
    return remove_before(retention_bound(now, 1));
  }

  // Makes durable how far the log was confirmed. To be called at the end; after a crash without it,
  // a later loss of power may hide that confirmed records are missing.
  virtual base::Result<void> finish() = 0;

  virtual std::uint64_t first_sequence() const = 0;  // the oldest that can be read; next if none
  virtual std::uint64_t next_sequence() const = 0;   // of the first event not confirmed
  virtual std::uint64_t size_bytes() const = 0;
  // The latest instant of all records, also of those that retention has removed; the earliest
  // instant there is if there was none.
  virtual base::Instant newest() const = 0;

  // The events of these ascending sequences; nothing in the place of one that is gone or not yet
  // there.
  virtual base::Result<std::vector<std::optional<LogRecord>>> read(
      std::span<const std::uint64_t> sequences) const = 0;
  // From the event of that sequence on, or from the oldest record after it that there is.
  virtual LogReader reader(std::uint64_t sequence) const = 0;
};

}  // namespace weir::store
