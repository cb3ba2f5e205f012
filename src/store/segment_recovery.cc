// SPDX-License-Identifier: Apache-2.0
#include "store/segment_recovery.h"

#include <optional>
#include <utility>
#include <vector>

#include "store/segment_format.h"
#include "store/segment_link.h"
#include "store/segment_scan.h"

namespace weir::store {
namespace {

class Recovery {
 public:
  Recovery(FileSystem& files, const std::filesystem::path& directory)
      : files_(files), directory_(directory) {}

  base::Result<RecoveredSegments> run() {
    if (auto created = files_.create_directory(directory_); !created) return created.error();
    const auto numbers = find_segment_numbers(files_, directory_);
    if (!numbers) return numbers.error();
    std::vector<FoundSegment> found;
    for (const std::uint64_t number : *numbers) {
      auto one = inspect_segment(files_, directory_, number, FileUse::kWrite);
      if (!one) return one.error();
      if (!found.empty()) {
        if (auto linked = check_link(found.back(), *one); !linked) return linked.error();
        add_closed(found.back(), *one);
      }
      found.push_back(*std::move(one));
    }
    auto last = found.empty() ? add_new(SegmentHeader()) : add_last(found);
    if (!last) return last.error();
    if (auto synced = files_.sync_directory(directory_); !synced) return synced.error();
    result_.recovery.segment_count = result_.segments->size();
    return std::move(result_);
  }

 private:
  // A whole header after it tells where it ends.
  void add_closed(FoundSegment& closed, const FoundSegment& later) {
    closed.file = nullptr;
    if (!later.header) return;
    const SegmentEnd end{closed.file_bytes, later.header->first_sequence,
                         later.header->newest_before, note_bytes_before(*later.header)};
    add(std::make_shared<Segment>(files_, closed.path, *closed.header, end));
  }

  base::Result<void> add_last(const std::vector<FoundSegment>& found) {
    const FoundSegment& last = found.back();
    if (last.header) return scan_last(last);
    const bool first_ever = last.number == SegmentHeader().number;
    if (last.file_bytes > kSegmentHeaderBytes || (found.size() == 1 && !first_ever)) {
      return damage(last.path, 0, "no valid header");
    }
    return remake_last(found);
  }

  // The crash came while the file was made: the one before it is complete, and tells what goes
  // into the header. On a full disk that one becomes the last again: it can be read, and written
  // when there is room.
  base::Result<void> remake_last(const std::vector<FoundSegment>& found) {
    SegmentHeader header;
    if (found.size() > 1) {
      auto closed = read_closed(found[found.size() - 2]);
      if (!closed) return closed.error();
      header = header_after(found.back().number, (*closed)->end());
      add(*std::move(closed));
    }
    const std::filesystem::path& path = found.back().path;
    result_.recovery.torn_bytes = found.back().file_bytes;
    if (auto removed = files_.remove(path); !removed) return removed;
    auto added = add_new(header);
    if (added || added.error().id != base::ErrorId::kStoreFull || found.size() == 1) return added;
    [[maybe_unused]] const auto left = files_.remove(path);  // if anything was made at all
    return {};
  }

  base::Result<SegmentList::SegmentPtr> read_closed(const FoundSegment& closed) {
    auto opened = files_.open(closed.path);
    if (!opened) return opened.error();
    const std::shared_ptr<File> file = *std::move(opened);
    auto scan = scan_segment(file, *closed.header, closed.file_bytes);
    if (!scan) return scan.error();
    if (scan->state != ScanState::kWhole) {
      return damage(closed.path, scan->end.bytes, "no valid record");
    }
    return std::make_shared<Segment>(files_, closed.path, *closed.header, scan->end, file,
                                     std::move(scan->index));
  }

  base::Result<void> add_new(const SegmentHeader& header) {
    auto created = Segment::create(files_, directory_, header);
    if (!created) return created.error();
    add(*std::move(created));
    return {};
  }

  base::Result<void> scan_last(const FoundSegment& last) {
    auto scan = scan_segment(last.file, *last.header, last.file_bytes);
    if (!scan) return scan.error();
    if (scan->state == ScanState::kDisorder) {
      return damage(last.path, scan->end.bytes, "a record out of order");
    }
    if (scan->state == ScanState::kDamaged) {
      if (auto torn = check_torn(last, scan->end.bytes); !torn) return torn;
    }
    if (auto settled = settle(*last.file, *scan); !settled) return settled;
    add(std::make_shared<Segment>(files_, last.path, *last.header, scan->end, last.file,
                                  std::move(scan->index)));
    return {};
  }

  base::Result<void> check_torn(const FoundSegment& last, std::uint64_t end_bytes) {
    const auto tail = last.file->read_at(end_bytes, last.file_bytes - end_bytes);
    if (!tail) return tail.error();
    if (proves_confirmed(*tail, {last.number, end_bytes}, end_bytes)) {
      return damage(last.path, end_bytes, "no valid record, and later records follow");
    }
    result_.recovery.torn_bytes = last.file_bytes - end_bytes;
    return {};
  }

  // With the header if there is one commit or none: it too may be in memory only. The file is cut
  // even where it seems to end: a cut that failed may be in memory only.
  static base::Result<void> settle(File& file, const SegmentScan& scan) {
    const std::uint64_t begin_bytes =
        scan.last_commit_bytes == kSegmentHeaderBytes ? 0 : scan.last_commit_bytes;
    const auto bytes = file.read_at(begin_bytes, scan.end.bytes - begin_bytes);
    if (!bytes) return bytes.error();
    if (auto written = file.write_at(begin_bytes, *bytes); !written) return written;
    if (auto cut = file.truncate(scan.end.bytes); !cut) return cut;
    return file.sync_data();
  }

  void add(SegmentList::SegmentPtr segment) { result_.segments->push_back(std::move(segment)); }

  FileSystem& files_;
  const std::filesystem::path& directory_;
  RecoveredSegments result_{std::make_shared<SegmentList>(), {}};
};

}  // namespace

base::Result<RecoveredSegments> recover_segments(FileSystem& files,
                                                 const std::filesystem::path& directory) {
  return Recovery(files, directory).run();
}

}  // namespace weir::store
