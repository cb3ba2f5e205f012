// SPDX-License-Identifier: Apache-2.0
#include "bloom/block_kernels.h"

#include "base/check.h"
#include "bloom/block_loop.h"

namespace weir::bloom {
namespace {

template <typename WordType, std::uint32_t Shift>
struct PortableMachine {
  using Word = WordType;
  struct Mask {
    Word words[8];
  };

  static Mask mask(std::uint64_t key) {
    Mask mask;
    const auto half = static_cast<std::uint32_t>(key);
    for (int i = 0; i < 8; ++i) mask.words[i] = Word{1} << (half * kBlockFactors[i] >> Shift);
    return mask;
  }

  static bool test(const Word* block, const Mask& mask) {
    Word missing = 0;
    for (int i = 0; i < 8; ++i) missing |= ~block[i] & mask.words[i];
    return missing != 0;
  }

  static void set(Word* block, const Mask& mask) {
    for (int i = 0; i < 8; ++i) block[i] |= mask.words[i];
  }
};

}  // namespace

const BlockKernels& portable_block_kernels(std::uint32_t block_bits) {
  return block_bits == 256 ? BlockLoop<PortableMachine<std::uint32_t, 27>>::kKernels
                           : BlockLoop<PortableMachine<std::uint64_t, 26>>::kKernels;
}

const BlockKernels& block_kernels(Isa isa, std::uint32_t block_bits) {
  WEIR_CHECK(block_bits == 256 || block_bits == 512);
#ifdef __x86_64__
  if (isa == Isa::kAvx512) return avx512_block_kernels(block_bits);
  if (isa == Isa::kAvx2) return avx2_block_kernels(block_bits);
#endif
  WEIR_CHECK(isa == Isa::kPortable);
  return portable_block_kernels(block_bits);
}

}  // namespace weir::bloom
