// SPDX-License-Identifier: Apache-2.0
#include "store/event_log.h"

#include <algorithm>
#include <utility>

#include "store/log_lookup.h"
#include "store/log_writer.h"
#include "store/segment_recovery.h"

namespace weir::store {
namespace {

class SegmentedLog final : public EventLog {
 public:
  SegmentedLog(FileSystem& files, std::filesystem::path directory, const LogOptions& options,
               RecoveredSegments recovered)
      : files_(files),
        directory_(std::move(directory)),
        options_(options),
        recovery_(recovered.recovery),
        segments_(std::move(recovered.segments)),
        bounds_(std::move(recovered.bounds)),
        writer_(files_, directory_, options_, segments_, *bounds_) {}

  LogRecovery recovery() const override { return recovery_; }

  base::Result<std::uint64_t> append_event(base::Instant at, std::string_view json) override {
    return writer_.append_event(at, json);
  }

  void append_note(std::uint64_t sequence, base::Instant at, std::string_view note) override {
    writer_.append_note(sequence, at, note);
  }

  base::Result<void> commit() override { return writer_.commit(); }

  std::uint64_t retention_bound(base::Instant now, double share) const override {
    const auto segments = segments_->all();
    const auto bytes_max =
        static_cast<std::uint64_t>(static_cast<double>(options_.retention_bytes) * share);
    std::uint64_t bytes = 0;
    for (const auto& segment : segments) bytes += event_bytes(segment->end());
    std::size_t first = 0;
    for (; first + 1 < segments.size(); ++first) {
      const SegmentEnd end = segments[first]->end();
      if (bytes <= bytes_max && !is_too_old(end.newest, now, share)) break;
      bytes -= event_bytes(end);
    }
    return segments[first]->header().first_sequence;
  }

  base::Result<std::uint64_t> remove_before(std::uint64_t sequence) override {
    std::uint64_t removed_count = 0;
    for (; segments_->size() > 1 && segments_->front()->end().next_sequence <= sequence;
         ++removed_count) {
      if (auto removed = remove_front(); !removed) return removed.error();
    }
    return removed_count;
  }

  base::Result<void> finish() override { return bounds_->keep(); }

  std::uint64_t first_sequence() const override {
    return segments_->front()->header().first_sequence;
  }

  std::uint64_t next_sequence() const override { return segments_->back()->end().next_sequence; }

  std::uint64_t size_bytes() const override { return segments_->size_bytes(); }

  base::Instant newest() const override { return segments_->back()->end().newest; }

  base::Result<std::vector<std::optional<LogRecord>>> read(
      std::span<const std::uint64_t> sequences) const override {
    return read_events(*segments_, sequences);
  }

  LogReader reader(std::uint64_t sequence) const override { return {segments_, sequence}; }

 private:
  // Notes follow from events and subscriptions: nobody's events give way to them.
  static std::uint64_t event_bytes(const SegmentEnd& end) { return end.bytes - end.note_bytes; }

  bool is_too_old(base::Instant newest, base::Instant now, double share) const {
    if (!options_.retention_age) return false;
    const auto age =
        static_cast<std::int64_t>(static_cast<double>(options_.retention_age->nanoseconds) * share);
    return newest + base::Duration{age} <= now;
  }

  // One removal is durable before the next, so that a crash never leaves a gap.
  base::Result<void> remove_front() {
    const auto front = segments_->front();
    if (!is_removal_unsynced_) {
      if (auto moved = move_beginning(*front); !moved) return moved;
      front->set_removed(true);
      if (auto removed = files_.remove(front->path()); !removed) {
        front->set_removed(false);
        return removed;
      }
      is_removal_unsynced_ = true;
    }
    if (auto synced = files_.sync_directory(directory_); !synced) return synced;
    is_removal_unsynced_ = false;
    segments_->pop_front();
    return {};
  }

  // Durable before the segment is removed: one that is missing otherwise was lost.
  base::Result<void> move_beginning(const Segment& front) {
    const SegmentHeader next = segments_->after(front.header().number)->header();
    if (bounds_->bounds().first_segment >= next.number) return {};
    return bounds_->begin_with(next.number, next.first_sequence);
  }

  FileSystem& files_;
  std::filesystem::path directory_;
  LogOptions options_;
  LogRecovery recovery_;
  std::shared_ptr<SegmentList> segments_;
  std::unique_ptr<BoundsFile> bounds_;
  LogWriter writer_;
  bool is_removal_unsynced_ = false;  // of the front
};

}  // namespace

base::Result<std::unique_ptr<EventLog>> EventLog::open(FileSystem& files,
                                                       const std::filesystem::path& directory,
                                                       LogOptions options) {
  options.event_bytes_max = std::min(options.event_bytes_max, kRecordBytesMax);
  auto recovered = recover_segments(files, directory);
  if (!recovered) return recovered.error();
  return std::make_unique<SegmentedLog>(files, directory, options, *std::move(recovered));
}

}  // namespace weir::store
