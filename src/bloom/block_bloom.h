// SPDX-License-Identifier: Apache-2.0
// BlockBloom: a set of keys in which each key has all its bits in one block of 256 or 512 bits.
//
// Guarantees: a key that was set is never called distinct. Others are called seen with the
// probability of block_false_positives(): somewhat more often than by a ClassicBloom of the same
// size, as some blocks get more keys than others.
//
//   block      |word 0|word 1|word 2|word 3|word 4|word 5|word 6|word 7|    8 x 32 or 8 x 64 bits
//   a key         x       x      x      x      x      x      x      x       one bit in each word
//
// One cache line per operation, whole blocks in one or two instructions; the batch forms ask for
// the lines ahead where the filter is larger than the nearer caches. After Putze, Sanders and
// Singler, "Cache-, Hash- and Space-Efficient Bloom Filters" (2007). Single-threaded.
// Measured by block_bloom_bench, 1e6 keys at 1 %, AVX-512, batches of 1024:
//
//   block      bits per key   M set/s      M test/s     x exact map
//   256 bits   10.53          320 to 380   325 to 370   38 to 69
//   512 bits   10.10          430          450          46 to 50
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bloom/block_kernels.h"
#include "bloom/isa.h"
#include "bloom/line_buffer.h"

namespace weir::bloom {

struct BlockOptions {
  std::uint64_t block_count = 1;   // at most kBlockCountMax
  std::uint32_t block_bits = 256;  // or 512
  Isa isa = best_isa();
};

inline constexpr std::uint64_t kBlockCountMax = std::uint64_t{1} << 32U;

class BlockBloom {
 public:
  explicit BlockBloom(const BlockOptions& options);

  bool test(std::uint64_t key) const;
  void set(std::uint64_t key) { set({&key, 1}); }
  bool test_and_set(std::uint64_t key);
  bool first_test_then_set(std::uint64_t key) { return test_and_set(key); }

  // distinct[i] answers for keys[i]; requires room for every answer. The same as one after another.
  void test(std::span<const std::uint64_t> keys, std::span<bool> distinct) const;
  void set(std::span<const std::uint64_t> keys);
  void test_and_set(std::span<const std::uint64_t> keys, std::span<bool> distinct);

  const BlockOptions& options() const { return options_; }
  double density() const;
  std::size_t memory_bytes() const { return lines_.bytes(); }

  // Frame of kind B: docs/formats/bloom.md.
  std::string save() const;
  // Fails with kStoreCorrupt.
  static base::Result<BlockBloom> restore(std::string_view bytes);

  // Whether both have the same size and bits, whatever instructions they use.
  bool operator==(const BlockBloom& other) const;

 private:
  BlockPass pass() const;
  std::size_t word_count() const { return options_.block_count * options_.block_bits / 64; }

  BlockOptions options_;
  const BlockKernels* kernels_;
  LineBuffer lines_;
};

}  // namespace weir::bloom
