// SPDX-License-Identifier: Apache-2.0
#include "store/log_examiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/log_bounds.h"
#include "store/segment.h"
#include "store/segment_link.h"
#include "store/segment_recovery.h"

namespace weir::store {
namespace {

constexpr const char* kAdvice =
    "copy the file again from where it came from, or restore the last backup; weir doctor --repair "
    "goes on without what is lost";

std::string events_text(std::uint64_t first, std::uint64_t next) {
  if (next <= first) return "no event is lost";
  if (next == first + 1) return fmt::format("event {} is lost", first);
  return fmt::format("events {} to {} are lost", first, next - 1);
}

class Examiner {
 public:
  Examiner(FileSystem& files, const std::filesystem::path& log, const RecordVisitor& visit,
           Findings& findings)
      : files_(files), log_(log), visit_(visit), findings_(findings) {}

  base::Result<LogExamination> run() {
    // The end is read before the segments, so that one that is written meanwhile never has less.
    const auto end = read_bounds(files_, log_);
    if (!end && end.error().id != base::ErrorId::kStoreVersion) return end.error();
    const auto numbers = find_segment_numbers(files_, log_);
    if (!numbers) return numbers.error();
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      const bool is_last = i + 1 == numbers->size();
      examine((*numbers)[i], is_last ? std::nullopt : std::optional((*numbers)[i + 1]));
    }
    if (!end) {
      report_bounds(end.error().message);
    } else {
      examine_bounds(*end);
    }
    return result_;
  }

 private:
  void examine_bounds(const std::optional<FoundBounds>& end) {
    const auto required = required_bounds(files_, log_, found_);
    if (!required) return report_bounds(required.error().message);
    if (!*required || !end) return;
    if (end->damaged_count > 0) {
      findings_.add(
          {.severity = Severity::kWarning,
           .file = bounds_name(),
           .what = fmt::format("{} of {} slots are damaged", end->damaged_count, kBoundsSlotCount),
           .consequence = "nothing is lost",
           .advice = "nothing: a broker writes them anew when it starts"});
    }
    if (auto checked = check_begin(log_, found_, **required); !checked) {
      findings_.add({.file = "log/" + segment_name((*required)->first_segment),
                     .what = checked.error().message,
                     .consequence = "a broker does not start",
                     .advice = kAdvice});
    }
    if (found_.empty() || !end->is_known()) return;
    const SegmentEnd last = found_.back().header ? last_end_ : SegmentEnd();
    if (auto checked = check_end(log_, found_.back().number, last, end->bounds); !checked) {
      findings_.add({.file = "log/" + segment_name(end->bounds.end_segment),
                     .offset = last.bytes,
                     .what = checked.error().message,
                     .consequence = "a broker does not start",
                     .advice = kAdvice});
    }
  }

  void report_bounds(std::string what) {
    findings_.add({.file = bounds_name(),
                   .what = std::move(what),
                   .consequence = "a broker does not start",
                   .advice = kAdvice});
  }

  void examine(std::uint64_t number, std::optional<std::uint64_t> later_number) {
    ++result_.segment_count;
    const auto found = open(number);
    if (!found) return;
    result_.bytes += found->file_bytes;
    found_.push_back(*found);
    found_.back().file = nullptr;
    last_end_ = {};
    if (!found->header) return report_header(*found, !later_number);
    take_header(*found);
    std::optional<FoundSegment> later;
    if (later_number) {
      auto next = inspect_segment(files_, log_, *later_number, FileUse::kRead);
      if (next) later = *std::move(next);
    }
    scan(*found, later_number.has_value(), later);
  }

  std::optional<FoundSegment> open(std::uint64_t number) {
    auto found = inspect_segment(files_, log_, number, FileUse::kRead);
    if (found) return *std::move(found);
    // Retention of a running broker may have removed it since.
    const auto again = find_segment_numbers(files_, log_);
    if (again && (again->empty() || again->front() > number)) return std::nullopt;
    findings_.add({.file = file_name(number),
                   .what = found.error().message,
                   .consequence = "none of its events can be read, and a broker does not start",
                   .advice = kAdvice});
    expected_.reset();
    last_number_ = number;
    return std::nullopt;
  }

  void report_header(const FoundSegment& found, bool is_last) {
    expected_.reset();
    last_number_ = found.number;
    if (is_last && found.file_bytes <= kSegmentHeaderBytes) {
      findings_.add({.severity = Severity::kNote,
                     .file = file_name(found.number),
                     .offset = 0,
                     .what = "the segment was just being made",
                     .consequence = "nothing is lost",
                     .advice = "nothing: a broker makes it again when it starts"});
      return;
    }
    damage_at(found, 0, "the header is not valid", "none of its events can be read");
  }

  // The first event of this segment follows the last one of the segment before.
  void take_header(const FoundSegment& found) {
    const SegmentHeader& header = *found.header;
    if (result_.event_count == 0 && !expected_) result_.first_sequence = header.first_sequence;
    if (last_number_ && header.number != *last_number_ + 1) {
      findings_.add(
          {.file = file_name(header.number - 1),
           .what = "the file is missing",
           .consequence = fmt::format(
               "{}, and a broker does not start",
               events_text(expected_.value_or(header.first_sequence), header.first_sequence)),
           .advice = kAdvice});
    }
    last_number_ = header.number;
  }

