// SPDX-License-Identifier: Apache-2.0
#include "store/log_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"

namespace weir::store {
namespace {

// Blocks nearer to each other than this are read at once, up to the second size.
constexpr std::uint64_t kGapBytesMax = std::uint64_t{16} << 10U;
constexpr std::uint64_t kReadBytesMax = std::uint64_t{1} << 20U;

using Sequences = std::span<const std::uint64_t>;
using Records = std::span<std::optional<LogRecord>>;

// A run of sequences and the bytes that have them.
struct Run {
  std::size_t count = 0;
  Block block;
};

base::Result<Run> next_run(const Segment& segment, Sequences sequences) {
  const auto first = segment.block_of(sequences.front());
  if (!first) return first.error();
  Run run{1, *first};
  for (; run.count < sequences.size(); ++run.count) {
    const auto block = segment.block_of(sequences[run.count]);
    if (!block) return block.error();
    if (block->begin_bytes > run.block.end_bytes + kGapBytesMax ||
        block->end_bytes > run.block.begin_bytes + kReadBytesMax) {
      break;
    }
    run.block.end_bytes = block->end_bytes;
  }
  return run;
}

base::Result<void> read_run(const Segment& segment, const File& file, Block block,
                            Sequences sequences, Records records) {
  const auto bytes = file.read_at(block.begin_bytes, block.end_bytes - block.begin_bytes);
  if (!bytes) return bytes.error();
  RecordPlace place{segment.header().number, block.begin_bytes};
  std::size_t found = 0;
  while (found < sequences.size()) {
    const DecodedRecord decoded = decode_record(
        std::string_view(*bytes).substr(place.offset_bytes - block.begin_bytes), place);
    if (decoded.state != RecordState::kWhole) {
      return damage(segment.path(), place.offset_bytes,
                    fmt::format("no valid record in the search for event {}", sequences[found]));
    }
    const RecordView& record = decoded.record;
    // Lost ones are gone, as those that retention has removed.
    while (record.kind == RecordKind::kLost && found < sequences.size() &&
           sequences[found] < record.sequence) {
      ++found;
    }
    for (; record.kind == RecordKind::kEvent && found < sequences.size() &&
           sequences[found] == record.sequence;
         ++found) {
      records[found] = to_log_record(record);
    }
    place.offset_bytes += record.size_bytes();
  }
  return {};
}

base::Result<void> read_segment(const Segment& segment, Sequences sequences, Records records) {
  const auto file = segment.file();
  if (!file) return file.error();
  while (!sequences.empty()) {
    const auto run = next_run(segment, sequences);
    if (!run) return run.error();
    auto read = read_run(segment, **file, run->block, sequences.first(run->count),
                         records.first(run->count));
    if (!read) return read;
    sequences = sequences.subspan(run->count);
    records = records.subspan(run->count);
  }
  return {};
}

// How many of the ascending sequences are lower.
std::size_t count_below(Sequences sequences, std::uint64_t limit) {
  const auto end = std::lower_bound(sequences.begin(), sequences.end(), limit);
  return static_cast<std::size_t>(end - sequences.begin());
}

}  // namespace

base::Result<std::vector<std::optional<LogRecord>>> read_events(const SegmentList& segments,
                                                                Sequences sequences) {
  WEIR_CHECK(std::is_sorted(sequences.begin(), sequences.end()));
  std::vector<std::optional<LogRecord>> records(sequences.size());
  for (std::size_t done = 0; done < sequences.size();) {
    const Sequences rest = sequences.subspan(done);
    const auto segment = segments.find(rest.front());
    if (segment == nullptr) {
      // Retention may have gone on since: these are older than some first sequence that was.
      done +=
          std::max<std::size_t>(1, count_below(rest, segments.front()->header().first_sequence));
      continue;
    }
    const std::size_t count = count_below(rest, segment->end().next_sequence);
    if (count == 0) break;  // not there yet
    const Records places = Records(records).subspan(done, count);
    auto read = read_segment(*segment, rest.first(count), places);
    if (!read) {
      if (!segment->removed()) return read.error();
      std::fill(places.begin(), places.end(), std::nullopt);
    }
    done += count;
  }
  return records;
}

LogRecord to_log_record(const RecordView& view) {
  return {view.kind, view.sequence, view.at, std::string(view.payload)};
}

}  // namespace weir::store
