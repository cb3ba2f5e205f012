// SPDX-License-Identifier: Apache-2.0
#include "match/content/point_table.h"

#include <utility>

#include "base/heap_bytes.h"

namespace weir::match::content {

PointTable::PointTable() : directory_(1) {
  segments_.push_back({.entries = std::vector<Entry>(kSegmentSize)});
  set_ways(0, 0);
}

void PointTable::put(std::uint64_t hash, const Entry& entry) {
  const Way& way = way_of(hash);
  std::size_t place = hash & way.mask;
  while (way.entries[place].id != kNoId) place = (place + 1) & way.mask;
  way.entries[place] = entry;
  ++segments_[way.segment].count;
}

std::vector<PointTable::Entry> PointTable::make_room(std::uint64_t hash) {
  const std::uint32_t number = way_of(hash).segment;
  Segment& segment = segments_[number];
  const bool may_split =
      segment.depth < depth_ || directory_.size() < kDirectoryShareMax * segments_.size();
  const std::size_t size = segment.entries.size();
  std::vector<Entry> entries =
      std::exchange(segment.entries, std::vector<Entry>(may_split ? size : 2 * size));
  segment.count = 0;
  set_ways(hash, number);
  if (may_split) split(hash);
  return entries;
}

// Makes another segment for those of its hashes whose next bit is set.
void PointTable::split(std::uint64_t hash) {
  const std::uint32_t number = way_of(hash).segment;
  if (segments_[number].depth == depth_) double_directory();
  const unsigned depth = ++segments_[number].depth;
  const std::size_t size = segments_[number].entries.size();
  segments_.push_back({.entries = std::vector<Entry>(size), .depth = depth});
  const std::uint64_t bit = std::uint64_t{1} << (64 - depth);
  set_ways(hash | bit, static_cast<std::uint32_t>(segments_.size() - 1));
}

void PointTable::double_directory() {
  std::vector<Way> twice;
  twice.reserve(2 * directory_.size());
  for (const Way& way : directory_) twice.insert(twice.end(), {way, way});
  directory_ = std::move(twice);
  ++depth_;
}

void PointTable::set_ways(std::uint64_t hash, std::uint32_t segment) {
  Segment& of = segments_[segment];
  const std::size_t count = std::size_t{1} << (depth_ - of.depth);
  const std::size_t first = directory_place(hash) / count * count;
  for (std::size_t i = first; i < first + count; ++i) {
    directory_[i] = {of.entries.data(), static_cast<std::uint32_t>(of.entries.size() - 1), segment};
  }
}

std::size_t PointTable::memory_bytes() const {
  std::size_t bytes = base::heap_bytes(segments_) + base::heap_bytes(directory_);
  for (const Segment& segment : segments_) bytes += base::heap_bytes(segment.entries);
  return bytes;
}

}  // namespace weir::match::content
