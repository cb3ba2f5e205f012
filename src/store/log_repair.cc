// SPDX-License-Identifier: Apache-2.0
#include "store/log_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "store/file_system.h"
#include "store/log_bounds.h"
#include "store/segment.h"
#include "store/segment_link.h"
#include "store/segment_salvage.h"

namespace weir::store {
namespace {

using base::Result;

// The longest filling of one record.
constexpr std::uint64_t kFillingBytesMax = std::uint64_t{16} << 20U;
constexpr base::Instant kLongAgo{std::numeric_limits<std::int64_t>::min()};

std::string name_of(std::uint64_t number) { return "log/" + segment_name(number); }

class LogRepairer {
 public:
  LogRepairer(const std::filesystem::path& directory, std::uint64_t known_sequence,
              const KeepOriginal& keep)
      : log_(directory / "log"), keep_(keep) {
    bounds_.next_sequence = known_sequence + 1;
  }

  Result<std::vector<LostRecords>> run() {
    if (auto created = files_.create_directory(log_); !created) return created.error();
    const auto numbers = find_segment_numbers(files_, log_);
    if (!numbers) return numbers.error();
    if (auto found = take_bounds(); !found) return found.error();
    for (const std::uint64_t number : *numbers) {
      auto one = inspect_segment(files_, log_, number, FileUse::kRead);
      // A segment that is another than its name tells has no header of its own.
      if (!one && one.error().id != base::ErrorId::kStoreCorrupt) return one.error();
      headers_[number] = one ? one->header : std::nullopt;
    }
    auto repaired = numbers->empty() ? begin_anew() : repair_segments();
    if (!repaired) return repaired.error();
    if (auto written = write_bounds(); !written) return written.error();
    return std::move(lost_);
  }

 private:
  // Slots that are damaged tell nothing.
  Result<void> take_bounds() {
    const auto found = read_bounds(files_, log_);
    if (!found) return found.error();
    is_bounds_there_ = found->has_value();
    if (!*found || !(*found)->is_known()) return {};
    const std::uint64_t known_next = bounds_.next_sequence;
    bounds_ = (*found)->bounds;
    bounds_.next_sequence = std::max(bounds_.next_sequence, known_next);
    is_begin_known_ = true;
    return {};
  }

  // No segment is left: one that begins with the next sequence.
  Result<void> begin_anew() {
    const std::uint64_t number = std::max<std::uint64_t>(bounds_.end_segment, 1);
    lose({name_of(number), 0, bounds_.end_bytes, bounds_.first_sequence, bounds_.next_sequence});
    auto file = files_.create(log_ / segment_name(number));
    if (!file) return file.error();
    const SegmentHeader header{.number = number, .first_sequence = bounds_.next_sequence};
    if (auto written = write_header(**file, header); !written) return written;
    begin_ = header;
    end_ = {kSegmentHeaderBytes, bounds_.next_sequence, kLongAgo, 0};
    return {};
  }

  Result<void> repair_segments() {
    const std::uint64_t last = headers_.rbegin()->first;
    const std::uint64_t first = headers_.begin()->first;
    for (std::uint64_t number = first; number <= last; ++number) {
      auto repaired = headers_.contains(number) ? repair_segment(number) : make_segment(number);
      if (!repaired) return repaired;
    }
    return {};
  }

  // The first header behind it, if it is valid.
  const SegmentHeader* later_header(std::uint64_t number) const {
    const auto found = headers_.find(number + 1);
    return found != headers_.end() && found->second ? &*found->second : nullptr;
  }

  Result<void> repair_segment(std::uint64_t number) {
    auto opened = files_.open(log_ / segment_name(number));
    if (!opened) return opened.error();
    File& file = **opened;
    const auto size_bytes = file.size();
    if (!size_bytes) return size_bytes.error();
    const SegmentHeader* const later = later_header(number);
    const bool is_last = number == headers_.rbegin()->first;
    const std::uint64_t limit_bytes =
        later != nullptr ? later->previous_bytes : std::max(*size_bytes, kSegmentHeaderBytes);
    const std::optional<SegmentHeader> header = headers_.at(number);
    const bool is_first = number == headers_.begin()->first;
    const std::uint64_t from = header ? header->first_sequence : is_first ? 0 : end_.next_sequence;
    auto salvage = salvage_segment(file, number, from, limit_bytes);
    if (!salvage) return salvage.error();
    if (auto begun = repair_header(file, number, *salvage); !begun) return begun;
    if (is_last) return repair_last(file, number, *salvage);
    const std::uint64_t next = later != nullptr ? later->first_sequence : salvage->next_sequence;
    for (const SalvageGap& gap : salvage->gaps) {
      if (auto filled = fill(file, number, gap, gap.next_sequence.value_or(next)); !filled) {
        return filled;
      }
    }
    if (salvage->gaps.empty() && salvage->next_sequence != next) {
      return damage(log_ / segment_name(number), salvage->end_bytes,
                    fmt::format("it ends with event {}, and the next segment begins with {}: this "
                                "cannot be repaired",
                                salvage->next_sequence - 1, next));
    }
    if (*size_bytes > limit_bytes) {
      if (auto cut = change(number, [&] { return file.truncate(limit_bytes); }); !cut) {
        return cut;
      }
    }
    end_ = {limit_bytes, next, std::max(end_.newest, salvage->newest), salvage->note_bytes};
    return {};
  }

