// SPDX-License-Identifier: Apache-2.0
#include "match/change/threshold_index.h"

#include <limits>
#include <utility>

namespace weir::match {
namespace {

std::ptrdiff_t signed_of(std::size_t offset) { return static_cast<std::ptrdiff_t>(offset); }

// How many of the sorted values are less. Without branches that depend on them.
std::size_t count_less(std::span<const double> values, double value) {
  if (values.empty()) return 0;
  const double* begin = values.data();
  std::size_t length = values.size();
  while (length > 1) {
    const std::size_t half = length / 2;
    begin += begin[half - 1] < value ? half : 0;
    length -= half;
  }
  return static_cast<std::size_t>(begin - values.data()) + (*begin < value ? 1U : 0U);
}

// The same for some values that are asked for at once, since they are far from each other.
std::size_t count_less_by(std::size_t stride, std::span<const double> values, double value) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); i += stride) count += values[i] < value ? 1U : 0U;
  return count;
}

// The first place at or behind the position, where `first` is the first at its threshold.
std::size_t behind_equals(std::span<const double> thresholds, std::span<const std::uint64_t> ids,
                          std::size_t first, Position position) {
  if (first == ids.size() || thresholds[first] != position.threshold || ids[first] >= position.id) {
    return first;
  }
  const auto from = thresholds.begin() + signed_of(first);
  const auto equals = std::upper_bound(from, thresholds.end(), position.threshold) - from;
  const auto found = std::lower_bound(ids.begin() + signed_of(first),
                                      ids.begin() + signed_of(first) + equals, position.id);
  return static_cast<std::size_t>(found - ids.begin());
}

}  // namespace

std::size_t ThresholdIndex::Chunk::lower_bound(Position position) const {
  constexpr std::size_t kLine = 8;
  const auto all = std::span(thresholds);
  const auto part = [&](std::size_t from, std::size_t size) {
    return all.subspan(from, std::min(size, all.size() - from));
  };
  // Each step finds the last part that may begin before the threshold.
  const auto last = [](std::size_t count) { return count == 0 ? 0 : count - 1; };
  std::size_t from = kSampleDistance * last(count_less_by(1, samples, position.threshold));
  from += kLine * last(count_less_by(kLine, part(from, kSampleDistance), position.threshold));
  from += count_less_by(1, part(from, kLine), position.threshold);
  return behind_equals(thresholds, ids, from, position);
}

void ThresholdIndex::Chunk::sample(std::size_t from) {
  for (std::size_t i = (from + kSampleDistance - 1) / kSampleDistance; i < samples.size(); ++i) {
    const std::size_t at = i * kSampleDistance;
    samples[i] = at < size() ? thresholds[at] : std::numeric_limits<double>::infinity();
  }
}

void ThresholdIndex::Chunk::insert(std::size_t offset, Position position) {
  if (ids.size() == ids.capacity()) {
    thresholds.reserve(ids.size() + kGrowth);
    ids.reserve(ids.size() + kGrowth);
  }
  thresholds.insert(thresholds.begin() + signed_of(offset), position.threshold);
  ids.insert(ids.begin() + signed_of(offset), position.id);
}

void ThresholdIndex::Chunk::append(const Chunk& other, std::size_t from) {
  thresholds.reserve(size() + other.size() - from);
  ids.reserve(size() + other.size() - from);
  thresholds.insert(thresholds.end(), other.thresholds.begin() + signed_of(from),
                    other.thresholds.end());
  ids.insert(ids.end(), other.ids.begin() + signed_of(from), other.ids.end());
}

bool ThresholdIndex::insert(Position position) {
  const Cursor cursor = chunks_.empty() ? end() : place_of(position);
  const std::size_t chunk = cursor.chunk;
  if (chunk < chunks_.size()) {
    Chunk& content = chunks_[chunk];
    if (cursor.offset < content.size() && content.at(cursor.offset) == position) return false;
    if (content.size() < kChunkSizeMax) {
      content.insert(cursor.offset, position);
      update_directory(chunk, cursor.offset);
      ++size_;
      return true;
    }
    // Who comes in order fills one chunk after the other.
    if (chunk + 1 < chunks_.size() || cursor.offset < kChunkSizeMax) {
      split(chunk);
      return insert(position);
    }
  }
  insert_chunk(chunks_.size(), Chunk{{position.threshold}, {position.id}, {}});
  ++size_;
  return true;
}

bool ThresholdIndex::erase(Position position) {
  if (chunks_.empty()) return false;
  const auto [index, offset] = place_of(position);
  Chunk& chunk = chunks_[index];
  if (offset == chunk.size() || chunk.at(offset) != position) return false;
  chunk.thresholds.erase(chunk.thresholds.begin() + signed_of(offset));
  chunk.ids.erase(chunk.ids.begin() + signed_of(offset));
  --size_;
  if (chunk.size() == 0) {
    erase_chunk(index);
    return true;
  }
  update_directory(index, offset);
  if (chunk.size() < kChunkSizeMin) merge_small(index);
  return true;
}

bool ThresholdIndex::contains(Position position) const {
  const Cursor cursor = lower_bound(position);
  return cursor != end() && at(cursor) == position;
}

