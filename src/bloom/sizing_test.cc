// SPDX-License-Identifier: Apache-2.0
#include "bloom/sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weir::bloom {
namespace {

constexpr double kRates[] = {0.5, 0.1, 0.05, 0.01, 0.001, 1e-6, 1e-9};

double cells(const BloomShape& shape) { return static_cast<double>(shape.cell_count); }

TEST(SizingTest, OnePercentNeedsTenBitsAndSevenProbes) {
  EXPECT_NEAR(classic_bits_per_key(0.01), 9.585, 0.001);
  const BloomShape shape = classic_shape(1e6, 0.01);
  EXPECT_EQ(shape.probe_count, 7U);
  EXPECT_NEAR(cells(shape) / 1e6, 9.593, 0.001);
  EXPECT_EQ(optimal_probe_count(9'585'000, 1e6), 7U);
}

TEST(SizingTest, AgreesWithTheFilterSizesOfThePaper) {
  struct Case {
    double key_count;
    double false_positives;
    double cell_count;
  };
  // The web log, the synthetic set and the network flows, all with four probes.
  const Case cases[] = {{16'850, 0.02, 143'000}, {16'850, 0.05, 105'000}, {16'850, 0.08, 89'000},
                        {5'700, 0.02, 48'400},   {5'700, 0.05, 35'600},   {5'700, 0.08, 30'000},
                        {2'049, 0.02, 17'400},   {2'049, 0.05, 12'800},   {2'049, 0.08, 10'800}};
  for (const Case& c : cases) {
    const auto cell_count =
        static_cast<double>(classic_cell_count(c.key_count, c.false_positives, 4));
    EXPECT_NEAR(cell_count / c.cell_count, 1, 0.01) << c.cell_count;
  }
}

TEST(SizingTest, AShapeKeepsItsPromiseAndOneProbeMoreOrLessWouldNeedMoreCells) {
  for (const double rate : kRates) {
    const BloomShape shape = classic_shape(50'000, rate);
    EXPECT_LE(classic_false_positives(shape, 50'000), rate);
    EXPECT_GE(classic_false_positives({shape.cell_count - 2, shape.probe_count}, 50'000), rate);
    EXPECT_GE(classic_cell_count(50'000, rate, shape.probe_count + 1), shape.cell_count);
    if (shape.probe_count > 1) {
      EXPECT_GE(classic_cell_count(50'000, rate, shape.probe_count - 1), shape.cell_count);
    }
    EXPECT_GE(cells(shape), 50'000 * classic_bits_per_key(rate));
  }
}

TEST(SizingTest, TheApproximationIsCloseAndALittleLow) {
  for (const BloomShape shape : {BloomShape{100, 3}, {1000, 5}, {100'000, 4}}) {
    const double key_count = cells(shape) / 8;
    const double exact = classic_false_positives(shape, key_count);
    const double approximate = classic_false_positives_approximate(shape, key_count);
    EXPECT_LT(approximate, exact);
    EXPECT_NEAR(approximate / exact, 1, 5 / cells(shape));
    EXPECT_NEAR(std::pow(classic_fill(shape, key_count), shape.probe_count), approximate, 1e-15);
  }
}

TEST(SizingTest, AFilterOfOneCellIsFullWithItsFirstKey) {
  EXPECT_EQ(classic_false_positives({1, 3}, 0), 0);
  EXPECT_EQ(classic_false_positives({1, 3}, 1), 1);
  EXPECT_EQ(classic_shape(0, 0.01).cell_count, 1U);
}

TEST(SizingTest, CellsAndProbesStayWithinTheirLimits) {
  EXPECT_EQ(classic_shape(1e15, 0.01).cell_count, kCellCountMax);
  EXPECT_EQ(optimal_probe_count(1'000'000, 0), 1U);
  EXPECT_EQ(optimal_probe_count(1'000'000, 1), kProbeCountMax);
  EXPECT_EQ(optimal_probe_count(10, 1e6), 1U);
}

TEST(SizingTest, MoreKeysMakeMoreFalsePositives) {
  double before = 0;
  for (double key_count = 1; key_count < 1e5; key_count *= 1.5) {
    const double now = classic_false_positives({10'000, 4}, key_count);
    EXPECT_TRUE(now > before || now == 1) << key_count;
    before = now;
  }
}

TEST(SizingTest, TheThresholdsAreWhereTheFormulaReachesTheRate) {
  for (const double rate : kRates) {
    const BloomShape shape{100'000, 4};
    const double key_count = cardinality_threshold(shape, rate);
    EXPECT_NEAR(classic_false_positives(shape, key_count) / rate, 1, 1e-9);
    const double density = density_threshold(shape, rate) / cells(shape);
    EXPECT_NEAR(std::pow(density, 4) / rate, 1, 1e-9);
    EXPECT_NEAR(classic_fill(shape, key_count), density, 1e-4);
  }
}

TEST(SizingTest, AGrowingRowDoublesAndSharesItsRate) {
  const std::vector<GrowthStage> plan =
      growth_plan({.first_key_count = 1000, .false_positives = 0.01, .stage_count = 5});
  ASSERT_EQ(plan.size(), 5U);
  double distinct = 1;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(plan[i].key_count, std::ldexp(1000, static_cast<int>(i)));
    distinct *= 1 - classic_false_positives(plan[i].shape, plan[i].key_count);
  }
  EXPECT_LE(1 - distinct, 0.01);
  EXPECT_GT(1 - distinct, 0.0098);
  EXPECT_EQ(growth_key_count(plan), 31'000);
}

TEST(SizingTest, AGrowingRowHasTheCellsOfTheStagesThatHaveBegun) {
  const std::vector<GrowthStage> plan =
      growth_plan({.first_key_count = 1000, .false_positives = 0.01, .stage_count = 3});
  const double first = cells(plan[0].shape);
  const double second = first + cells(plan[1].shape);
  const double third = second + cells(plan[2].shape);
  EXPECT_EQ(growth_cell_count(plan, 0), first);
  EXPECT_EQ(growth_cell_count(plan, 1000), first);
  EXPECT_EQ(growth_cell_count(plan, 1001), second);
  EXPECT_EQ(growth_cell_count(plan, 3001), third);
  EXPECT_EQ(growth_cell_count(plan, 1e9), third);
  double sum = 0;
  for (int key_count = 1; key_count <= 7000; ++key_count) sum += growth_cell_count(plan, key_count);
  EXPECT_NEAR(growth_cell_count_mean(plan), sum / 7000, 1);
}

TEST(SizingDeathTest, RefusesRatesBeyondTheLimits) {
  EXPECT_DEATH(classic_shape(1, 0.6), "false_positives");
  EXPECT_DEATH(classic_shape(1, 0), "false_positives");
}

}  // namespace
}  // namespace weir::bloom