  // Makes a header of what is known, unless there is one. Remembers the first of all.
  Result<void> repair_header(File& file, std::uint64_t number, Salvage& salvage) {
    const bool is_first = number == headers_.begin()->first;
    std::optional<SegmentHeader> header = headers_.at(number);
    if (!header) {
      header = header_after(number, end_);
      if (is_first) header->first_sequence = first_sequence(number, salvage);
      const auto written = change(number, [&] { return write_header(file, *header); });
      if (!written) return written;
      // Gaps before the first event could not know with which one the segment begins.
      for (SalvageGap& gap : salvage.gaps) {
        gap.first_sequence = std::max(gap.first_sequence, header->first_sequence);
      }
      salvage.next_sequence = std::max(salvage.next_sequence, header->first_sequence);
    }
    if (!is_first) return {};
    begin_ = *header;
    if (is_begin_known_ && number > bounds_.first_segment) {
      lose({name_of(bounds_.first_segment), 0, 0, bounds_.first_sequence, begin_.first_sequence});
    }
    return {};
  }

  // With which event the oldest segment began.
  std::uint64_t first_sequence(std::uint64_t number, const Salvage& salvage) const {
    if (is_begin_known_ && bounds_.first_segment == number) return bounds_.first_sequence;
    if (salvage.first_sequence) return *salvage.first_sequence;
    const SegmentHeader* const later = later_header(number);
    return later != nullptr ? later->first_sequence : bounds_.next_sequence;
  }

  // The last one ends where its last valid record does; what was confirmed behind it is lost.
  Result<void> repair_last(File& file, std::uint64_t number, const Salvage& salvage) {
    const std::uint64_t next = std::max(salvage.next_sequence, bounds_.next_sequence);
    const bool is_cut = bounds_.end_segment > number ||
                        (bounds_.end_segment == number && bounds_.end_bytes > salvage.end_bytes);
    end_ = {salvage.end_bytes, salvage.next_sequence, salvage.newest, salvage.note_bytes};
    for (const SalvageGap& gap : salvage.gaps) {
      if (gap.end_bytes > salvage.end_bytes) continue;
      // If the end is there, the last events that are missing were here.
      if (!gap.next_sequence && !is_cut) end_.next_sequence = next;
      const auto filled = fill(file, number, gap, gap.next_sequence.value_or(end_.next_sequence));
      if (!filled) return filled;
    }
    // An unfinished write behind it is cut off by a broker.
    if (!is_cut && end_.next_sequence == next) return {};
    const std::uint64_t lost_bytes =
        bounds_.end_segment == number ? bounds_.end_bytes - std::min(bounds_.end_bytes, end_.bytes)
                                      : 0;
    lose({name_of(number), end_.bytes, lost_bytes, end_.next_sequence, next});
    auto written = change(number, [&]() -> Result<void> {
      if (auto cut = file.truncate(end_.bytes); !cut) return cut;
      return write_lost(file, number, end_.bytes, end_.bytes + kRecordHeadBytes, next);
    });
    if (!written) return written;
    end_.bytes += kRecordHeadBytes;
    end_.next_sequence = next;
    return file.sync_data();
  }

