// SPDX-License-Identifier: Apache-2.0
#include "store/segment_recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "store/segment_format.h"
#include "store/segment_link.h"
#include "store/segment_scan.h"

namespace weir::store {
namespace {

base::Error incomplete(std::string message) {
  return {base::ErrorId::kStoreIncomplete,
          std::move(message) +
              ". Copy log/ again from where it came from, BOUNDS before the segments, or restore a "
              "backup; weir doctor tells what is lost, weir doctor --repair goes on without it",
          std::nullopt};
}

std::string events_text(std::uint64_t first, std::uint64_t next) {
  if (next <= first) return "notes on deliveries are gone";
  if (next == first + 1) return fmt::format("event {} is gone", first);
  return fmt::format("events {} to {} are gone", first, next - 1);
}

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
    if (auto checked = take_bounds(found); !checked) return checked.error();
    auto last = found.empty() ? add_new(SegmentHeader()) : add_last(found);
    if (!last) return last.error();
    if (auto synced = files_.sync_directory(directory_); !synced) return synced.error();
    result_.recovery.segment_count = result_.segments->size();
    if (auto kept = keep_bounds(); !kept) return kept.error();
    return std::move(result_);
  }

 private:
  base::Result<void> take_bounds(const std::vector<FoundSegment>& found) {
    const auto required = required_bounds(files_, directory_, found);
    if (!required) return required.error();
    if (*required) {
      bounds_ = **required;
      if (auto checked = check_begin(directory_, found, bounds_); !checked) return checked;
      auto opened = BoundsFile::open(files_, directory_, bounds_);
      if (!opened) return opened.error();
      result_.bounds = *std::move(opened);
      return {};
    }
    // Before the first segment whose version tells that they are there.
    if (!found.empty()) {
      bounds_.first_segment = found.front().number;
      if (found.front().header) bounds_.first_sequence = found.front().header->first_sequence;
    }
    result_.bounds = std::make_unique<BoundsFile>(files_, directory_, bounds_);
    return pass_full(result_.bounds->require());
  }

  // A full disk stops no start: bounds that are there stay true, and those that are not are
  // written before the first segment that needs them.
  static base::Result<void> pass_full(base::Result<void> written) {
    if (!written && written.error().id == base::ErrorId::kStoreFull) return {};
    return written;
  }

  // The recovery itself confirms the present end.
  base::Result<void> keep_bounds() {
    const Segment& last = *result_.segments->back();
    result_.bounds->end_with(last.header().number, last.end().bytes, last.end().next_sequence);
    return pass_full(result_.bounds->keep());
  }

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
    if (auto checked = check_end(directory_, last.number, SegmentEnd(), bounds_); !checked) {
      return checked;
    }
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
      const std::uint64_t number = (*closed)->header().number;
      if (auto checked = check_end(directory_, number, (*closed)->end(), bounds_); !checked) {
        return checked;
      }
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
    if (auto there = result_.bounds->require(); !there) return there;
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
    if (auto checked = check_end(directory_, last.number, scan->end, bounds_); !checked) {
      return checked;
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
  LogBounds bounds_;
  RecoveredSegments result_{std::make_shared<SegmentList>(), {}, nullptr};
};

}  // namespace

base::Result<std::optional<LogBounds>> required_bounds(FileSystem& files,
                                                       const std::filesystem::path& log,
                                                       const std::vector<FoundSegment>& found) {
  const auto bounds = read_bounds(files, log);
  if (!bounds) return bounds.error();
  if (*bounds && (*bounds)->is_known()) return std::optional((*bounds)->bounds);
  const bool is_required = std::ranges::any_of(
      found, [](const FoundSegment& one) { return one.version >= kBoundsVersion; });
  if (!is_required) return std::optional<LogBounds>();
  return incomplete(
      *bounds
          ? fmt::format("{} is damaged at offset 0: no slot is valid, and nothing tells whether "
                        "the log is complete",
                        (log / kBoundsName).native())
          : fmt::format("{} is missing: nothing tells whether the log is complete",
                        (log / kBoundsName).native()));
}

base::Result<void> check_begin(const std::filesystem::path& log,
                               const std::vector<FoundSegment>& found, const LogBounds& bounds) {
  const bool is_empty = found.empty();
  if (is_empty && bounds.end_segment == 0 && bounds.first_segment == SegmentHeader().number) {
    return {};
  }
  if (!is_empty && found.front().number <= bounds.first_segment) return {};
  const std::string missing = (log / segment_name(bounds.first_segment)).native();
  const std::uint64_t next = is_empty               ? bounds.next_sequence
                             : found.front().header ? found.front().header->first_sequence
                                                    : bounds.first_sequence;
  return incomplete(fmt::format("{} is missing: {} tells that the log begins with it; {}", missing,
                                (log / kBoundsName).native(),
                                events_text(bounds.first_sequence, next)));
}

base::Result<void> check_end(const std::filesystem::path& log, std::uint64_t segment,
                             const SegmentEnd& end, const LogBounds& bounds) {
  if (segment > bounds.end_segment) return {};
  if (segment == bounds.end_segment && end.bytes >= bounds.end_bytes) return {};
  const std::string path = (log / segment_name(bounds.end_segment)).native();
  const std::string lost =
      end.bytes == 0 ? fmt::format("its events, up to {}, are gone", bounds.next_sequence - 1)
                     : events_text(end.next_sequence, bounds.next_sequence);
  if (segment < bounds.end_segment) {
    return incomplete(
        fmt::format("{} is missing: {} tells that it was confirmed up to offset {}; "
                    "{}",
                    path, (log / kBoundsName).native(), bounds.end_bytes, lost));
  }
  return incomplete(
      fmt::format("{} ends at offset {} with its last valid record, but {} tells that "
                  "it was confirmed up to offset {}; {}",
                  path, end.bytes, (log / kBoundsName).native(), bounds.end_bytes, lost));
}

base::Result<RecoveredSegments> recover_segments(FileSystem& files,
                                                 const std::filesystem::path& directory) {
  return Recovery(files, directory).run();
}

}  // namespace weir::store
