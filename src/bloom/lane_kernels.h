// SPDX-License-Identifier: Apache-2.0
// The inner loops of GenerationalBloom, one set per instruction set and bucket size.
//
// A bucket is C lines of eight 64-bit words; word g of a line is the lane of generation g. A key
// has in each line of its bucket a mask of two bits, the same for every lane:
//
//            lane 0   lane 1   ...   lane 7
//   line 0   word     word           word        a key is in generation g if, in every line,
//   ...                                          lane g has both bits of the line's mask
//   line C-1 word     word           word
//
// The two bits come from 16 bits of a product with the key: position s = bits 0..5, and s xor d
// with d = 1 + 63 * bits 8..15 / 256. All sets give the same answers and leave the same words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloom/generational_sizing.h"
#include "bloom/isa.h"

namespace weir::bloom {

inline constexpr std::uint32_t kLaneCount = kGenerationCount;
// Keys are counted in so many equal parts of the buckets: where the rate changes, parts that go on
// to their next generation earlier and later differ.
inline constexpr std::uint32_t kRegionCount = 16;

// What a pass over many keys works on. Buckets below `boundary` take keys into the lane of epoch
// + 1, the others into that of epoch. Every bucket must be up to date.
struct LanePass {
  std::uint64_t* words;
  std::uint64_t bucket_count;
  std::uint64_t boundary;
  std::uint64_t epoch;
  bool refresh;                // keys that were found are set again
  std::uint32_t region_shift;  // a bucket's region is its index, shifted
  // Out: keys set in epoch, and in epoch + 1, by region.
  std::uint64_t set_counts[2][kRegionCount];
};

struct LaneKernels {
  // A bit for each lane that has the key.
  std::uint32_t (*find)(const std::uint64_t* bucket, std::uint64_t key);
  void (*set)(std::uint64_t* bucket, std::uint32_t lane, std::uint64_t key);
  void (*test_all)(const LanePass& pass, const std::uint64_t* keys, std::size_t key_count,
                   bool* distinct);
  void (*test_then_set_all)(LanePass& pass, const std::uint64_t* keys, std::size_t key_count,
                            bool* distinct);
};

// Requires that the machine has the instructions, and 4 or 8 lines.
const LaneKernels& lane_kernels(Isa isa, std::uint32_t line_count);

const LaneKernels& portable_lane_kernels(std::uint32_t line_count);
#ifdef __x86_64__
const LaneKernels& avx2_lane_kernels(std::uint32_t line_count);
const LaneKernels& avx512_lane_kernels(std::uint32_t line_count);
#endif

}  // namespace weir::bloom
