// SPDX-License-Identifier: Apache-2.0
// Scanning text eight bytes at a time, in one register and on any machine.
//
// A test of all eight bytes is a word in which the high bit of each byte that meets it is set. A
// borrow can only add a false alarm above a true one, so the lowest bit is always right.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weir::event {

inline constexpr std::uint64_t kEachByte = 0x0101010101010101U;
inline constexpr std::uint64_t kHighBits = 0x8080808080808080U;

// Eight bytes, the first one lowest.
inline std::uint64_t load_word(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

// Bytes of control characters below 0x20 and of characters that are not ASCII.
constexpr std::uint64_t bytes_control_or_high(std::uint64_t word) {
  return (word | (word - kEachByte * 0x20)) & kHighBits;
}

// Bytes that are `c`, or not ASCII.
constexpr std::uint64_t bytes_equal_or_high(std::uint64_t word, char c) {
  const std::uint64_t zero_where_equal = word ^ (kEachByte * static_cast<unsigned char>(c));
  return (word | (zero_where_equal - kEachByte)) & kHighBits;
}

// The index of the first byte that a test found; the test must have found one.
constexpr std::size_t first_byte(std::uint64_t found) {
  return static_cast<std::size_t>(std::countr_zero(found)) / 8;
}

}  // namespace weir::event