void ThresholdIndex::assign(std::vector<Position> positions) {
  if (!std::is_sorted(positions.begin(), positions.end())) {
    std::sort(positions.begin(), positions.end());
  }
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  *this = ThresholdIndex();
  size_ = positions.size();
  for (std::size_t first = 0; first < positions.size(); first += kChunkSizeMax) {
    const std::size_t end = std::min(positions.size(), first + kChunkSizeMax);
    Chunk chunk;
    chunk.thresholds.reserve(end - first);
    chunk.ids.reserve(end - first);
    for (std::size_t i = first; i < end; ++i) {
      chunk.thresholds.push_back(positions[i].threshold);
      chunk.ids.push_back(positions[i].id);
    }
    insert_chunk(chunks_.size(), std::move(chunk));
  }
}

ThresholdIndex::Cursor ThresholdIndex::lower_bound(Position position) const {
  if (chunks_.empty()) return end();
  const Cursor place = place_of(position);
  return place.offset < chunks_[place.chunk].size() ? place : Cursor{place.chunk + 1, 0};
}

std::size_t ThresholdIndex::count(Cursor from, Cursor to) const {
  std::size_t count = to.offset - from.offset;
  for (std::size_t chunk = from.chunk; chunk < to.chunk; ++chunk) count += sizes_[chunk];
  return count;
}

std::size_t ThresholdIndex::memory_bytes() const {
  std::size_t bytes =
      chunks_.capacity() * sizeof(Chunk) + first_thresholds_.capacity() * sizeof(double) +
      first_ids_.capacity() * sizeof(std::uint64_t) + sizes_.capacity() * sizeof(std::uint32_t);
  for (const Chunk& chunk : chunks_) {
    bytes +=
        chunk.thresholds.capacity() * sizeof(double) + chunk.ids.capacity() * sizeof(std::uint64_t);
  }
  return bytes;
}

void ThresholdIndex::update_directory(std::size_t chunk, std::size_t from) {
  chunks_[chunk].sample(from);
  sizes_[chunk] = static_cast<std::uint32_t>(chunks_[chunk].size());
  first_thresholds_[chunk] = chunks_[chunk].thresholds[0];
  first_ids_[chunk] = chunks_[chunk].ids[0];
}

std::size_t ThresholdIndex::chunk_of(std::size_t from, Position position) const {
  const auto thresholds = std::span(first_thresholds_).subspan(from);
  const auto ids = std::span(first_ids_).subspan(from);
  const std::size_t next =
      behind_equals(thresholds, ids, count_less(thresholds, position.threshold), position);
  const bool begins_with = next < ids.size() && first(from + next) == position;
  return from + (next == 0 || begins_with ? next : next - 1);
}

ThresholdIndex::Cursor ThresholdIndex::place_of(Position position) const {
  const std::size_t chunk = chunk_of(0, position);
  return {chunk, chunks_[chunk].lower_bound(position)};
}

ThresholdIndex::Cursor ThresholdIndex::seek(Cursor from, Position position) const {
  constexpr std::size_t kNear = 4;
  if (from.chunk == chunks_.size()) return from;
  const std::size_t next = from.chunk + 1;
  const bool is_far = next < chunks_.size() && first(next) < position;
  const std::size_t index = is_far ? chunk_of(next, position) : from.chunk;
  const Chunk& chunk = chunks_[index];
  std::size_t offset = is_far ? 0 : from.offset;
  const std::size_t near_end = is_far ? 0 : std::min(chunk.size(), offset + kNear);
  for (; offset < near_end; ++offset) {
    if (chunk.at(offset) >= position) return {index, offset};
  }
  offset = std::max(offset, chunk.lower_bound(position));
  return offset < chunk.size() ? Cursor{index, offset} : Cursor{index + 1, 0};
}

void ThresholdIndex::insert_chunk(std::size_t chunk, Chunk content) {
  const std::ptrdiff_t at = signed_of(chunk);
  first_thresholds_.insert(first_thresholds_.begin() + at, content.thresholds[0]);
  first_ids_.insert(first_ids_.begin() + at, content.ids[0]);
  sizes_.insert(sizes_.begin() + at, static_cast<std::uint32_t>(content.size()));
  content.sample(0);
  chunks_.insert(chunks_.begin() + at, std::move(content));
}

void ThresholdIndex::erase_chunk(std::size_t chunk) {
  const std::ptrdiff_t at = signed_of(chunk);
  first_thresholds_.erase(first_thresholds_.begin() + at);
  first_ids_.erase(first_ids_.begin() + at);
  sizes_.erase(sizes_.begin() + at);
  chunks_.erase(chunks_.begin() + at);
}

void ThresholdIndex::split(std::size_t chunk) {
  Chunk& left = chunks_[chunk];
  const std::size_t half = left.size() / 2;
  Chunk right;
  right.append(left, half);
  left.thresholds.resize(half);
  left.ids.resize(half);
  left.thresholds.shrink_to_fit();
  left.ids.shrink_to_fit();
  update_directory(chunk, 0);
  insert_chunk(chunk + 1, std::move(right));
}

void ThresholdIndex::merge_small(std::size_t chunk) {
  const std::size_t left = chunk == 0 ? 0 : chunk - 1;
  for (std::size_t i = left; i <= chunk && i + 1 < chunks_.size(); ++i) {
    if (chunks_[i].size() + chunks_[i + 1].size() > kMergedSizeMax) continue;
    chunks_[i].append(chunks_[i + 1], 0);
    update_directory(i, 0);
    erase_chunk(i + 1);
    return;
  }
}

}  // namespace weir::match
