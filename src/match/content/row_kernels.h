// SPDX-License-Identifier: Apache-2.0
// The inner loop of content matching: which rows of a block let an event through.
//
// One for each instruction set; all give the same answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloom/isa.h"

namespace weir::match::content {

// Bit i of the result is set if row i, of the first row_count, lets the event through. `lanes` are
// the event's 64 bytes. See row_block.h for the layout. Requires at least one row, and that
// kBlockPadBytes after the block may be read.
using RowKernel = std::uint64_t (*)(const std::uint8_t* block, std::size_t capacity,
                                    std::size_t row_count, const std::uint8_t* lanes);

// Requires an instruction set that the machine has. The best may be that of a lesser set: AVX-512
// needs permutations of bytes (VBMI).
RowKernel row_kernel(bloom::Isa isa);

std::uint64_t portable_row_kernel(const std::uint8_t* block, std::size_t capacity,
                                  std::size_t row_count, const std::uint8_t* lanes);
std::uint64_t avx2_row_kernel(const std::uint8_t* block, std::size_t capacity,
                              std::size_t row_count, const std::uint8_t* lanes);
std::uint64_t avx512_row_kernel(const std::uint8_t* block, std::size_t capacity,
                                std::size_t row_count, const std::uint8_t* lanes);

}  // namespace weir::match::content
