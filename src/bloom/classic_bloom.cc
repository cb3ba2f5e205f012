// SPDX-License-Identifier: Apache-2.0
#include "bloom/classic_bloom.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "bloom/frame.h"

namespace weir::bloom {
namespace {

// Keys whose cells are asked for before the first of them is looked at.
constexpr std::size_t kAhead = 8;

constexpr std::uint64_t word_count(std::uint64_t cell_count) { return (cell_count + 63) / 64; }

}  // namespace

ClassicBloom::ClassicBloom(BloomShape shape) : shape_(shape) {
  WEIR_CHECK(shape.cell_count >= 1 && shape.cell_count <= kCellCountMax);
  WEIR_CHECK(shape.probe_count >= 1 && shape.probe_count <= kProbeCountMax);
  words_.resize(word_count(shape.cell_count));
}

bool ClassicBloom::test(std::uint64_t key) const {
  for (std::uint32_t i = 0; i < shape_.probe_count; ++i) {
    if (!cell(probe(key, i, shape_.cell_count))) return true;
  }
  return false;
}

bool ClassicBloom::test_and_set(std::uint64_t key) {
  bool distinct = false;
  for (std::uint32_t i = 0; i < shape_.probe_count; ++i) {
    distinct |= set_cell(probe(key, i, shape_.cell_count));
  }
  return distinct;
}

bool ClassicBloom::set_cell(std::uint64_t index) {
  std::uint64_t& word = words_[index / 64];
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  const bool unset = (word & bit) == 0;
  word |= bit;
  set_cell_count_ += unset ? 1U : 0U;
  return unset;
}

void ClassicBloom::prefetch(std::uint64_t key) const {
  for (std::uint32_t i = 0; i < shape_.probe_count; ++i) {
    __builtin_prefetch(&words_[probe(key, i, shape_.cell_count) / 64], 1);
  }
}

void ClassicBloom::test(std::span<const std::uint64_t> keys, std::span<bool> distinct) const {
  WEIR_CHECK(distinct.size() >= keys.size());
  for (std::size_t i = 0; i < std::min(kAhead, keys.size()); ++i) prefetch(keys[i]);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) prefetch(keys[i + kAhead]);
    distinct[i] = test(keys[i]);
  }
}

void ClassicBloom::test_and_set(std::span<const std::uint64_t> keys, std::span<bool> distinct) {
  WEIR_CHECK(distinct.size() >= keys.size());
  for (std::size_t i = 0; i < std::min(kAhead, keys.size()); ++i) prefetch(keys[i]);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) prefetch(keys[i + kAhead]);
    distinct[i] = test_and_set(keys[i]);
  }
}

double ClassicBloom::density() const {
  return static_cast<double>(set_cell_count_) / static_cast<double>(shape_.cell_count);
}

std::string ClassicBloom::save() const {
  base::ByteWriter writer = begin_frame(FrameKind::kClassic);
  writer.varint(shape_.cell_count);
  writer.varint(shape_.probe_count);
  for (const std::uint64_t word : words_) writer.u64(word);
  return finish_frame(std::move(writer));
}

base::Result<ClassicBloom> ClassicBloom::restore(std::string_view bytes) {
  const auto body = open_frame(FrameKind::kClassic, bytes);
  if (!body) return body.error();
  base::ByteReader reader(*body);
  const std::uint64_t cell_count = reader.varint();
  const std::uint64_t probe_count = reader.varint();
  if (cell_count < 1 || cell_count > kCellCountMax || probe_count < 1 ||
      probe_count > kProbeCountMax || reader.rest_bytes() != word_count(cell_count) * 8) {
    return corrupt_frame(FrameKind::kClassic, "is of another size than it says");
  }
  ClassicBloom filter({cell_count, static_cast<std::uint32_t>(probe_count)});
  for (std::uint64_t& word : filter.words_) {
    word = reader.u64();
    filter.set_cell_count_ += static_cast<std::uint64_t>(std::popcount(word));
  }
  if (cell_count % 64 != 0 && filter.words_.back() >> (cell_count % 64) != 0) {
    return corrupt_frame(FrameKind::kClassic, "has cells beyond its end");
  }
  return filter;
}

}  // namespace weir::bloom
