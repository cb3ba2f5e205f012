// SPDX-License-Identifier: Apache-2.0
// LogBounds: where the event log begins and how far it was confirmed, in the file BOUNDS beside its
// segments.
//
// Without it, a log whose oldest segments are gone looks like one that retention has shortened, and
// a log whose end is cut looks like one whose last write was torn. Retention writes the new
// beginning, durably, before it removes a segment. The end is written after each commit, and not
// synced: it survives the end of the process, and after a loss of power it may be older. It is
// never ahead of what is durable.
//
//   slot, 64 bytes    magic "WEIRBND\n"  u32 version  u32 slot  u64 first segment
//                     u64 first sequence  u64 end segment  u64 end bytes  u64 next sequence
//                     u64 checksum
//
// Slots 0 and 1 are durable copies of each other, slot 2 is the one of each commit; each is in a
// sector of its own. Bounds only grow, so of several slots the highest values hold.
// docs/formats/event_log.md.
//
// Threads: one at a time. mark() costs a write of 64 bytes, keep() two writes and two fdatasyncs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "store/file_system.h"

namespace weir::store {

inline constexpr const char* kBoundsName = "BOUNDS";
inline constexpr std::size_t kBoundsSlotCount = 3;
inline constexpr std::uint64_t kBoundsSectorBytes = 512;
inline constexpr std::uint64_t kBoundsSlotBytes = 64;
inline constexpr std::uint64_t kBoundsFileBytes =
    (kBoundsSlotCount - 1) * kBoundsSectorBytes + kBoundsSlotBytes;

struct LogBounds {
  std::uint64_t first_segment = 1;   // the oldest segment that must be there
  std::uint64_t first_sequence = 1;  // of the first event in it or after it
  std::uint64_t end_segment = 0;     // the segment that was confirmed last; 0: none yet
  std::uint64_t end_bytes = 0;       // of it: so many were confirmed
  std::uint64_t next_sequence = 1;   // of the first event that was not confirmed

  bool operator==(const LogBounds&) const = default;
};

struct FoundBounds {
  LogBounds bounds;
  // Slots that fail their checksum: a write that a crash has torn, or damage. The others still
  // tell; if there is no other, the bounds are unknown.
  std::size_t damaged_count = 0;
  bool is_known() const { return damaged_count < kBoundsSlotCount; }
};

// Nullopt if there is no file. kStoreVersion if it is of a later version.
base::Result<std::optional<FoundBounds>> read_bounds(FileSystem& files,
                                                     const std::filesystem::path& log);

// The bytes of the whole file.
std::string encode_bounds(const LogBounds& bounds);

class BoundsFile {
 public:
  // Nothing is written yet.
  BoundsFile(FileSystem& files, std::filesystem::path log, const LogBounds& bounds)
      : files_(files), log_(std::move(log)), bounds_(bounds) {}
  // One that is there and has these bounds.
  static base::Result<std::unique_ptr<BoundsFile>> open(FileSystem& files,
                                                        const std::filesystem::path& log,
                                                        const LogBounds& bounds);

  const LogBounds& bounds() const { return bounds_; }

  // Writes the file unless it is there. Durable when it returns.
  base::Result<void> require();
  // The new beginning, durable when it returns. A log without the file, which a full disk has not
  // room for, stays without: it has no segment that needs it.
  base::Result<void> begin_with(std::uint64_t first_segment, std::uint64_t first_sequence);
  // The log is confirmed up to here. A write that fails leaves an older end, which is true as well.
  void end_with(std::uint64_t segment, std::uint64_t bytes, std::uint64_t next_sequence);
  // Everything, durable when it returns.
  base::Result<void> keep();

 private:
  base::Result<void> write_slot(std::size_t slot, const LogBounds& bounds);

  FileSystem& files_;
  std::filesystem::path log_;
  std::unique_ptr<File> file_;  // null: it is not there yet
  LogBounds bounds_;
};

}  // namespace weir::store
