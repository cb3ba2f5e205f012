// SPDX-License-Identifier: Apache-2.0
#include "match/content/row_kernels.h"

#ifdef __x86_64__
#include <immintrin.h>

#define WEIR_TARGET __attribute__((target("avx512bw,avx512vbmi,popcnt")))

namespace weir::match::content {
namespace {

WEIR_TARGET inline __mmask64 passes(__mmask64 rows, __m512i lanes, const std::uint8_t* test,
                                    std::size_t capacity) {
  const __m512i byte = _mm512_permutexvar_epi8(_mm512_loadu_si512(test), lanes);
  const __m512i distance = _mm512_sub_epi8(byte, _mm512_loadu_si512(test + capacity));
  return _mm512_mask_cmple_epu8_mask(rows, distance, _mm512_loadu_si512(test + 2 * capacity));
}

}  // namespace

// The records are moved together without a branch: which rows pass is hard to foresee.
WEIR_TARGET std::size_t avx512_row_kernel(const std::uint8_t* block, std::size_t capacity,
                                          std::size_t row_count, const std::uint8_t* lanes,
                                          RecordRef* records) {
  const __mmask64 rows = ~std::uint64_t{0} >> (64 - row_count);
  const __m512i bytes = _mm512_loadu_si512(lanes);
  const __mmask64 left =
      passes(passes(rows, bytes, block, capacity), bytes, block + 3 * capacity, capacity);
  const std::uint8_t* const all = block + 6 * capacity;
  std::size_t count = 0;
  for (std::size_t i = 0; i < row_count; i += 16) {
    const auto here = static_cast<__mmask16>(left >> i);
    _mm512_storeu_si512(records + count,
                        _mm512_maskz_compress_epi32(here, _mm512_loadu_si512(all + 4 * i)));
    count += static_cast<std::size_t>(__builtin_popcount(here));
  }
  return count;
}

}  // namespace weir::match::content
#endif
