// SPDX-License-Identifier: Apache-2.0
#include "store/log_examiner.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/segment.h"
#include "store/segment_link.h"

namespace weir::store {
namespace {

constexpr const char* kAdvice =
    "copy the file again from where it came from, or restore the last backup";

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
    const auto numbers = find_segment_numbers(files_, log_);
    if (!numbers) return numbers.error();
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      const bool is_last = i + 1 == numbers->size();
      examine((*numbers)[i], is_last ? std::nullopt : std::optional((*numbers)[i + 1]));
    }
    return result_;
  }

 private:
  void examine(std::uint64_t number, std::optional<std::uint64_t> later_number) {
    ++result_.segment_count;
    const auto found = open(number);
    if (!found) return;
    result_.bytes += found->file_bytes;
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
    const auto visit = [&](std::uint64_t offset_bytes, const RecordView& record) {
      ++(record.kind == RecordKind::kEvent ? result_.event_count : result_.note_count);
      if (visit_) visit_(name, offset_bytes, record);
    };
    const auto scan = scan_segment(found.file, *found.header, found.file_bytes, visit);
    if (!scan) {
      damage_at(found, 0, scan.error().message, "its events cannot be read");
      return;
    }
    expected_ = scan->end.next_sequence;
    result_.next_sequence = scan->end.next_sequence;
    if (is_closed) return judge_closed(found, *scan, later);
    judge_last(found, *scan);
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

  static std::string file_name(std::uint64_t number) { return "log/" + segment_name(number); }

  FileSystem& files_;
  const std::filesystem::path& log_;
  const RecordVisitor& visit_;
  Findings& findings_;
  LogExamination result_;
  std::optional<std::uint64_t> last_number_;  // of the segment before
  std::optional<std::uint64_t> expected_;     // the event after the last one that was read
};

}  // namespace

base::Result<LogExamination> examine_log(FileSystem& files, const std::filesystem::path& log,
                                         const RecordVisitor& visit, Findings& findings) {
  return Examiner(files, log, visit, findings).run();
}

}  // namespace weir::store
