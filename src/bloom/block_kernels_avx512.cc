// SPDX-License-Identifier: Apache-2.0
// BlockKernels with AVX-512: a block of either size is one register.
#ifdef __x86_64__
#include <immintrin.h>

#include "bloom/block_loop.h"
#include "bloom/block_masks.h"

namespace weir::bloom {
namespace {

struct Here;

struct Avx512Block512 {
  using Word = std::uint64_t;
  using Mask = __m512i;

  static Mask mask(std::uint64_t key) {
    const __m256i positions = _mm256_srli_epi32(block_products<Here>(key), 26);
    return _mm512_sllv_epi64(_mm512_set1_epi64(1), _mm512_cvtepu32_epi64(positions));
  }

  static bool test(const Word* block, const Mask& mask) {
    const __m512i missing = _mm512_andnot_si512(_mm512_load_si512(block), mask);
    return _mm512_test_epi64_mask(missing, missing) != 0;
  }

  static void set(Word* block, const Mask& mask) {
    _mm512_store_si512(block, _mm512_or_si512(_mm512_load_si512(block), mask));
  }
};

}  // namespace

const BlockKernels& avx512_block_kernels(std::uint32_t block_bits) {
  return block_bits == 256 ? BlockLoop<Avx2Block256<Here>>::kKernels
                           : BlockLoop<Avx512Block512>::kKernels;
}

}  // namespace weir::bloom
#endif