  // In the place of one that is missing between others.
  Result<void> make_segment(std::uint64_t number) {
    const SegmentHeader header = header_after(number, end_);
    const SegmentHeader* const later = later_header(number);
    const std::uint64_t next = later != nullptr ? later->first_sequence : end_.next_sequence;
    const std::uint64_t size_bytes =
        later != nullptr ? later->previous_bytes : kSegmentHeaderBytes + kRecordHeadBytes;
    auto file = files_.create(log_ / segment_name(number));
    if (!file) return file.error();
    if (auto written = write_header(**file, header); !written) return written;
    lose({name_of(number), kSegmentHeaderBytes, size_bytes - kSegmentHeaderBytes,
          end_.next_sequence, next});
    if (size_bytes > kSegmentHeaderBytes) {
      const auto written = write_lost(**file, number, kSegmentHeaderBytes, size_bytes, next);
      if (!written) return written;
    }
    end_ = {size_bytes, next, end_.newest, size_bytes - kSegmentHeaderBytes};
    return (*file)->sync_data();
  }

  Result<void> fill(File& file, std::uint64_t number, const SalvageGap& gap, std::uint64_t next) {
    const std::uint64_t first = std::max(gap.first_sequence, filled_through_);
    lose({name_of(number), gap.begin_bytes, gap.end_bytes - gap.begin_bytes, std::min(first, next),
          next});
    filled_through_ = next;
    return change(number, [&]() -> Result<void> {
      const auto written = write_lost(file, number, gap.begin_bytes, gap.end_bytes, next);
      return written ? file.sync_data() : written;
    });
  }

  // Records without events that fill the place exactly.
  Result<void> write_lost(File& file, std::uint64_t number, std::uint64_t begin_bytes,
                          std::uint64_t end_bytes, std::uint64_t next) {
    while (begin_bytes < end_bytes) {
      const std::uint64_t rest_bytes = end_bytes - begin_bytes;
      if (rest_bytes < kRecordHeadBytes) {
        return damage(log_ / segment_name(number), begin_bytes,
                      "the place of lost records is shorter than a record: it cannot be repaired");
      }
      std::uint64_t record_bytes = std::min(rest_bytes, kFillingBytesMax);
      if (rest_bytes - record_bytes < kRecordHeadBytes && rest_bytes > record_bytes) {
        record_bytes -= kRecordHeadBytes;
      }
      const std::string filling(record_bytes - kRecordHeadBytes, '\0');
      std::string bytes;
      append_record(bytes, {number, begin_bytes},
                    {.kind = RecordKind::kLost,
                     .confirmed_bytes = begin_bytes,
                     .sequence = next,
                     .at = kLongAgo,
                     .payload = filling});
      if (auto written = file.write_at(begin_bytes, bytes); !written) return written;
      begin_bytes += record_bytes;
    }
    return {};
  }

  static Result<void> write_header(File& file, const SegmentHeader& header) {
    if (auto written = file.write_at(0, encode_header(header)); !written) return written;
    return file.sync_data();
  }

  // Changes a segment whose original is kept.
  template <typename Change>
  Result<void> change(std::uint64_t number, Change make_change) {
    if (kept_ != number) {
      if (auto kept = keep_(name_of(number)); !kept) return kept;
      kept_ = number;
    }
    return make_change();
  }

  Result<void> write_bounds() {
    if (is_bounds_there_) {
      if (auto kept = keep_(fmt::format("log/{}", kBoundsName)); !kept) return kept;
    }
    const std::uint64_t last = headers_.empty() ? begin_.number : headers_.rbegin()->first;
    return BoundsFile(files_, log_,
                      {.first_segment = begin_.number,
                       .first_sequence = begin_.first_sequence,
                       .end_segment = last,
                       .end_bytes = end_.bytes,
                       .next_sequence = end_.next_sequence})
        .require();
  }

  void lose(LostRecords lost) { lost_.push_back(std::move(lost)); }

  FileSystem& files_ = posix_file_system();
  std::filesystem::path log_;
  const KeepOriginal& keep_;
  LogBounds bounds_;
  bool is_bounds_there_ = false;
  bool is_begin_known_ = false;
  std::map<std::uint64_t, std::optional<SegmentHeader>> headers_;  // by number; none: damaged
  std::vector<LostRecords> lost_;
  SegmentHeader begin_;                // of the oldest segment
  SegmentEnd end_{0, 1, kLongAgo, 0};  // of the segment before, in the end of the last
  std::uint64_t filled_through_ = 0;   // events before this one are told of
  std::optional<std::uint64_t> kept_;  // the segment whose original is kept
};

}  // namespace

base::Result<std::vector<LostRecords>> repair_log(const std::filesystem::path& directory,
                                                  std::uint64_t known_sequence,
                                                  const KeepOriginal& keep) {
  return LogRepairer(directory, known_sequence, keep).run();
}

}  // namespace weir::store
