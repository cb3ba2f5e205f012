// SPDX-License-Identifier: Apache-2.0
#include "store/log_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weir::store {
namespace {

// A buffer that one large batch has made larger than this is not kept.
constexpr std::size_t kBatchKeptBytes = std::size_t{4} << 20U;

}  // namespace

LogWriter::LogWriter(FileSystem& files, std::filesystem::path directory, const LogOptions& options,
                     std::shared_ptr<SegmentList> segments, BoundsFile& bounds)
    : files_(files),
      directory_(std::move(directory)),
      options_(options),
      segments_(std::move(segments)),
      current_(segments_->back()),
      bounds_(bounds) {
  drop_batch();
}

base::Result<std::uint64_t> LogWriter::append_event(base::Instant at, std::string_view json) {
  if (json.size() > options_.event_bytes_max) {
    return base::Error{base::ErrorId::kJsonTooLong,
                       fmt::format("an event of {} bytes for the event log of {}: the limit is {}",
                                   json.size(), directory_.native(), options_.event_bytes_max),
                       std::nullopt};
  }
  const std::uint64_t sequence = batch_end_.next_sequence;
  append({.kind = RecordKind::kEvent, .sequence = sequence, .at = at, .payload = json});
  batch_end_.next_sequence = sequence + 1;
  return sequence;
}

void LogWriter::append_note(std::uint64_t sequence, base::Instant at, std::string_view note) {
  WEIR_CHECK(note.size() <= kRecordBytesMax);
  append({.kind = RecordKind::kNote, .sequence = sequence, .at = at, .payload = note});
}

void LogWriter::append(const RecordView& record) {
  if (batch_.empty()) begin_batch();
  RecordView placed = record;
  placed.confirmed_bytes = batch_place_.offset_bytes;
  batch_index_.add({batch_end_.next_sequence, batch_end_.bytes});
  append_record(batch_, {batch_place_.segment_number, batch_end_.bytes}, placed);
  batch_end_.bytes += placed.size_bytes();
  batch_end_.newest = std::max(batch_end_.newest, placed.at);
  if (placed.kind == RecordKind::kNote) batch_end_.note_bytes += placed.size_bytes();
}

void LogWriter::begin_batch() {
  const SegmentEnd end = current_->end();
  const std::uint64_t number = current_->header().number;
  batch_place_ = needs_new_segment() ? RecordPlace{number + 1, kSegmentHeaderBytes}
                                     : RecordPlace{number, end.bytes};
  const bool goes_on = batch_place_.segment_number == number;
  batch_end_ = {batch_place_.offset_bytes, end.next_sequence, end.newest,
                goes_on ? end.note_bytes : 0};
}

bool LogWriter::needs_new_segment() const {
  return current_->has_records() &&
         (repair_due_ || current_->end().bytes >= options_.segment_bytes);
}

base::Result<void> LogWriter::commit() {
  base::Result<void> result = prepare();
  if (result && !batch_.empty()) {
    result = write_batch();
    if (result) {
      current_->extend(batch_end_, batch_index_);
      bounds_.end_with(current_->header().number, batch_end_.bytes, batch_end_.next_sequence);
    }
  }
  repair_due_ = !result;
  drop_batch();
  return result;
}

// Afterwards the segment can be written that the batch was made for.
base::Result<void> LogWriter::prepare() {
  if (repair_due_) return repair();
  if (!batch_.empty() && needs_new_segment()) return begin_segment();
  return {};
}

base::Result<void> LogWriter::repair() {
  auto file = current_->file();
  if (!file) return file.error();
  if (auto cut = (*file)->truncate(current_->end().bytes); !cut) return cut;
  if (current_->has_records()) {
    if (auto begun = begin_segment(); !begun) return begun;
  } else {
    if (auto written = (*file)->write_at(0, encode_header(current_->header())); !written) {
      return written;
    }
    if (auto synced = (*file)->sync_data(); !synced) return synced;
  }
  return {};
}

base::Result<void> LogWriter::begin_segment() {
  if (auto there = bounds_.require(); !there) return there;
  const SegmentEnd end = current_->end();
  const SegmentHeader header = header_after(current_->header().number + 1, end);
  if (creation_begun_) {
    // What an attempt has left; if there is no such file, or it stays, create() tells.
    [[maybe_unused]] const auto removed = files_.remove(directory_ / segment_name(header.number));
  }
  creation_begun_ = true;
  auto created = Segment::create(files_, directory_, header);
  if (!created) return created.error();
  creation_begun_ = false;
  current_ = *std::move(created);
  segments_->push_back(current_);
  return {};
}

base::Result<void> LogWriter::write_batch() {
  WEIR_CHECK(batch_place_.segment_number == current_->header().number);
  WEIR_CHECK(batch_place_.offset_bytes == current_->end().bytes);
  auto file = current_->file();
  if (!file) return file.error();
  if (auto written = (*file)->write_at(batch_place_.offset_bytes, batch_); !written) return written;
  return (*file)->sync_data();
}

void LogWriter::drop_batch() {
  batch_.clear();
  if (batch_.capacity() > kBatchKeptBytes) batch_.shrink_to_fit();
  batch_index_.clear();
  batch_end_ = current_->end();
}

}  // namespace weir::store
