// SPDX-License-Identifier: Apache-2.0
#include "match/content/row_kernels.h"

namespace weir::match::content {

RowKernel row_kernel(bloom::Isa isa) {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (isa == bloom::Isa::kAvx512 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512vbmi") != 0) {
    return avx512_row_kernel;
  }
  if (isa != bloom::Isa::kPortable) return avx2_row_kernel;
#endif
  static_cast<void>(isa);
  return portable_row_kernel;
}

std::size_t portable_row_kernel(const std::uint8_t* block, std::size_t capacity,
                                std::size_t row_count, const std::uint8_t* lanes,
                                RecordRef* records) {
  const auto passes = [&](const std::uint8_t* test) {
    const auto distance = static_cast<std::uint8_t>(lanes[test[0]] - test[capacity]);
    return distance <= test[2 * capacity];
  };
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < row_count; ++i) {
    const bool both = passes(block + i) && passes(block + 3 * capacity + i);
    rows |= std::uint64_t{both ? 1U : 0U} << i;
  }
  return write_records(rows, block, capacity, records);
}

}  // namespace weir::match::content
