// SPDX-License-Identifier: Apache-2.0
// The inner loops of BlockBloom, one set per instruction set and block size.
//
// A block has eight words, of 32 or of 64 bits; a key has one bit in each. Bit i comes from the low
// half of the key, multiplied by the i-th of eight odd numbers: the product's highest 5 or 6 bits.
// The block comes from the key's high bits. All sets give the same answers and leave the same
// words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloom/isa.h"

namespace weir::bloom {

struct BlockPass {
  void* blocks;
  std::uint64_t block_count;
  bool ask_ahead;  // the blocks do not fit into the nearer caches
};

struct BlockKernels {
  void (*test)(const BlockPass& pass, const std::uint64_t* keys, std::size_t key_count,
               bool* distinct);
  void (*set)(const BlockPass& pass, const std::uint64_t* keys, std::size_t key_count);
  void (*test_and_set)(const BlockPass& pass, const std::uint64_t* keys, std::size_t key_count,
                       bool* distinct);
};

// Requires that the machine has the instructions, and 256 or 512 bits.
const BlockKernels& block_kernels(Isa isa, std::uint32_t block_bits);

const BlockKernels& portable_block_kernels(std::uint32_t block_bits);
#ifdef __x86_64__
const BlockKernels& avx2_block_kernels(std::uint32_t block_bits);
const BlockKernels& avx512_block_kernels(std::uint32_t block_bits);
#endif

// Odd, and otherwise without a pattern: the first eight primes' square roots, the fractions'
// highest 32 bits with the lowest set.
inline constexpr std::uint32_t kBlockFactors[8] = {0x6A09E667U, 0xBB67AE85U, 0x3C6EF373U,
                                                   0xA54FF53BU, 0x510E527FU, 0x9B05688DU,
                                                   0x1F83D9ABU, 0x5BE0CD19U};

}  // namespace weir::bloom
