// SPDX-License-Identifier: Apache-2.0
// Segment: one file of the log as it is known in memory: where it ends, where its events are.
//
// A segment that retention removes stays readable for those who hold it and have its file open.
// Threads: extend() by the writer, everything else by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "store/file_system.h"
#include "store/segment_format.h"
#include "store/segment_scan.h"
#include "store/sparse_index.h"

namespace weir::store {

// Of the segment with this number, behind one that ends so.
SegmentHeader header_after(std::uint64_t number, const SegmentEnd& end);
// Bytes of the segment before that are notes, to the KiB.
std::uint64_t note_bytes_before(const SegmentHeader& header);

class Segment {
 public:
  // A new file with its header, durable.
  static base::Result<std::shared_ptr<Segment>> create(FileSystem& files,
                                                       const std::filesystem::path& directory,
                                                       const SegmentHeader& header);

  // One that is there; its file is opened, and without an index it is scanned, when need be.
  Segment(FileSystem& files, std::filesystem::path path, const SegmentHeader& header,
          SegmentEnd end, std::shared_ptr<File> file = nullptr,
          std::optional<SparseIndex> index = std::nullopt);

  const std::filesystem::path& path() const { return path_; }
  const SegmentHeader& header() const { return header_; }
  SegmentEnd end() const;
  bool has_records() const { return end().bytes > kSegmentHeaderBytes; }

  base::Result<std::shared_ptr<File>> file() const;
  // The block that has the event if the segment has it.
  base::Result<Block> block_of(std::uint64_t sequence) const;

  // More records are confirmed. Requires a segment with an index.
  void extend(SegmentEnd end, const SparseIndex& added);

  // An error of one that is removed tells only that it is gone.
  bool removed() const { return removed_; }
  void set_removed(bool removed) { removed_ = removed; }

 private:
  base::Result<SparseIndex> make_index() const;

  FileSystem& files_;
  std::filesystem::path path_;
  SegmentHeader header_;
  std::atomic<bool> removed_ = false;

  mutable std::mutex end_mutex_;
  SegmentEnd end_;

  mutable std::mutex file_mutex_;
  mutable std::shared_ptr<File> file_;

  mutable std::mutex index_mutex_;  // held during a scan, which the writer never waits for
  mutable std::optional<SparseIndex> index_;
};

// "00000000000000000007.log", and its number again; nothing for any other name.
std::string segment_name(std::uint64_t number);
std::optional<std::uint64_t> segment_number(std::string_view name);

}  // namespace weir::store
