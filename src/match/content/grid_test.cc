// SPDX-License-Identifier: Apache-2.0
#include "match/content/grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/prng.h"

namespace weir::match::content {
namespace {

std::vector<Code> random_codes(base::Prng& prng, std::size_t count, Code bound) {
  std::vector<Code> codes;
  for (std::size_t i = 0; i < count; ++i) codes.push_back(static_cast<Code>(prng.below(bound)));
  return codes;
}

float share_of_cell(const Grid& grid, std::size_t cell) { return grid.share(cell, cell); }

TEST(GridTest, ACellNeverFallsWhereTheCodeGrows) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    const auto bound = static_cast<Code>(2 + prng.below(seed % 2 == 0 ? 100 : 0xFFFFFFFF));
    const std::vector<Code> sample = random_codes(prng, 1 + prng.below(1024), bound);
    const Grid grid(sample, Grid::Sample::kEvents);
    ASSERT_LE(grid.cell_count(), Grid::kCellCountMax);
    std::vector<Code> codes = random_codes(prng, 1000, 0xFFFFFFFF);
    codes.insert(codes.end(), sample.begin(), sample.end());
    codes.insert(codes.end(), {0, 1, std::numeric_limits<Code>::max()});
    std::ranges::sort(codes);
    std::size_t last = 0;
    for (const Code code : codes) {
      ASSERT_GE(grid.cell(code), last) << code;
      ASSERT_LT(grid.cell(code), grid.cell_count()) << code;
      last = grid.cell(code);
    }
    EXPECT_EQ(last, grid.cell_count() - 1);
  }
}

TEST(GridTest, OneValueMakesTwoCells) {
  const std::vector<Code> sample(50, 700);
  const Grid grid(sample, Grid::Sample::kEvents);
  EXPECT_EQ(grid.cell_count(), 2U);
  EXPECT_EQ(grid.cell(699), 0U);
  EXPECT_EQ(grid.cell(700), 1U);
}

TEST(GridTest, CellsHoldAboutAsManyEventsEach) {
  base::Prng prng(4);
  SCOPED_TRACE("seed 4");
  // Crowded at the lower end, as prices are.
  const auto draw = [&] {
    const double fraction = prng.fraction();
    return static_cast<Code>(fraction * fraction * fraction * 1e9);
  };
  std::vector<Code> sample(1024);
  for (Code& code : sample) code = draw();
  const Grid grid(sample, Grid::Sample::kEvents);
  ASSERT_EQ(grid.cell_count(), Grid::kCellCountMax);
  std::vector<std::size_t> hits(grid.cell_count());
  constexpr std::size_t kDrawCount = 100'000;
  for (std::size_t i = 0; i < kDrawCount; ++i) ++hits[grid.cell(draw())];
  EXPECT_LT(*std::ranges::max_element(hits), 6 * kDrawCount / hits.size());
}

TEST(GridTest, SharesAddUp) {
  for (const Grid::Sample kind : {Grid::Sample::kEvents, Grid::Sample::kBounds}) {
    base::Prng prng(5);
    SCOPED_TRACE("seed 5");
    const std::vector<Code> sample = random_codes(prng, 40, 10'000);
    Grid grid(sample, kind);
    for (int round = 0; round < 3; ++round) {
      const std::size_t last = grid.cell_count() - 1;
      float sum = 0;
      for (std::size_t cell = 0; cell <= last; ++cell) {
        const float here = share_of_cell(grid, cell);
        EXPECT_GT(here, 0);
        sum += here;
        EXPECT_NEAR(grid.share(0, cell), sum, 0.01);
      }
      EXPECT_NEAR(sum, 1, 0.01);
      EXPECT_FLOAT_EQ(grid.share(0, last), 1);
      EXPECT_FLOAT_EQ(grid.share(0, 10'000), 1) << "beyond the last cell there is nothing";
      for (int i = 0; i < 5000; ++i) {
        grid.count(grid.cell(static_cast<Code>(prng.below(10'000))));
      }
    }
  }
}

TEST(GridTest, MuchIsExpectedBeyondTheBoundsThatFiltersName) {
  std::vector<Code> sample;
  for (Code code = 1000; code < 2000; code += 10) sample.push_back(code);
  const Grid bounds(sample, Grid::Sample::kBounds);
  const Grid events(sample, Grid::Sample::kEvents);
  for (const std::size_t cell : {std::size_t{0}, bounds.cell_count() - 1}) {
    EXPECT_GT(share_of_cell(bounds, cell), 5 * share_of_cell(events, cell));
  }
}

TEST(GridTest, SharesFollowTheEvents) {
  std::vector<Code> sample;
  for (Code code = 0; code < 100; ++code) sample.push_back(10 * code);
  Grid grid(sample, Grid::Sample::kEvents);
  const std::uint8_t first = grid.cell(105);
  const std::uint8_t second = grid.cell(905);
  for (int i = 0; i < 20'000; ++i) grid.count(first);
  EXPECT_GT(share_of_cell(grid, first), 0.8);
  EXPECT_LT(share_of_cell(grid, second), 0.01);
  for (int i = 0; i < 20'000; ++i) grid.count(second);
  EXPECT_LT(share_of_cell(grid, first), 0.01);
  EXPECT_GT(share_of_cell(grid, second), 0.8);
}

}  // namespace
}  // namespace weir::match::content
