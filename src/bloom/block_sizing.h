// SPDX-License-Identifier: Apache-2.0
// How large a block filter must be, and how often it errs.
//
// A key has one block of 8 words and sets one bit in each word. Blocks receive unequal numbers of
// keys, which costs memory compared with a classic filter: with lambda keys per block and W bits
// per word
//
//   P = sum over j of Poisson(j; lambda) * (1 - (1 - 1/W)^j)^8
//
//   wanted P    classic    256-bit blocks    512-bit blocks      bits per key
//      1 %        9.59       10.53             10.10
//      0.1 %     14.38       16.89             15.72
#pragma once

#include <cstdint>

namespace weir::bloom {

inline constexpr std::uint32_t kBlockWordCount = 8;

// P. Requires lambda >= 0 and block_bits 256 or 512, here and below.
double block_false_positives(double lambda, std::uint32_t block_bits);

// The largest lambda with P <= false_positives; requires it in [kFalsePositivesMin,
// kFalsePositivesMax], here and below.
double block_lambda(double false_positives, std::uint32_t block_bits);

// At least one.
std::uint64_t block_count_for(double key_count, double false_positives, std::uint32_t block_bits);

double block_bits_per_key(double false_positives, std::uint32_t block_bits);

}  // namespace weir::bloom
