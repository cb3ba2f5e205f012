// SPDX-License-Identifier: Apache-2.0
// PackedCells: an array of small numbers of 1 to 32 bits each, without gaps between them.
//
//   5 bits each:  word 0  |...11111 10000 .....|   cell i holds bits 5i to 5i+4, low bit first;
//                 word 1  |...          ...1111|   the cell 12 lies in both words
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"

namespace weir::bloom {

class PackedCells {
 public:
  static constexpr std::uint32_t kBitsMax = 32;

  // All zero. Requires 1 <= bits <= kBitsMax.
  PackedCells(std::uint64_t cell_count, std::uint32_t bits)
      : bits_(bits), words_(word_count(cell_count, bits) + 1) {
    WEIR_CHECK(bits >= 1 && bits <= kBitsMax);
  }

  static constexpr std::uint64_t word_count(std::uint64_t cell_count, std::uint32_t bits) {
    return (cell_count * bits + 63) / 64;
  }

  std::uint64_t get(std::uint64_t index) const {
    const Place at = place(index);
    // Without a branch, in two shifts because one of 64 is not defined.
    const std::uint64_t high = words_[at.word + 1] << 1U << (63 - at.shift);
    return (words_[at.word] >> at.shift | high) & mask();
  }

  // Requires a value that the bits can hold.
  void set(std::uint64_t index, std::uint64_t value) {
    const Place at = place(index);
    words_[at.word] = (words_[at.word] & ~(mask() << at.shift)) | value << at.shift;
    if (at.shift + bits_ <= 64) return;
    const std::uint32_t low_bits = 64 - at.shift;
    std::uint64_t& high = words_[at.word + 1];
    high = (high & ~(mask() >> low_bits)) | value >> low_bits;
  }

  void prefetch(std::uint64_t index) const { __builtin_prefetch(&words_[place(index).word], 1); }

  std::span<const std::uint64_t> words() const {
    return std::span(words_).first(words_.size() - 1);
  }
  std::span<std::uint64_t> words() { return std::span(words_).first(words_.size() - 1); }
  std::size_t memory_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  struct Place {
    std::uint64_t word;
    std::uint32_t shift;
  };

  Place place(std::uint64_t index) const {
    const std::uint64_t bit = index * bits_;
    return {bit / 64, static_cast<std::uint32_t>(bit % 64)};
  }
  std::uint64_t mask() const { return (std::uint64_t{1} << bits_) - 1; }

  std::uint32_t bits_;
  std::vector<std::uint64_t> words_;  // and one more, so that every word has a next
};

}  // namespace weir::bloom
