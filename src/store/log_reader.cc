// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <utility>

#include "store/event_log.h"
#include "store/log_lookup.h"
#include "store/record_stream.h"
#include "store/segment_list.h"

namespace weir::store {

class LogReader::Cursor {
 public:
  Cursor(std::shared_ptr<const SegmentList> segments, std::uint64_t sequence)
      : segments_(std::move(segments)), sequence_(sequence) {}

  base::Result<std::optional<LogRecord>> next() {
    for (;;) {
      const auto ready = approach();
      if (!ready) return ready.error();
      if (!*ready) return std::nullopt;
      const auto step = stream_->next(limit_bytes_);
      if (!step) return step.error();
      if (step->kind == StepKind::kDamaged) {
        return damage(segment_->path(), stream_->offset_bytes(), "no valid record");
      }
      if (wanted(step->record)) return to_log_record(step->record);
    }
  }

 private:
  // Makes the stream stand before a confirmed record; false if there is none yet.
  base::Result<bool> approach() {
    if (!stream_) {
      if (auto begun = begin(); !begun) return begun.error();
    }
    while (stream_->offset_bytes() >= limit_bytes_) {
      // In this order: if there is a next segment, then this one has ended for good.
      auto later = segments_->after(segment_->header().number);
      limit_bytes_ = segment_->end().bytes;
      if (stream_->offset_bytes() < limit_bytes_) break;
      if (later == nullptr) return false;
      if (auto entered = enter(std::move(later), std::nullopt); !entered) return entered.error();
    }
    return true;
  }

  base::Result<void> begin() {
    if (auto found = segments_->find(sequence_)) return enter(std::move(found), sequence_);
    sequence_ = 0;
    return enter(segments_->front(), std::nullopt);
  }

  // Stands at the beginning of the segment, or near the event; if the segment is gone meanwhile,
  // at the beginning of the oldest there is.
  base::Result<void> enter(SegmentList::SegmentPtr segment, std::optional<std::uint64_t> sequence) {
    for (;;) {
      auto opened = open(*segment, sequence);
      if (opened) {
        stream_ = *std::move(opened);
        segment_ = std::move(segment);
        limit_bytes_ = 0;
        return {};
      }
      auto later = segments_->after(segment->header().number);
      if (!segment->removed() || later == nullptr) return opened.error();
      segment = std::move(later);
      sequence.reset();
      sequence_ = 0;
    }
  }

  static base::Result<RecordStream> open(const Segment& segment,
                                         std::optional<std::uint64_t> sequence) {
    auto file = segment.file();
    if (!file) return file.error();
    std::uint64_t offset_bytes = kSegmentHeaderBytes;
    if (sequence) {
      const auto block = segment.block_of(*sequence);
      if (!block) return block.error();
      offset_bytes = block->begin_bytes;
    }
    return RecordStream(*std::move(file), {segment.header().number, offset_bytes});
  }

  // Records before the event that the reader was made for are passed over. If that event is lost,
  // the reader begins with the records behind its place.
  bool wanted(const RecordView& record) {
    if (record.kind == RecordKind::kLost) {
      if (record.sequence > sequence_) sequence_ = 0;
      return false;
    }
    if (sequence_ == 0) return true;
    if (record.kind != RecordKind::kEvent || record.sequence < sequence_) return false;
    sequence_ = 0;
    return true;
  }

  std::shared_ptr<const SegmentList> segments_;
  std::uint64_t sequence_;  // to begin with; zero when that is done
  SegmentList::SegmentPtr segment_;
  std::optional<RecordStream> stream_;
  std::uint64_t limit_bytes_ = 0;
};

LogReader::LogReader(std::shared_ptr<const SegmentList> segments, std::uint64_t sequence)
    : cursor_(std::make_unique<Cursor>(std::move(segments), sequence)) {}
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader& LogReader::operator=(LogReader&&) noexcept = default;
LogReader::~LogReader() = default;

base::Result<std::optional<LogRecord>> LogReader::next() { return cursor_->next(); }

}  // namespace weir::store
