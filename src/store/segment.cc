// SPDX-License-Identifier: Apache-2.0
#include "store/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace weir::store {
namespace {

constexpr std::string_view kSuffix = ".log";
constexpr std::size_t kDigits = 20;
constexpr std::uint64_t kKib = 1024;

}  // namespace

std::string segment_name(std::uint64_t number) { return fmt::format("{:020}{}", number, kSuffix); }

std::optional<std::uint64_t> segment_number(std::string_view name) {
  if (name.size() != kDigits + kSuffix.size() || !name.ends_with(kSuffix)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const digits_end = name.data() + kDigits;
  const auto [end, error] = std::from_chars(name.data(), digits_end, number);
  if (error != std::errc() || end != digits_end) return std::nullopt;
  return number;
}

base::Result<std::shared_ptr<Segment>> Segment::create(FileSystem& files,
                                                       const std::filesystem::path& directory,
                                                       const SegmentHeader& header) {
  const std::filesystem::path path = directory / segment_name(header.number);
  auto file = files.create(path);
  if (!file) return file.error();
  // The header is durable before the first record is written: a file with records and a bad
  // header was not torn.
  if (auto written = (*file)->write_at(0, encode_header(header)); !written) return written.error();
  if (auto synced = (*file)->sync_data(); !synced) return synced.error();
  if (auto synced = files.sync_directory(directory); !synced) return synced.error();
  const SegmentEnd end{kSegmentHeaderBytes, header.first_sequence, header.newest_before, 0};
  return std::make_shared<Segment>(files, path, header, end,
                                   std::shared_ptr<File>(*std::move(file)), SparseIndex());
}

Segment::Segment(FileSystem& files, std::filesystem::path path, const SegmentHeader& header,
                 SegmentEnd end, std::shared_ptr<File> file, std::optional<SparseIndex> index)
    : files_(files),
      path_(std::move(path)),
      header_(header),
      end_(end),
      file_(std::move(file)),
      index_(std::move(index)) {}

SegmentHeader header_after(std::uint64_t number, const SegmentEnd& end) {
  constexpr std::uint64_t kKibMax = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t note_kib = std::min(end.note_bytes / kKib, kKibMax);
  return {.number = number,
          .first_sequence = end.next_sequence,
          .previous_bytes = end.bytes,
          .newest_before = end.newest,
          .previous_note_kib = static_cast<std::uint32_t>(note_kib)};
}

std::uint64_t note_bytes_before(const SegmentHeader& header) {
  return header.previous_note_kib * kKib;
}

SegmentEnd Segment::end() const {
  const std::lock_guard lock(end_mutex_);
  return end_;
}

base::Result<std::shared_ptr<File>> Segment::file() const {
  const std::lock_guard lock(file_mutex_);
  if (file_ == nullptr) {
    auto opened = files_.open(path_);
    if (!opened) return opened.error();
    file_ = *std::move(opened);
  }
  return file_;
}

base::Result<Block> Segment::block_of(std::uint64_t sequence) const {
  const std::lock_guard lock(index_mutex_);
  if (!index_) {
    auto made = make_index();
    if (!made) return made.error();
    index_ = *std::move(made);
  }
  return index_->block_of(sequence, end().bytes);
}

void Segment::extend(SegmentEnd end, const SparseIndex& added) {
  // The end comes last: whoever sees it finds the index complete up to it.
  {
    const std::lock_guard lock(index_mutex_);
    for (const IndexEntry& entry : added.entries()) index_->add(entry);
  }
  const std::lock_guard lock(end_mutex_);
  end_ = end;
}

base::Result<SparseIndex> Segment::make_index() const {
  auto opened = file();
  if (!opened) return opened.error();
  const SegmentEnd expected = end();
  auto scan = scan_segment(*std::move(opened), header_, expected.bytes);
  if (!scan) return scan.error();
  switch (scan->state) {
    case ScanState::kDamaged:
      return damage(path_, scan->end.bytes, "no valid record");
    case ScanState::kDisorder:
      return damage(path_, scan->end.bytes, "a record out of order");
    case ScanState::kWhole:
      break;
  }
  if (scan->end.next_sequence != expected.next_sequence) {
    return damage(path_, scan->end.bytes,
                  fmt::format("the next event is {}, in the next segment {}",
                              scan->end.next_sequence, expected.next_sequence));
  }
  return std::move(scan->index);
}

}  // namespace weir::store
