// SPDX-License-Identifier: Apache-2.0
// LaneKernels with AVX2: a line is two registers, of lanes 0 to 3 and 4 to 7.
#ifdef __x86_64__
#include <immintrin.h>

#include "bloom/lane_loop.h"
#include "bloom/lane_masks.h"

namespace weir::bloom {
namespace {

template <std::uint32_t LineCount>
struct Avx2Machine {
  static constexpr std::uint64_t kLines = LineCount;
  struct Masks {
    __m256i of_line[LineCount];  // the mask in four lanes
  };

  static Masks masks(std::uint64_t key) {
    Masks masks;
    for (std::uint32_t four = 0; four < LineCount / 4; ++four) {
      const __m256i made = four_lane_masks<Avx2Machine>(key, kLaneProduct[four]);
      masks.of_line[four * 4 + 0] = _mm256_permute4x64_epi64(made, 0x00);
      masks.of_line[four * 4 + 1] = _mm256_permute4x64_epi64(made, 0x55);
      masks.of_line[four * 4 + 2] = _mm256_permute4x64_epi64(made, 0xAA);
      masks.of_line[four * 4 + 3] = _mm256_permute4x64_epi64(made, 0xFF);
    }
    return masks;
  }

  static std::uint32_t find(const std::uint64_t* bucket, const Masks& masks) {
    __m256i low = _mm256_setzero_si256();
    __m256i high = low;
    for (std::uint32_t line = 0; line < LineCount; ++line) {
      const __m256i mask = masks.of_line[line];
      low = _mm256_or_si256(low, _mm256_andnot_si256(half(bucket, line, 0), mask));
      high = _mm256_or_si256(high, _mm256_andnot_si256(half(bucket, line, 1), mask));
    }
    return zero_lanes(low) | zero_lanes(high) << 4U;
  }

  static void set(std::uint64_t* bucket, std::uint32_t lane, const Masks& masks) {
    for (std::uint32_t line = 0; line < LineCount; ++line) {
      bucket[line * 8 + lane] |=
          static_cast<std::uint64_t>(_mm256_extract_epi64(masks.of_line[line], 0));
    }
  }

  static std::uint32_t find_then_set(std::uint64_t* bucket, std::uint32_t lane, bool refresh,
                                     const Masks& masks) {
    const std::uint32_t found = find(bucket, masks);
    if (found == 0 || refresh) set(bucket, lane, masks);
    return found;
  }

  static __m256i half(const std::uint64_t* bucket, std::uint32_t line, std::uint32_t index) {
    return _mm256_load_si256(
        reinterpret_cast<const __m256i*>(bucket + std::size_t{line} * 8 + std::size_t{index} * 4));
  }

  static std::uint32_t zero_lanes(__m256i words) {
    const __m256i zero = _mm256_cmpeq_epi64(words, _mm256_setzero_si256());
    return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(zero)));
  }
};

}  // namespace

const LaneKernels& avx2_lane_kernels(std::uint32_t line_count) {
  return line_count == 4 ? LaneLoop<Avx2Machine<4>>::kKernels : LaneLoop<Avx2Machine<8>>::kKernels;
}

}  // namespace weir::bloom
#endif
