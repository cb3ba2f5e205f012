// SPDX-License-Identifier: Apache-2.0
#include "store/log_copy.h"

#include <memory>
#include <utility>

#include "store/segment.h"
#include "store/segment_scan.h"

namespace weir::store {
namespace {

// A repair of the segment during the copy makes another try necessary.
constexpr int kTriesMax = 5;

}  // namespace

LogCopy::LogCopy(FileSystem& files, std::filesystem::path target, CopyProgress progress)
    : files_(files), target_(std::move(target)), progress_(std::move(progress)) {}

base::Result<void> LogCopy::copy(const std::vector<SnapshotSegment>& segments) {
  if (auto created = files_.create_directory(target_); !created) return created;
  if (!segments.empty()) first_sequence_ = segments.front().header.first_sequence;
  end_.next_sequence = first_sequence_;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool is_last = i + 1 == segments.size();
    auto copied = is_last ? copy_last(segments[i]) : copy_closed(segments[i], segments[i + 1]);
    if (!copied) return copied;
  }
  return files_.sync_directory(target_);
}

base::Result<void> LogCopy::copy_closed(const SnapshotSegment& segment,
                                        const SnapshotSegment& later) {
  const std::filesystem::path path = target_ / segment.path.filename();
  const auto copied = copy_file(*segment.file, segment.bytes, files_, path, progress_);
  if (!copied) return copied.error();
  auto file = files_.open_to_read(path);
  if (!file) return file.error();
  const auto scan = scan_segment(*std::move(file), segment.header, segment.bytes);
  if (!scan) return scan.error();
  if (scan->state != ScanState::kWhole || scan->end.next_sequence != later.header.first_sequence) {
    return damage(segment.path, scan->end.bytes, "no valid record");
  }
  add(segment, *copied);
  return {};
}

base::Result<void> LogCopy::copy_last(const SnapshotSegment& segment) {
  for (int tries = 0; tries < kTriesMax; ++tries) {
    const auto copied = try_copy_last(segment);
    if (!copied) return copied.error();
    if (*copied) return {};
    if (auto removed = files_.remove(target_ / segment.path.filename()); !removed) return removed;
  }
  return damage(segment.path, 0, "records before its confirmed end are not valid");
}

base::Result<bool> LogCopy::try_copy_last(const SnapshotSegment& segment) {
  const std::filesystem::path path = target_ / segment.path.filename();
  auto copied = copy_file(*segment.file, segment.bytes, files_, path, progress_);
  if (!copied) return copied.error();
  auto opened = files_.open(path);
  if (!opened) return opened.error();
  const std::shared_ptr<File> file = *std::move(opened);
  const auto scan = scan_segment(file, segment.header, copied->bytes);
  if (!scan) return scan.error();
  if (scan->state == ScanState::kDisorder) return false;
  if (scan->state == ScanState::kDamaged) {
    const std::uint64_t end_bytes = scan->end.bytes;
    const auto tail = file->read_at(end_bytes, copied->bytes - end_bytes);
    if (!tail) return tail.error();
    if (proves_confirmed(*tail, {segment.header.number, end_bytes}, end_bytes)) return false;
    if (auto cut = file->truncate(end_bytes); !cut) return cut.error();
    copied = sum_file(*file);
    if (!copied) return copied.error();
  }
  end_ = scan->end;
  add(segment, *copied);
  return true;
}

void LogCopy::add(const SnapshotSegment& segment, const CopiedFile& file) {
  copied_.push_back({"log/" + segment_name(segment.header.number), file.bytes, file.checksum});
}

}  // namespace weir::store
