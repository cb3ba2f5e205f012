// SPDX-License-Identifier: Apache-2.0
// BlockKernels with AVX2: a block is one register, or two.
#ifdef __x86_64__
#include <immintrin.h>

#include "bloom/block_loop.h"
#include "bloom/block_masks.h"

namespace weir::bloom {
namespace {

struct Here;

struct Avx2Block512 {
  using Word = std::uint64_t;
  struct Mask {
    __m256i low;
    __m256i high;
  };

  static Mask mask(std::uint64_t key) {
    const __m256i positions = _mm256_srli_epi32(block_products<Here>(key), 26);
    return {bits(_mm256_castsi256_si128(positions)), bits(_mm256_extracti128_si256(positions, 1))};
  }

  static __m256i bits(__m128i positions) {
    return _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_cvtepu32_epi64(positions));
  }

  static bool test(const Word* block, const Mask& mask) {
    const auto* const words = reinterpret_cast<const __m256i*>(block);
    return (_mm256_testc_si256(_mm256_load_si256(words), mask.low) &
            _mm256_testc_si256(_mm256_load_si256(words + 1), mask.high)) == 0;
  }

  static void set(Word* block, const Mask& mask) {
    auto* const words = reinterpret_cast<__m256i*>(block);
    _mm256_store_si256(words, _mm256_or_si256(_mm256_load_si256(words), mask.low));
    _mm256_store_si256(words + 1, _mm256_or_si256(_mm256_load_si256(words + 1), mask.high));
  }
};

}  // namespace

const BlockKernels& avx2_block_kernels(std::uint32_t block_bits) {
  return block_bits == 256 ? BlockLoop<Avx2Block256<Here>>::kKernels
                           : BlockLoop<Avx2Block512>::kKernels;
}

}  // namespace weir::bloom
#endif
