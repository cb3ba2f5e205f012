// SPDX-License-Identifier: Apache-2.0
#include "bloom/slice_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "base/prng.h"
#include "bloom/bloom_testing.h"

namespace weir::bloom {
namespace {

using enum SliceKind;

SlicePlanOptions random_options(base::Prng& prng) {
  static constexpr SliceKind kKinds[] = {kHorizontal, kVertical, kHorizontalVertical,
                                         kVerticalHorizontal};
  SlicePlanOptions options{.kind = kKinds[prng.below(4)]};
  options.slice_count = 1 + static_cast<std::uint32_t>(prng.below(12));
  if (options.kind == kHorizontalVertical || options.kind == kVerticalHorizontal) {
    options.inner_slice_count = 1 + static_cast<std::uint32_t>(prng.below(6));
  }
  const std::uint32_t sites = options.slice_count * options.inner_slice_count;
  options.shape = {sites + prng.below(400), 1 + static_cast<std::uint32_t>(prng.below(10))};
  return options;
}

TEST(SlicePlanTest, SitesCoverEveryCellOnce) {
  base::Prng prng(1);
  for (int round = 0; round < 2000; ++round) {
    const SlicePlan plan(random_options(prng));
    const std::uint32_t inner_count = plan.options().inner_slice_count;
    std::uint64_t next = 0;
    std::set<std::uint64_t> slice_sizes;
    for (std::uint32_t site = 0; site < plan.site_count(); site += inner_count) {
      std::set<std::uint64_t> part_sizes;
      const std::uint64_t slice_begin = next;
      for (std::uint32_t part = 0; part < inner_count; ++part) {
        ASSERT_EQ(plan.site_begin(site + part), next) << "round " << round;
        part_sizes.insert(plan.site_cell_count(site + part));
        next += plan.site_cell_count(site + part);
      }
      ASSERT_GE(*part_sizes.begin(), 1U);
      ASSERT_LE(*part_sizes.rbegin() - *part_sizes.begin(), 1U);
      slice_sizes.insert(next - slice_begin);
    }
    ASSERT_EQ(next, plan.options().shape.cell_count);
    ASSERT_LE(*slice_sizes.rbegin() - *slice_sizes.begin(), 1U);
  }
}

TEST(SlicePlanTest, PlacesEveryProbeInsideItsSiteInAscendingOrder) {
  base::Prng prng(2);
  std::vector<Placement> placements;
  for (int round = 0; round < 2000; ++round) {
    const SlicePlan plan(random_options(prng));
    plan.place(prng.next(), placements);
    ASSERT_EQ(placements.size(), plan.options().shape.probe_count);
    ASSERT_TRUE(std::ranges::is_sorted(placements));
    for (const Placement& placement : placements) {
      ASSERT_LT(placement.site_index, plan.site_count());
      ASSERT_LT(placement.cell_index, plan.site_cell_count(placement.site_index));
    }
  }
}

TEST(SlicePlanTest, ReachesEveryCell) {
  base::Prng prng(3);
  std::vector<Placement> placements;
  for (int round = 0; round < 50; ++round) {
    const SlicePlan plan(random_options(prng));
    const std::uint64_t cell_count = plan.options().shape.cell_count;
    std::set<std::uint64_t> reached;
    for (std::uint64_t i = 0; i < 60 * cell_count && reached.size() < cell_count; ++i) {
      plan.place(prng.next(), placements);
      for (const auto& [site, cell] : placements) reached.insert(plan.site_begin(site) + cell);
    }
    EXPECT_EQ(reached.size(), cell_count) << "round " << round;
  }
}

TEST(SlicePlanTest, VerticalCellsAreThoseOfASingleFilter) {
  base::Prng prng(4);
  std::vector<Placement> placements;
  for (int round = 0; round < 2000; ++round) {
    SlicePlanOptions options = random_options(prng);
    options.kind = kVertical;
    options.inner_slice_count = 1;
    const SlicePlan plan(options);
    const std::uint64_t key = prng.next();
    const std::uint64_t m = options.shape.cell_count;
    std::vector<Placement> expected;
    for (std::uint32_t i = 0; i < options.shape.probe_count; ++i) {
      const std::uint64_t cell = probe(key, i, m);
      const auto site = static_cast<std::uint32_t>(cell * options.slice_count / m);
      expected.push_back({site, cell - plan.site_begin(site)});
    }
    std::ranges::sort(expected);
    plan.place(key, placements);
    ASSERT_EQ(placements, expected) << "round " << round;
  }
}

TEST(SlicePlanTest, HorizontalKeysLieInOneSliceWithTheProbesOfAFilterOfItsSize) {
  const SlicePlan plan({.kind = kHorizontal, .shape = {1003, 5}, .slice_count = 7});
  std::vector<Placement> placements;
  std::vector<std::uint64_t> loads(7);
  for (const std::uint64_t key : random_keys(5, 70'000)) {
    plan.place(key, placements);
    ASSERT_EQ(sites_contacted(placements), 1U);
    const std::uint32_t site = placements[0].site_index;
    ++loads[site];
    std::vector<Placement> expected;
    for (std::uint32_t i = 0; i < 5; ++i) {
      expected.push_back({site, probe(key, i, plan.site_cell_count(site))});
    }
    std::ranges::sort(expected);
    ASSERT_EQ(placements, expected);
  }
  for (const std::uint64_t load : loads) EXPECT_TRUE(within_band(load, 70'000, 1.0 / 7));
}

TEST(SlicePlanTest, DicedWithOneInnerSliceIsNotDiced) {
  std::vector<Placement> diced;
  std::vector<Placement> plain;
  const BloomShape shape{1009, 6};
  for (const std::uint64_t key : random_keys(6, 1000)) {
    SlicePlan({.kind = kHorizontalVertical, .shape = shape, .slice_count = 9}).place(key, diced);
    SlicePlan({.kind = kHorizontal, .shape = shape, .slice_count = 9}).place(key, plain);
    ASSERT_EQ(diced, plain);
    SlicePlan({.kind = kVerticalHorizontal, .shape = shape, .slice_count = 9}).place(key, diced);
    SlicePlan({.kind = kVertical, .shape = shape, .slice_count = 9}).place(key, plain);
    ASSERT_EQ(diced, plain);
  }
}

TEST(SlicePlanTest, DicingsAreEachOtherAcrossWhenAllPartsAreEqual) {
  const SlicePlan first({kHorizontalVertical, {6000, 5}, 3, 4});
  const SlicePlan second({kVerticalHorizontal, {6000, 5}, 4, 3});
  std::vector<Placement> placements;
  std::vector<Placement> across;
  for (const std::uint64_t key : random_keys(7, 1000)) {
    first.place(key, placements);
    second.place(key, across);
    for (auto& [site, cell] : across) site = site % 3 * 4 + site / 3;
    std::ranges::sort(across);
    ASSERT_EQ(placements, across);
  }
}

TEST(SlicePlanTest, CountsMessageBitsByTheCellsOfTheSites) {
  const SlicePlan horizontal({.kind = kHorizontal, .shape = {8192, 4}, .slice_count = 8});
  const SlicePlan vertical({.kind = kVertical, .shape = {8192, 4}, .slice_count = 8});
  std::vector<Placement> placements;
  horizontal.place(1, placements);
  EXPECT_DOUBLE_EQ(horizontal.message_bits(placements), 4 * 10);
  vertical.place(1, placements);
  const auto first = leading_site(placements);
  EXPECT_DOUBLE_EQ(vertical.message_bits(first), 10.0 * static_cast<double>(first.size()));
  EXPECT_DOUBLE_EQ(vertical.message_bits(placements), 4 * 10);
}

TEST(SlicePlanTest, CountsTheSitesOfPlacements) {
  const std::vector<Placement> placements = {{1, 5}, {1, 7}, {2, 0}, {9, 3}, {9, 3}};
  EXPECT_EQ(sites_contacted(placements), 3U);
  EXPECT_EQ(leading_site(placements).size(), 2U);
  EXPECT_EQ(sites_contacted({}), 0U);
  EXPECT_TRUE(leading_site({}).empty());
}

}  // namespace
}  // namespace weir::bloom
