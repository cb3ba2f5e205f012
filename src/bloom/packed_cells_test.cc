// SPDX-License-Identifier: Apache-2.0
#include "bloom/packed_cells.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"

namespace weir::bloom {
namespace {

TEST(PackedCellsTest, KeepsEveryCellApartFromItsNeighbours) {
  for (std::uint32_t bits = 1; bits <= PackedCells::kBitsMax; ++bits) {
    base::Prng prng(bits);
    const std::uint64_t cell_count = 1 + prng.below(300);
    PackedCells cells(cell_count, bits);
    std::vector<std::uint64_t> model(cell_count);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t index = prng.below(cell_count);
      model[index] = prng.next() >> (64 - bits);
      cells.set(index, model[index]);
    }
    for (std::uint64_t i = 0; i < cell_count; ++i) {
      ASSERT_EQ(cells.get(i), model[i]) << bits << " bits, cell " << i;
    }
    EXPECT_EQ(cells.words().size(), (cell_count * bits + 63) / 64);
  }
}

}  // namespace
}  // namespace weir::bloom
