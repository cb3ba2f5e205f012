// SPDX-License-Identifier: Apache-2.0
// A block of rows: the signatures of up to 64 conjunctions in columns of bytes, and their records.
//
//   lane 0   C bytes   low 0   C bytes   span 0   C bytes      C: how many rows there is room for,
//   lane 1   C bytes   low 1   C bytes   span 1   C bytes      8, 16, 32 or 64
//   record   C times 4 bytes
//
// An event has a byte in each of 64 lanes: of a point a hash, of a number its cell. A row lets it
// through if, for both of its tests, (byte of the lane - low) mod 256 <= span. That is a Bloom
// filter of two bits in spirit: what it stops does not match, what it lets through may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "match/content/ids.h"

namespace weir::match::content {

inline constexpr std::size_t kLaneCount = 64;
// A lane of which every byte is let through, by a span of 255.
inline constexpr std::uint8_t kOpenLane = kLaneCount - 1;

inline constexpr std::size_t kRowBytes = 10;
inline constexpr std::size_t kBlockRowsMax = 64;
inline constexpr std::size_t kBlockRowsMin = 8;
// So many bytes after a block may be read, though not used: rows are loaded 64 at a time.
inline constexpr std::size_t kBlockPadBytes = 64;

struct LaneTest {
  std::uint8_t lane = kOpenLane;
  std::uint8_t low = 0;
  std::uint8_t span = 255;
};

struct Row {
  LaneTest tests[2];
  RecordRef record = kNoId;
};

// The record of a row.
inline RecordRef record_at(const std::uint8_t* block, std::size_t capacity, std::size_t index) {
  RecordRef record;
  std::memcpy(&record, block + 6 * capacity + 4 * index, sizeof record);
  return record;
}

// A view of a block; capacity is C.
struct RowBlock {
  std::uint8_t* bytes = nullptr;
  std::size_t capacity = 0;

  // For a read() or write() some steps later.
  void prefetch(std::size_t index) const {
    for (std::size_t i = 0; i < 6; ++i) __builtin_prefetch(bytes + i * capacity + index, 1);
    __builtin_prefetch(bytes + 6 * capacity + 4 * index, 1);
  }
  Row read(std::size_t index) const {
    Row row;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint8_t* const at = bytes + 3 * i * capacity + index;
      row.tests[i] = {at[0], at[capacity], at[2 * capacity]};
    }
    row.record = record_at(bytes, capacity, index);
    return row;
  }
  void write(std::size_t index, const Row& row) const {
    for (std::size_t i = 0; i < 2; ++i) {
      std::uint8_t* const at = bytes + 3 * i * capacity + index;
      at[0] = row.tests[i].lane;
      at[capacity] = row.tests[i].low;
      at[2 * capacity] = row.tests[i].span;
    }
    std::memcpy(bytes + 6 * capacity + 4 * index, &row.record, sizeof row.record);
  }
};

}  // namespace weir::match::content
