// SPDX-License-Identifier: Apache-2.0
// The masks of a key in four lines, with AVX2; see lane_kernels.h for what they are.
//
// A template over the caller's Machine, so that each source has its own: see lane_loop.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace weir::bloom {

template <typename Machine>
__m256i four_lane_masks(std::uint64_t key, std::uint64_t factor) {
  __extension__ using Wide = unsigned __int128;
  const Wide wide = static_cast<Wide>(key) * factor;
  const auto product = static_cast<std::uint64_t>(wide) ^ static_cast<std::uint64_t>(wide >> 64U);
  const __m256i bits = _mm256_srlv_epi64(_mm256_set1_epi64x(static_cast<long long>(product)),
                                         _mm256_set_epi64x(48, 32, 16, 0));
  const __m256i one = _mm256_set1_epi64x(1);
  const __m256i first = _mm256_and_si256(bits, _mm256_set1_epi64x(63));
  const __m256i byte = _mm256_and_si256(_mm256_srli_epi64(bits, 8), _mm256_set1_epi64x(255));
  const __m256i by_63 = _mm256_sub_epi64(_mm256_slli_epi64(byte, 6), byte);
  const __m256i step = _mm256_add_epi64(one, _mm256_srli_epi64(by_63, 8));
  return _mm256_or_si256(_mm256_sllv_epi64(one, first),
                         _mm256_sllv_epi64(one, _mm256_xor_si256(first, step)));
}

}  // namespace weir::bloom
