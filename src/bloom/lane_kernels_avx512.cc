// SPDX-License-Identifier: Apache-2.0
// LaneKernels with AVX-512: a line is one register, a lane a bit of a mask.
#ifdef __x86_64__
#include <immintrin.h>

#include "bloom/lane_loop.h"
#include "bloom/lane_masks.h"

namespace weir::bloom {
namespace {

template <std::uint32_t LineCount>
struct Avx512Machine {
  static constexpr std::uint64_t kLines = LineCount;
  struct Masks {
    __m512i of_line[LineCount];  // the mask in all lanes
  };

  static Masks masks(std::uint64_t key) {
    Masks masks;
    for (std::uint32_t four = 0; four < LineCount / 4; ++four) {
      const __m512i made =
          _mm512_castsi256_si512(four_lane_masks<Avx512Machine>(key, kLaneProduct[four]));
      for (std::uint32_t i = 0; i < 4; ++i) {
        masks.of_line[four * 4 + i] = _mm512_permutexvar_epi64(_mm512_set1_epi64(i), made);
      }
    }
    return masks;
  }

  static std::uint32_t find(const std::uint64_t* bucket, const Masks& masks) {
    __m512i missing = _mm512_andnot_si512(_mm512_load_si512(bucket), masks.of_line[0]);
    for (std::uint32_t line = 1; line < LineCount; ++line) {
      // missing | (~words & mask)
      missing = _mm512_ternarylogic_epi64(
          missing, _mm512_load_si512(bucket + std::size_t{line} * 8), masks.of_line[line], 0xF2);
    }
    return static_cast<std::uint32_t>(_mm512_testn_epi64_mask(missing, missing));
  }

  static void set(std::uint64_t* bucket, std::uint32_t lane, const Masks& masks) {
    set_where(bucket, static_cast<__mmask8>(1U << lane), masks);
  }

  // Always stores, as a branch on what was found would often be foretold wrong.
  static std::uint32_t find_then_set(std::uint64_t* bucket, std::uint32_t lane, bool refresh,
                                     const Masks& masks) {
    const std::uint32_t found = find(bucket, masks);
    const std::uint32_t wanted = found == 0 || refresh ? 1U : 0U;
    set_where(bucket, static_cast<__mmask8>(wanted << lane), masks);
    return found;
  }

  static void set_where(std::uint64_t* bucket, __mmask8 lanes, const Masks& masks) {
    for (std::uint32_t line = 0; line < LineCount; ++line) {
      std::uint64_t* const words = bucket + std::size_t{line} * 8;
      const __m512i old = _mm512_load_si512(words);
      _mm512_store_si512(words, _mm512_mask_or_epi64(old, lanes, old, masks.of_line[line]));
    }
  }
};

}  // namespace

const LaneKernels& avx512_lane_kernels(std::uint32_t line_count) {
  return line_count == 4 ? LaneLoop<Avx512Machine<4>>::kKernels
                         : LaneLoop<Avx512Machine<8>>::kKernels;
}

}  // namespace weir::bloom
#endif
