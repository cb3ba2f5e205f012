// SPDX-License-Identifier: Apache-2.0
// The inner loop of content matching: which rows of a block let an event through.
//
// One for each instruction set; all give the same answers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "bloom/isa.h"
#include "match/content/ids.h"
#include "match/content/row_block.h"

namespace weir::match::content {

// Writes the records of those of the first row_count rows that let the event through, and gives
// their number. `lanes` are the event's 64 bytes. See row_block.h for the layout. Requires at least
// one row; kBlockPadBytes after the block may be read, and kRecordPadCount records after those that
// count may be written.
using RowKernel = std::size_t (*)(const std::uint8_t* block, std::size_t capacity,
                                  std::size_t row_count, const std::uint8_t* lanes,
                                  RecordRef* records);

inline constexpr std::size_t kRecordPadCount = 16;

// Requires an instruction set that the machine has. The best may be that of a lesser set: AVX-512
// needs permutations of bytes (VBMI).
RowKernel row_kernel(bloom::Isa isa);

std::size_t portable_row_kernel(const std::uint8_t* block, std::size_t capacity,
                                std::size_t row_count, const std::uint8_t* lanes,
                                RecordRef* records);
std::size_t avx2_row_kernel(const std::uint8_t* block, std::size_t capacity, std::size_t row_count,
                            const std::uint8_t* lanes, RecordRef* records);
std::size_t avx512_row_kernel(const std::uint8_t* block, std::size_t capacity,
                              std::size_t row_count, const std::uint8_t* lanes, RecordRef* records);

// The records of the rows whose bits are set.
inline std::size_t write_records(std::uint64_t rows, const std::uint8_t* block,
                                 std::size_t capacity, RecordRef* records) {
  std::size_t count = 0;
  for (; rows != 0; rows &= rows - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(rows));
    records[count++] = record_at(block, capacity, index);
  }
  return count;
}

}  // namespace weir::match::content
