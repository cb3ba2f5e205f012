// SPDX-License-Identifier: Apache-2.0
// BlockLoop: the loops of BlockKernels over a Machine, which knows the instructions.
//
// A source that includes this is compiled for its own instructions and keeps its Machine in an
// unnamed namespace: see lane_loop.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloom/block_kernels.h"

namespace weir::bloom {

// Machine: Word; Mask; mask(key); test(words, mask), true if a bit is unset; set(words, mask).
template <typename Machine>
struct BlockLoop {
  using Word = typename Machine::Word;
  static constexpr std::size_t kAhead = 16;  // keys whose blocks are asked for before they are used
  __extension__ using Wide = unsigned __int128;

  // As bloom::reduce.
  static Word* block_of(const BlockPass& pass, std::uint64_t key) {
    const auto index =
        static_cast<std::uint64_t>((static_cast<Wide>(key) * pass.block_count) >> 64U);
    return static_cast<Word*>(pass.blocks) + index * 8;
  }

  template <typename Use>
  static void walk(const BlockPass& pass, const std::uint64_t* keys, std::size_t key_count,
                   Use use) {
    std::size_t i = 0;
    if (pass.ask_ahead) {
      for (std::size_t j = 0; j < kAhead && j < key_count; ++j) {
        __builtin_prefetch(block_of(pass, keys[j]), 1, 3);
      }
      for (; i + kAhead < key_count; ++i) {
        __builtin_prefetch(block_of(pass, keys[i + kAhead]), 1, 3);
        use(i, block_of(pass, keys[i]));
      }
    }
    for (; i < key_count; ++i) use(i, block_of(pass, keys[i]));
  }

  static void test(const BlockPass& pass, const std::uint64_t* keys, std::size_t key_count,
                   bool* distinct) {
    walk(pass, keys, key_count, [&](std::size_t i, const Word* block) {
      distinct[i] = Machine::test(block, Machine::mask(keys[i]));
    });
  }

  static void set(const BlockPass& pass, const std::uint64_t* keys, std::size_t key_count) {
    walk(pass, keys, key_count,
         [&](std::size_t i, Word* block) { Machine::set(block, Machine::mask(keys[i])); });
  }

  static void test_and_set(const BlockPass& pass, const std::uint64_t* keys, std::size_t key_count,
                           bool* distinct) {
    walk(pass, keys, key_count, [&](std::size_t i, Word* block) {
      const auto mask = Machine::mask(keys[i]);
      distinct[i] = Machine::test(block, mask);
      Machine::set(block, mask);
    });
  }

  static constexpr BlockKernels kKernels = {&test, &set, &test_and_set};
};

}  // namespace weir::bloom
