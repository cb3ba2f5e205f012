// SPDX-License-Identifier: Apache-2.0
// ClassicBloom: a set of keys in m bits, k of them per key. It only grows fuller.
//
// Guarantees: a key that was set is never called distinct. A key that was not set is called seen
// with probability p = (1 - (1 - 1/m)^(kn))^k once n keys are set (paper 000, eq. 1; the bits of a
// key are independent draws, so two of them may fall on one cell, as the formula has it).
//
//   m = 16, k = 3, after set(a) and set(b); their probes meet in cell 9:
//
//   cell    0 1 2 3 4 5 6 7 8 9 ...        15
//           0 1 0 0 0 1 0 0 0 1 0 0 1 0 0 1      one bit each, 64 to a word, low bit first
//             a       b       ab    a     b
//
// Costs k random memory accesses per operation; the batch forms ask for them ahead. At 1 % it takes
// 9.6 bits per key and k = 7. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bloom/probe.h"

namespace weir::bloom {

class ClassicBloom {
 public:
  // Requires 1 <= cell_count <= kCellCountMax and 1 <= probe_count <= kProbeCountMax.
  explicit ClassicBloom(BloomShape shape);

  bool test(std::uint64_t key) const;
  void set(std::uint64_t key) { test_and_set(key); }
  bool test_and_set(std::uint64_t key);
  bool first_test_then_set(std::uint64_t key) { return test_and_set(key); }

  // distinct[i] answers for keys[i]; requires room for every answer. The same as one after another.
  void test(std::span<const std::uint64_t> keys, std::span<bool> distinct) const;
  void test_and_set(std::span<const std::uint64_t> keys, std::span<bool> distinct);

  // Single cells, for slices of a filter that lie apart.
  bool cell(std::uint64_t index) const { return (words_[index / 64] >> (index % 64) & 1U) != 0; }
  // True if the cell was unset.
  bool set_cell(std::uint64_t index);

  const BloomShape& shape() const { return shape_; }
  std::uint64_t set_cell_count() const { return set_cell_count_; }  // z in the paper
  double density() const;
  std::size_t memory_bytes() const { return words_.size() * sizeof(std::uint64_t); }

  // Frame of kind C: docs/formats/bloom.md.
  std::string save() const;
  // Fails with kStoreCorrupt.
  static base::Result<ClassicBloom> restore(std::string_view bytes);

  bool operator==(const ClassicBloom&) const = default;

 private:
  void prefetch(std::uint64_t key) const;

  BloomShape shape_;
  std::vector<std::uint64_t> words_;
  std::uint64_t set_cell_count_ = 0;
};

}  // namespace weir::bloom
