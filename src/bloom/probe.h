// SPDX-License-Identifier: Apache-2.0
// Which cells of a filter belong to a key: the arithmetic that all structures here share.
//
// Keys are 64-bit hashes that a caller made (base::hash_bytes with a seed); two keys with the same
// hash are one. The k probes of a key are k independent values (splitmix64 of the key and the
// probe's index), not the usual h1 + i*h2: that has more false positives than the formulas say
// when a filter is small, and slices are.
//
// Every structure answers one question, with these words:
//
//   test(key)                  true: distinct, for certain; false: seen, or a false positive
//   set(key)                   remembers
//   test_and_set(key)          both in one step over the cells: true if any cell was unset
//   first_test_then_set(key)   remembers only a key that is distinct; for windows, where setting
//                              a cell again would make it live longer
#pragma once

#include <cstdint>

namespace weir::bloom {

// m and k in the paper.
struct BloomShape {
  std::uint64_t cell_count = 0;
  std::uint32_t probe_count = 0;

  bool operator==(const BloomShape&) const = default;
};

inline constexpr std::uint32_t kProbeCountMax = 64;
inline constexpr std::uint64_t kCellCountMax = std::uint64_t{1} << 40;

// The output function of splitmix64: every bit of the result depends on every bit of the value.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

// Uniform in [0, bound) for a uniform value, without a division.
constexpr std::uint64_t reduce(std::uint64_t value, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(value) * bound) >> 64U);
}

// The cell of the key's probe with this index (h_i in the paper), below cell_count.
constexpr std::uint64_t probe(std::uint64_t key, std::uint32_t index, std::uint64_t cell_count) {
  return reduce(mix(key + (index + 1) * 0x9E3779B97F4A7C15U), cell_count);
}

}  // namespace weir::bloom