  void scan(const FoundSegment& found, bool is_closed, const std::optional<FoundSegment>& later) {
    const std::string name = file_name(found.number);
    std::uint64_t next = found.header->first_sequence;
    const auto visit = [&](std::uint64_t offset_bytes, const RecordView& record) {
      switch (record.kind) {
        case RecordKind::kEvent:
          ++result_.event_count;
          next = record.sequence + 1;
          break;
        case RecordKind::kNote:
          ++result_.note_count;
          break;
        case RecordKind::kLost:
          take_lost(name, offset_bytes, record, next);
          break;
      }
      if (visit_) visit_(name, offset_bytes, record);
    };
    const auto scan = scan_segment(found.file, *found.header, found.file_bytes, visit);
    if (!scan) {
      damage_at(found, 0, scan.error().message, "its events cannot be read");
      return;
    }
    last_end_ = scan->end;
    expected_ = scan->end.next_sequence;
    result_.next_sequence = scan->end.next_sequence;
    if (is_closed) return judge_closed(found, *scan, later);
    judge_last(found, *scan);
  }

  void take_lost(const std::string& name, std::uint64_t offset_bytes, const RecordView& record,
                 std::uint64_t& next) {
    result_.lost_count += record.sequence - std::min(next, record.sequence);
    findings_.add({.severity = Severity::kNote,
                   .file = name,
                   .offset = offset_bytes,
                   .what = "a repair went on without the records that were here",
                   .consequence = events_text(next, record.sequence),
                   .advice = "nothing"});
    next = record.sequence;
  }

  void judge_closed(const FoundSegment& found, const SegmentScan& scan,
                    const std::optional<FoundSegment>& later) {
    const std::optional<SegmentHeader> next = later ? later->header : std::nullopt;
    const bool fits = !next || later->number != found.number + 1 ||
                      (next->previous_bytes == found.file_bytes &&
                       next->first_sequence == scan.end.next_sequence);
    if (scan.state == ScanState::kWhole && fits) return;
    const std::uint64_t end_sequence = next ? next->first_sequence : scan.end.next_sequence;
    std::string what = scan.state == ScanState::kDisorder ? "a record is out of order"
                                                          : "there is no valid record";
    if (scan.state == ScanState::kWhole) {
      what = fmt::format("the file has {} bytes; the next segment tells {}", found.file_bytes,
                         next->previous_bytes);
    }
    damage_at(found, scan.end.bytes, what, events_text(scan.end.next_sequence, end_sequence));
  }

  void judge_last(const FoundSegment& found, const SegmentScan& scan) {
    if (scan.state == ScanState::kWhole) return;
    if (scan.state == ScanState::kDisorder) {
      return damage_at(found, scan.end.bytes, "a record is out of order",
                       "a broker does not start");
    }
    const std::uint64_t tail_bytes = found.file_bytes - scan.end.bytes;
    const auto tail = found.file->read_at(scan.end.bytes, tail_bytes);
    if (tail && !proves_confirmed(*tail, {found.number, scan.end.bytes}, scan.end.bytes)) {
      findings_.add({.severity = Severity::kNote,
                     .file = file_name(found.number),
                     .offset = scan.end.bytes,
                     .what = fmt::format("the last {} bytes are an unfinished write", tail_bytes),
                     .consequence = "nothing that was confirmed is lost",
                     .advice = "nothing: a broker cuts them off when it starts"});
      return;
    }
    damage_at(found, scan.end.bytes, "there is no valid record, and valid ones follow",
              fmt::format("the events from {} on are lost, and a broker does not start",
                          scan.end.next_sequence));
  }

  void damage_at(const FoundSegment& found, std::uint64_t offset_bytes, std::string what,
                 std::string consequence) {
    findings_.add({.file = file_name(found.number),
                   .offset = offset_bytes,
                   .what = std::move(what),
                   .consequence = std::move(consequence),
                   .advice = kAdvice});
  }

  static std::string bounds_name() { return fmt::format("log/{}", kBoundsName); }
  static std::string file_name(std::uint64_t number) { return "log/" + segment_name(number); }

  FileSystem& files_;
  const std::filesystem::path& log_;
  const RecordVisitor& visit_;
  Findings& findings_;
  LogExamination result_;
  std::vector<FoundSegment> found_;           // those that could be read, without their files
  SegmentEnd last_end_;                       // of the last one
  std::optional<std::uint64_t> last_number_;  // of the segment before
  std::optional<std::uint64_t> expected_;     // the event after the last one that was read
};

}  // namespace

base::Result<LogExamination> examine_log(FileSystem& files, const std::filesystem::path& log,
                                         const RecordVisitor& visit, Findings& findings) {
  return Examiner(files, log, visit, findings).run();
}

}  // namespace weir::store
