// SPDX-License-Identifier: Apache-2.0
#include "bloom/slice_sizing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

constexpr BloomShape kShape{143'000, 4};
constexpr double kKeyCount = 16'850;

TEST(SliceSizingTest, SlicingHorizontallyAddsALittleAndVerticallyNothing) {
  const double whole = classic_false_positives(kShape, kKeyCount);
  EXPECT_EQ(vertical_false_positives(kShape, kKeyCount), whole);
  EXPECT_NEAR(horizontal_false_positives(kShape, 1, kKeyCount), whole, 1e-15);
  double before = whole;
  for (const std::uint32_t slice_count : {2U, 10U, 100U, 1000U}) {
    const double now = horizontal_false_positives(kShape, slice_count, kKeyCount);
    EXPECT_GT(now, before) << slice_count;
    EXPECT_NEAR(now / whole, 1, 5.0 * slice_count / 143'000);
    before = now;
  }
}

TEST(SliceSizingTest, DicedFiltersAreAsTheirHorizontalCut) {
  const DicedSlices slices{.outer_count = 4, .inner_count = 5};
  EXPECT_EQ(horizontal_vertical_false_positives(kShape, slices, kKeyCount),
            horizontal_false_positives(kShape, 4, kKeyCount));
  EXPECT_EQ(vertical_horizontal_false_positives(kShape, slices, kKeyCount),
            horizontal_false_positives(kShape, 20, kKeyCount));
}

TEST(SliceSizingTest, WithoutFailuresAllRulesAgree) {
  const FailedFilter filter{.failed_share = 0, .fill = 0.4, .probe_count = 4};
  const double p = std::pow(0.4, 4);
  for (const ErrorRates& rates :
       {horizontal_failed_as_duplicate(filter), vertical_failed_as_duplicate(filter),
        horizontal_failed_as_distinct(filter), vertical_failed_as_distinct(filter),
        vertical_at_least(filter, 0), vertical_at_least(filter, 3), vertical_at_least(filter, 4)}) {
    EXPECT_NEAR(rates.false_positives, p, 1e-15);
    EXPECT_EQ(rates.false_negatives, 0);
  }
}

TEST(SliceSizingTest, AFailedSiteCostsAVerticalFilterLess) {
  for (const double failed_share : {0.05, 0.1, 0.2, 0.5}) {
    const FailedFilter filter{.failed_share = failed_share, .fill = 0.4, .probe_count = 4};
    EXPECT_LT(vertical_failed_as_duplicate(filter).false_positives,
              horizontal_failed_as_duplicate(filter).false_positives);
    EXPECT_GT(vertical_failed_as_distinct(filter).false_negatives,
              horizontal_failed_as_distinct(filter).false_negatives);
  }
}

TEST(SliceSizingTest, AtLeastXLiesBetweenTheTwoRules) {
  const FailedFilter filter{.failed_share = 0.2, .fill = 0.4, .probe_count = 8};
  const ErrorRates duplicate = vertical_failed_as_duplicate(filter);
  const ErrorRates distinct = vertical_failed_as_distinct(filter);
  EXPECT_NEAR(vertical_at_least(filter, 0).false_positives, duplicate.false_positives, 1e-15);
  EXPECT_NEAR(vertical_at_least(filter, 8).false_positives, distinct.false_positives, 1e-15);
  EXPECT_NEAR(vertical_at_least(filter, 8).false_negatives, distinct.false_negatives, 1e-12);
  for (std::uint32_t x = 1; x <= 8; ++x) {
    const ErrorRates stricter = vertical_at_least(filter, x);
    const ErrorRates laxer = vertical_at_least(filter, x - 1);
    EXPECT_LT(stricter.false_positives, laxer.false_positives);
    EXPECT_GT(stricter.false_negatives, laxer.false_negatives);
  }
  // With a fifth of the sites failed, three or four of eight almost minimise both (Fig. 5(d)).
  EXPECT_LT(vertical_at_least(filter, 4).false_negatives, 0.02);
}

TEST(SliceSizingTest, FourFailuresNeedLessThanTwentyVerticalAndMoreThanThirtyHorizontalSlices) {
  const FailureWish wish{.failed_count = 4,
                         .false_positives_max = 0.15,
                         .fill = std::pow(0.02, 0.25),
                         .probe_count = 4};
  EXPECT_LT(vertical_slice_count(wish).value(), 20U);
  EXPECT_GT(horizontal_slice_count(wish).value(), 30U);
}

TEST(SliceSizingTest, TheSliceCountIsTheFewestThatKeepsWithinTheRate) {
  for (const std::uint32_t failed_count : {1U, 2U, 4U, 9U}) {
    const FailureWish wish{
        .failed_count = failed_count, .false_positives_max = 0.1, .fill = 0.3, .probe_count = 5};
    const auto failed = [&](double slice_count) {
      return FailedFilter{failed_count / slice_count, wish.fill, wish.probe_count};
    };
    const std::uint32_t horizontal = horizontal_slice_count(wish).value();
    EXPECT_LE(horizontal_failed_as_duplicate(failed(horizontal)).false_positives, 0.1 + 1e-12);
    EXPECT_GT(horizontal_failed_as_duplicate(failed(horizontal - 1)).false_positives, 0.1);
    const std::uint32_t vertical = vertical_slice_count(wish).value();
    EXPECT_LE(vertical_failed_as_duplicate(failed(vertical)).false_positives, 0.1 + 1e-12);
    EXPECT_GT(vertical_failed_as_duplicate(failed(vertical - 1)).false_positives, 0.1);
  }
}

TEST(SliceSizingTest, NoNumberOfSlicesHelpsAFilterThatIsTooFull) {
  const FailureWish wish{
      .failed_count = 1, .false_positives_max = 0.01, .fill = 0.5, .probe_count = 4};
  EXPECT_FALSE(horizontal_slice_count(wish));
  EXPECT_FALSE(vertical_slice_count(wish));
}

TEST(SliceSizingTest, MessagesNameCells) {
  EXPECT_EQ(message_bits({1024, 4}), 40);
  EXPECT_EQ(sliced_message_bits({1024, 4}, 16), 24);
  EXPECT_EQ(vertical_site_count(1, 4), 1);
  EXPECT_NEAR(vertical_site_count(1'000'000, 4), 4, 1e-4);
  EXPECT_EQ(pipelined_cell_count(0, 4), 1);
  EXPECT_EQ(pipelined_cell_count(0.5, 4), 1.875);
  EXPECT_EQ(pipelined_cell_count(1, 4), 4);
}

}  // namespace
}  // namespace weir::bloom
