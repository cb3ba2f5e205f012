// SPDX-License-Identifier: Apache-2.0
// The bits of a key in blocks of 256 bits, with AVX2; see block_kernels.h for what they are.
//
// Templates over the caller's Machine, so that each source has its own: see lane_loop.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "bloom/block_kernels.h"

namespace weir::bloom {

// The products whose highest bits are the positions, by word.
template <typename Machine>
__m256i block_products(std::uint64_t key) {
  const __m256i factors = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kBlockFactors));
  return _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(key)), factors);
}

// A block of 256 bits in one register.
template <typename Machine>
struct Avx2Block256 {
  using Word = std::uint32_t;
  using Mask = __m256i;

  static Mask mask(std::uint64_t key) {
    return _mm256_sllv_epi32(_mm256_set1_epi32(1),
                             _mm256_srli_epi32(block_products<Machine>(key), 27));
  }

  static bool test(const Word* block, Mask mask) {
    return _mm256_testc_si256(_mm256_load_si256(reinterpret_cast<const __m256i*>(block)), mask) ==
           0;
  }

  static void set(Word* block, Mask mask) {
    auto* const words = reinterpret_cast<__m256i*>(block);
    _mm256_store_si256(words, _mm256_or_si256(_mm256_load_si256(words), mask));
  }
};

}  // namespace weir::bloom
