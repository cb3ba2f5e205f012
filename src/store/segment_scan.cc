// SPDX-License-Identifier: Apache-2.0
#include "store/segment_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "store/record_stream.h"

namespace weir::store {
namespace {

// Takes one more record into the scan; false if it is out of place.
bool take(SegmentScan& scan, const RecordView& record, std::uint64_t begin_bytes) {
  if (record.confirmed_bytes != begin_bytes && record.confirmed_bytes != scan.last_commit_bytes &&
      record.confirmed_bytes < scan.lost_begin_bytes) {
    return false;
  }
  const bool is_event = record.kind == RecordKind::kEvent;
  const bool is_lost = record.kind == RecordKind::kLost;
  if (is_event && record.sequence != scan.end.next_sequence) return false;
  if (is_lost && record.sequence < scan.end.next_sequence) return false;
  scan.index.add({scan.end.next_sequence, begin_bytes});
  // Records behind a lost one may be of the commit that it was in.
  if (!is_lost) scan.last_commit_bytes = record.confirmed_bytes;
  scan.end.bytes = begin_bytes + record.size_bytes();
  scan.end.next_sequence += is_event ? 1 : 0;
  if (is_lost) {
    scan.end.next_sequence = record.sequence;
    scan.lost_begin_bytes = begin_bytes;
  }
  scan.end.newest = std::max(scan.end.newest, record.at);
  if (!is_event) scan.end.note_bytes += record.size_bytes();
  return true;
}

}  // namespace

base::Result<SegmentScan> scan_segment(std::shared_ptr<const File> file,
                                       const SegmentHeader& header, std::uint64_t limit_bytes,
                                       const ScanVisitor& visit) {
  SegmentScan scan;
  scan.end = {kSegmentHeaderBytes, header.first_sequence, header.newest_before, 0};
  scan.last_commit_bytes = kSegmentHeaderBytes;
  RecordStream stream(std::move(file), {header.number, kSegmentHeaderBytes});
  for (;;) {
    const std::uint64_t begin_bytes = stream.offset_bytes();
    const auto step = stream.next(limit_bytes);
    if (!step) return step.error();
    if (step->kind == StepKind::kEnd) return scan;
    if (step->kind == StepKind::kDamaged) {
      scan.state = ScanState::kDamaged;
      return scan;
    }
    if (!take(scan, step->record, begin_bytes)) {
      scan.state = ScanState::kDisorder;
      return scan;
    }
    if (visit) visit(begin_bytes, step->record);
  }
}

base::Error damage(const std::filesystem::path& path, std::uint64_t offset_bytes,
                   std::string_view what) {
  return {
      base::ErrorId::kStoreCorrupt,
      fmt::format("{} is damaged at offset {}: {}; copy the file again from where it came from, "
                  "or restore a backup; weir doctor tells what is lost",
                  path.native(), offset_bytes, what),
      std::nullopt};
}

}  // namespace weir::store
