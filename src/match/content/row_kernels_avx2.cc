// SPDX-License-Identifier: Apache-2.0
#include "match/content/row_kernels.h"

#ifdef __x86_64__
#include <immintrin.h>

namespace weir::match::content {
namespace {

// The bytes of 32 lanes: pshufb looks up 16, so that each quarter of the lanes is looked up for all
// rows, and kept where the lane is of that quarter.
struct Lanes {
  __m256i quarter[4];
};

Lanes load_lanes(const std::uint8_t* lanes) {
  Lanes loaded;
  for (std::size_t i = 0; i < 4; ++i) {
    loaded.quarter[i] = _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes + 16 * i)));
  }
  return loaded;
}

__m256i look_up(const Lanes& lanes, __m256i lane) {
  __m256i bytes = _mm256_setzero_si256();
  const __m256i quarter = _mm256_and_si256(_mm256_srli_epi16(lane, 4), _mm256_set1_epi8(3));
  const __m256i place = _mm256_and_si256(lane, _mm256_set1_epi8(15));
  for (int i = 0; i < 4; ++i) {
    const __m256i here = _mm256_cmpeq_epi8(quarter, _mm256_set1_epi8(static_cast<char>(i)));
    bytes = _mm256_or_si256(bytes,
                            _mm256_and_si256(here, _mm256_shuffle_epi8(lanes.quarter[i], place)));
  }
  return bytes;
}

__m256i load(const std::uint8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

__m256i passes(const Lanes& lanes, const std::uint8_t* test, std::size_t capacity) {
  const __m256i byte = look_up(lanes, load(test));
  const __m256i distance = _mm256_sub_epi8(byte, load(test + capacity));
  const __m256i span = load(test + 2 * capacity);
  return _mm256_cmpeq_epi8(_mm256_min_epu8(distance, span), distance);
}

}  // namespace

std::size_t avx2_row_kernel(const std::uint8_t* block, std::size_t capacity, std::size_t row_count,
                            const std::uint8_t* lanes, RecordRef* records) {
  const Lanes loaded = load_lanes(lanes);
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < row_count; i += 32) {
    const __m256i both = _mm256_and_si256(passes(loaded, block + i, capacity),
                                          passes(loaded, block + 3 * capacity + i, capacity));
    rows |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(both))} << i;
  }
  return write_records(rows & (~std::uint64_t{0} >> (64 - row_count)), block, capacity, records);
}

}  // namespace weir::match::content
#endif
