// SPDX-License-Identifier: Apache-2.0
// LaneLoop: the loops of LaneKernels over a Machine, which knows the instructions.
//
// A source that includes this is compiled for its own instructions and keeps its Machine in an
// unnamed namespace: so nothing here can end up in the program of a lesser machine. For the same
// reason it calls no inline function of another header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloom/lane_kernels.h"

namespace weir::bloom {

// A Machine has kLines and Masks, and these:
//
//   masks(key)                                    of all lines
//   find(bucket, masks)                           a bit for each lane that has the key
//   set(bucket, lane, masks)
//   find_then_set(bucket, lane, refresh, masks)   gives what find() gave before
template <typename Machine>
struct LaneLoop {
  static constexpr std::size_t kAhead = 16;  // keys whose lines are asked for before they are used
  static constexpr std::uint64_t kBucketWords = Machine::kLines * 8;
  __extension__ using Wide = unsigned __int128;

  // As bloom::reduce.
  static std::uint64_t bucket_of(std::uint64_t key, std::uint64_t bucket_count) {
    return static_cast<std::uint64_t>((static_cast<Wide>(key) * bucket_count) >> 64U);
  }

  static void prefetch(const std::uint64_t* bucket) {
    for (std::uint64_t line = 0; line < Machine::kLines; ++line) {
      __builtin_prefetch(bucket + line * 8, 1, 3);
    }
  }

  static std::uint32_t find(const std::uint64_t* bucket, std::uint64_t key) {
    return Machine::find(bucket, Machine::masks(key));
  }

  static void set(std::uint64_t* bucket, std::uint32_t lane, std::uint64_t key) {
    Machine::set(bucket, lane, Machine::masks(key));
  }

  // Calls `use` with each key's index and bucket, in order, its lines asked for ahead.
  template <typename Use>
  static void walk(const LanePass& pass, const std::uint64_t* keys, std::size_t key_count,
                   Use use) {
    std::uint64_t ahead[kAhead];
    for (std::size_t i = 0; i < kAhead && i < key_count; ++i) {
      ahead[i] = bucket_of(keys[i], pass.bucket_count);
      prefetch(pass.words + ahead[i] * kBucketWords);
    }
    for (std::size_t i = 0; i < key_count; ++i) {
      const std::uint64_t bucket = ahead[i % kAhead];
      if (i + kAhead < key_count) {
        const std::uint64_t next = bucket_of(keys[i + kAhead], pass.bucket_count);
        ahead[i % kAhead] = next;
        prefetch(pass.words + next * kBucketWords);
      }
      use(i, bucket);
    }
  }

  static void test_all(const LanePass& pass, const std::uint64_t* keys, std::size_t key_count,
                       bool* distinct) {
    walk(pass, keys, key_count, [&](std::size_t i, std::uint64_t bucket) {
      distinct[i] = find(pass.words + bucket * kBucketWords, keys[i]) == 0;
    });
  }

  static void test_then_set_all(LanePass& pass, const std::uint64_t* keys, std::size_t key_count,
                                bool* distinct) {
    const bool refresh = pass.refresh;
    walk(pass, keys, key_count, [&](std::size_t i, std::uint64_t bucket) {
      const std::uint64_t newer = bucket < pass.boundary ? 1 : 0;
      const auto lane = static_cast<std::uint32_t>((pass.epoch + newer) % kLaneCount);
      const std::uint32_t found = Machine::find_then_set(pass.words + bucket * kBucketWords, lane,
                                                         refresh, Machine::masks(keys[i]));
      distinct[i] = found == 0;
      // A key that is set again in the lane that has it is not one more.
      const std::uint64_t added = found == 0 || (refresh && (found >> lane & 1U) == 0) ? 1 : 0;
      pass.set_counts[newer][bucket >> pass.region_shift] += added;
    });
  }

  static constexpr LaneKernels kKernels = {&find, &set, &test_all, &test_then_set_all};
};

// What the masks of a key are made of: 16 bits per line, four lines to a product.
inline constexpr std::uint64_t kLaneProduct[2] = {0x9E3779B97F4A7C15U, 0xD6E8FEB86659FD93U};

}  // namespace weir::bloom
