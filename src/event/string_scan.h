// SPDX-License-Identifier: Apache-2.0
// StringScan: finds the ends of strings in padded text, 64 bytes at a time.
//
// One pass over a window marks every character in it that is not plain; the strings in it then cost
// a shift and a count of zeros each, and none waits for the bytes of the one before. Plain is
// printable ASCII that stands for itself in a JSON string; the padding is not plain.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "event/padded_text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weir::event {

// Eight bytes, the first one lowest.
inline std::uint64_t load_word(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

class StringScan {
 public:
  static constexpr std::ptrdiff_t kWindowBytes = 64;
  static_assert(kWindowBytes <= PaddedText::kPaddingBytes);

  // The first character from there on that is not plain. Never goes back.
  const char* skip_plain(const char* at) {
    for (;;) {
      if (at < window_end_) {
        const std::uint64_t rest = special_ >> (kWindowBytes - (window_end_ - at));
        if (rest != 0) return at + std::countr_zero(rest);
        at = window_end_;
      }
      special_ = special_bits(at);
      window_end_ = at + kWindowBytes;
    }
  }

 private:
  // A bit for each byte of a window, the first one lowest: set if it is not plain.
  static std::uint64_t special_bits(const char* window) {
    std::uint64_t bits = 0;
    for (std::ptrdiff_t i = 0; i < kWindowBytes; i += kBlockBytes) {
      bits |= std::uint64_t{special_block_bits(window + i)} << static_cast<unsigned>(i);
    }
    return bits;
  }

#ifdef __SSE2__
  static constexpr std::ptrdiff_t kBlockBytes = 16;

  static std::uint32_t special_block_bits(const char* at) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto equals = [&](char c) { return _mm_cmpeq_epi8(block, _mm_set1_epi8(c)); };
    // As signed bytes, those of multi-byte characters are less than any ASCII.
    const __m128i low = _mm_cmplt_epi8(block, _mm_set1_epi8(0x20));
    const __m128i special =
        _mm_or_si128(_mm_or_si128(equals('"'), equals('\\')), _mm_or_si128(equals(0x7F), low));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(special));
  }
#else
  static constexpr std::ptrdiff_t kBlockBytes = 1;

  static std::uint32_t special_block_bits(const char* at) {
    return *at < 0x20 || *at >= 0x7F || *at == '"' || *at == '\\' ? 1 : 0;
  }
#endif

  const char* window_end_ = nullptr;
  std::uint64_t special_ = 0;
};

}  // namespace weir::event
