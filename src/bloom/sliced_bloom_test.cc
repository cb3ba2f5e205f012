// SPDX-License-Identifier: Apache-2.0
#include "bloom/sliced_bloom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/prng.h"
#include "bloom/bloom_testing.h"

namespace weir::bloom {
namespace {

using enum SliceKind;
using enum SliceLookup;

const std::vector<SlicePlanOptions> kPlans = {
    {.kind = kHorizontal, .shape = {20'000, 4}, .slice_count = 8},
    {.kind = kVertical, .shape = {20'000, 4}, .slice_count = 8},
    {.kind = kHorizontalVertical, .shape = {20'000, 4}, .slice_count = 4, .inner_slice_count = 5},
    {.kind = kVerticalHorizontal, .shape = {20'000, 4}, .slice_count = 4, .inner_slice_count = 5},
    {.kind = kHorizontal, .shape = {20'011, 3}, .slice_count = 5},
    {.kind = kHorizontal, .shape = {20'000, 4}, .slice_count = 64},
    {.kind = kVerticalHorizontal, .shape = {20'011, 3}, .slice_count = 3, .inner_slice_count = 4},
};

double binomial(double n, double i, double p) {
  const double choose = std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1);
  return std::exp(choose + i * std::log(p) + (n - i) * std::log1p(-p));
}

double single_rate(double m, double k, double n) {
  return std::pow(1 - std::pow(1 - 1 / m, k * n), k);
}

// How many filters the hash of the slice chooses from.
std::uint32_t group_count(const SlicePlanOptions& options) {
  switch (options.kind) {
    case kVertical:
      return 1;
    case kVerticalHorizontal:
      return options.inner_slice_count;
    case kHorizontal:
    case kHorizontalVertical:
      break;
  }
  return options.slice_count;
}

// Averaged over the binomial numbers of keys in a slice. The paper's form gives each slice n/S
// keys; that is too low, by more than the band where a slice has few keys (as the test after this
// shows).
double expected_rate(const SlicePlanOptions& options, double key_count) {
  const double groups = group_count(options);
  const double m = static_cast<double>(options.shape.cell_count) / groups;
  const double k = options.shape.probe_count;
  if (groups == 1) return single_rate(m, k, key_count);
  double rate = 0;
  for (double j = 0; j <= key_count; ++j) {
    rate += binomial(key_count, j, 1 / groups) * single_rate(m, k, j);
  }
  return rate;
}

TEST(SlicedBloomTest, NeverCallsASeenKeyDistinct) {
  for (const SlicePlanOptions& options : kPlans) {
    SlicedBloom filter(options);
    SlicedBloom twin(options);
    base::Prng prng(1);
    std::unordered_set<std::uint64_t> exact;
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t key = mix(prng.below(6000));
      const bool unseen = exact.insert(key).second;
      const bool distinct = filter.test(key, i % 2 == 0 ? kPipelined : kParallel).distinct;
      ASSERT_EQ(filter.test_and_set(key).distinct, distinct);
      ASSERT_EQ(twin.first_test_then_set(key).distinct, distinct);
      ASSERT_TRUE(unseen || !distinct);
    }
    for (std::uint32_t i = 0; i < filter.plan().site_count(); ++i) {
      ASSERT_EQ(filter.site(i), twin.site(i));
    }
  }
}

TEST(SlicedBloomTest, VerticalIsTheSingleFilterBitByBitAndAnswerByAnswer) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    base::Prng prng(seed);
    const BloomShape shape{50 + prng.below(3000), 1 + static_cast<std::uint32_t>(prng.below(8))};
    const auto slice_count = 1 + static_cast<std::uint32_t>(prng.below(20));
    SlicedBloom sliced({.kind = kVertical, .shape = shape, .slice_count = slice_count});
    ClassicBloom single(shape);
    for (int i = 0; i < 600; ++i) {
      const std::uint64_t key = mix(prng.below(400));
      ASSERT_EQ(sliced.test(key).distinct, single.test(key)) << "seed " << seed;
      ASSERT_EQ(sliced.test_and_set(key).distinct, single.test_and_set(key)) << "seed " << seed;
    }
    std::uint64_t index = 0;
    for (std::uint32_t site = 0; site < slice_count; ++site) {
      const ClassicBloom& slice = sliced.site(site);
      for (std::uint64_t cell = 0; cell < slice.shape().cell_count; ++cell, ++index) {
        ASSERT_EQ(slice.cell(cell), single.cell(index)) << "seed " << seed << " cell " << index;
      }
    }
    EXPECT_EQ(index, shape.cell_count);
  }
}

constexpr std::size_t kKeyCount = 2500;
constexpr std::size_t kFillCount = 40;
constexpr std::size_t kLookupCount = 4000;
constexpr std::size_t kTrialCount = kFillCount * kLookupCount;

// Many fillings, so that the chance of one filling does not count in the band of the lookups.
std::uint64_t count_false_positives(const SlicePlanOptions& options) {
  std::uint64_t hit_count = 0;
  for (std::uint64_t fill = 0; fill < kFillCount; ++fill) {
    SlicedBloom filter(options);
    for (const std::uint64_t key : random_keys(2 * fill, kKeyCount)) filter.test_and_set(key);
    for (const std::uint64_t key : random_keys(2 * fill + 1, kLookupCount)) {
      hit_count += filter.test(key).distinct ? 0U : 1U;
    }
  }
  return hit_count;
}

TEST(SlicedBloomTest, HasTheFalsePositivesOfTheFormulas) {
  for (const SlicePlanOptions& options : kPlans) {
    const std::uint64_t hit_count = count_false_positives(options);
    EXPECT_TRUE(within_band(hit_count, kTrialCount, expected_rate(options, kKeyCount)))
        << "plan " << &options - kPlans.data() << ": " << hit_count << ", expected "
        << expected_rate(options, kKeyCount) * kTrialCount;
  }
}

TEST(SlicedBloomTest, UnequalNumbersOfKeysInSlicesAddFalsePositives) {
  const SlicePlanOptions options{.kind = kHorizontal, .shape = {20'000, 4}, .slice_count = 64};
  const double equal_loads = single_rate(20'000.0 / 64, 4, kKeyCount / 64.0);
  const std::uint64_t hit_count = count_false_positives(options);
  EXPECT_GT(static_cast<double>(hit_count), equal_loads * kTrialCount);
  EXPECT_FALSE(within_band(hit_count, kTrialCount, equal_loads));
}

struct FailureCounts {
  std::uint64_t false_positives = 0;
  std::uint64_t false_negatives = 0;
};

constexpr std::size_t kFailureFills = 20;
constexpr std::size_t kFailureKeys = 4000;
constexpr std::size_t kFailureTrials = kFailureFills * kFailureKeys;

// Filled, then the sites fail, then seen and unseen keys are asked for, as many of each.
FailureCounts count_failures(const SlicePlanOptions& options, std::uint32_t live_probe_count_min,
                             const std::vector<std::uint32_t>& failed_sites) {
  FailureCounts counts;
  for (std::uint64_t fill = 0; fill < kFailureFills; ++fill) {
    SlicedBloom filter(options, live_probe_count_min);
    const auto keys = random_keys(100 + 2 * fill, kFailureKeys);
    for (const std::uint64_t key : keys) filter.test_and_set(key);
    for (const std::uint32_t site : failed_sites) filter.fail_site(site);
    for (const std::uint64_t key : keys) {
      counts.false_negatives += filter.test(key).distinct ? 1U : 0U;
    }
    for (const std::uint64_t key : random_keys(101 + 2 * fill, kFailureKeys)) {
      counts.false_positives += filter.test(key).distinct ? 0U : 1U;
    }
  }
  return counts;
}

TEST(SlicedBloomTest, FailsAsTheFormulasOfHorizontalSlicesSay) {
  const SlicePlanOptions options{.kind = kHorizontal, .shape = {20'000, 4}, .slice_count = 10};
  constexpr double kShare = 0.3;
  const double p = expected_rate(options, kFailureKeys);
  const std::vector<std::uint32_t> failed = {0, 4, 9};
  const auto duplicate = count_failures(options, kFailedIsDuplicate, failed);
  EXPECT_EQ(duplicate.false_negatives, 0U);
  EXPECT_TRUE(within_band(duplicate.false_positives, kFailureTrials, kShare + (1 - kShare) * p));
  for (const std::uint32_t live_min : {kFailedIsDistinct, 1U, 4U}) {
    const auto distinct = count_failures(options, live_min, failed);
    EXPECT_TRUE(within_band(distinct.false_negatives, kFailureTrials, kShare));
    EXPECT_TRUE(within_band(distinct.false_positives, kFailureTrials, (1 - kShare) * p));
  }
}

TEST(SlicedBloomTest, FailsAsTheFormulasOfVerticalSlicesSay) {
  const SlicePlanOptions options{.kind = kVertical, .shape = {20'000, 4}, .slice_count = 10};
  constexpr double kShare = 0.3;
  constexpr std::uint32_t kProbes = 4;
  const double q = 1 - std::pow(1 - 1.0 / 20'000, kProbes * kFailureKeys);
  for (std::uint32_t live_min = 0; live_min <= kProbes; ++live_min) {
    double false_positive_rate = 0;
    double false_negative_rate = 0;
    for (std::uint32_t live = 0; live <= kProbes; ++live) {
      const double chance = binomial(kProbes, live, 1 - kShare);
      (live < live_min ? false_negative_rate : false_positive_rate) +=
          live < live_min ? chance : chance * std::pow(q, live);
    }
    const auto counts = count_failures(options, live_min, {1, 2, 7});
    EXPECT_TRUE(within_band(counts.false_positives, kFailureTrials, false_positive_rate))
        << "x = " << live_min << ": " << counts.false_positives << ", expected "
        << false_positive_rate * kFailureTrials;
    EXPECT_TRUE(within_band(counts.false_negatives, kFailureTrials, false_negative_rate))
        << "x = " << live_min << ": " << counts.false_negatives;
  }
  const auto counts = count_failures(options, kFailedIsDistinct, {1, 2, 7});
  EXPECT_TRUE(within_band(counts.false_negatives, kFailureTrials, 1 - std::pow(0.7, 4)));
  EXPECT_TRUE(within_band(counts.false_positives, kFailureTrials, std::pow(0.7 * q, 4)));
}

// Three failed sites of one slice are not three failed sites of three: the average over the slices
// holds, and is more than the formula of the overall share.
TEST(SlicedBloomTest, DicedSlicesFailEachByItsOwnShare) {
  const SlicePlanOptions options{kHorizontalVertical, {20'000, 4}, 4, 5};
  const double q = 1 - std::exp(-4.0 * kFailureKeys / 20'000);
  const auto rate = [q](double share) { return std::pow(share + (1 - share) * q, 4); };
  const auto spread = count_failures(options, kFailedIsDuplicate, {0, 6, 11, 19});
  EXPECT_TRUE(within_band(spread.false_positives, kFailureTrials, rate(0.2)));
  const auto gathered = count_failures(options, kFailedIsDuplicate, {0, 1, 2, 3});
  const double average = 0.25 * rate(0.8) + 0.75 * rate(0);
  EXPECT_TRUE(within_band(gathered.false_positives, kFailureTrials, average));
  EXPECT_GT(gathered.false_positives, spread.false_positives);
}

TEST(SlicedBloomTest, ALiveUnsetCellProvesAKeyDistinct) {
  SlicedBloom filter({.kind = kVertical, .shape = {1000, 4}, .slice_count = 10});
  for (std::uint32_t site = 0; site < 9; ++site) filter.fail_site(site);
  std::vector<Placement> placements;
  for (const std::uint64_t key : random_keys(3, 1000)) {
    filter.plan().place(key, placements);
    EXPECT_EQ(filter.test(key).distinct, placements.back().site_index == 9);
  }
}

TEST(SlicedBloomTest, ARestoredSiteHasTheCellsItHad) {
  SlicedBloom filter({.kind = kHorizontal, .shape = {1000, 4}, .slice_count = 2},
                     kFailedIsDistinct);
  const auto keys = random_keys(4, 50);
  for (const std::uint64_t key : keys) filter.test_and_set(key);
  filter.fail_site(0);
  filter.fail_site(1);
  for (const std::uint64_t key : keys) {
    const SliceAnswer answer = filter.test(key);
    EXPECT_TRUE(answer.distinct);
    EXPECT_EQ(answer.site_count, 0U);
  }
  filter.restore_site(0);
  filter.restore_site(1);
  for (const std::uint64_t key : keys) EXPECT_FALSE(filter.test(key).distinct);
}

TEST(SlicedBloomTest, PipelinedLookupsStopAtTheFirstSiteWithAnUnsetCell) {
  SlicedBloom filter({.kind = kVertical, .shape = {4000, 5}, .slice_count = 16});
  for (const std::uint64_t key : random_keys(5, 500)) filter.test_and_set(key);
  std::vector<Placement> placements;
  for (const std::uint64_t key : random_keys(6, 2000)) {
    filter.plan().place(key, placements);
    const auto unset = std::ranges::find_if(placements, [&](const Placement& placement) {
      return !filter.site(placement.site_index).cell(placement.cell_index);
    });
    const bool distinct = unset != placements.end();
    const std::uint32_t last = distinct ? unset->site_index : placements.back().site_index;
    const auto end = std::ranges::upper_bound(placements, last, {}, &Placement::site_index);
    const auto visited = std::span(placements.begin(), end);
    const SliceAnswer pipelined = filter.test(key, kPipelined);
    EXPECT_EQ(pipelined.distinct, distinct);
    EXPECT_EQ(pipelined.site_count, sites_contacted(visited));
    EXPECT_EQ(pipelined.probe_count, visited.size());
    const SliceAnswer parallel = filter.test(key, kParallel);
    EXPECT_EQ(parallel.distinct, distinct);
    EXPECT_EQ(parallel.site_count, sites_contacted(placements));
  }
}

TEST(SlicedBloomTest, FirstTestThenSetAsksADistinctKeysSitesTwice) {
  SlicedBloom filter({.kind = kHorizontal, .shape = {4000, 5}, .slice_count = 16});
  EXPECT_EQ(filter.first_test_then_set(1).site_count, 2U);
  EXPECT_EQ(filter.first_test_then_set(1).site_count, 1U);
  EXPECT_EQ(filter.test_and_set(2).site_count, 1U);
  EXPECT_EQ(filter.test_and_set(2).probe_count, 5U);
}

// One key in five is always the same: one horizontal slice carries it, k vertical ones share it.
TEST(SlicedBloomTest, VerticalSlicesShareASkewedLoadMoreEvenly) {
  std::array<double, 2> fairness{};
  for (const SliceKind kind : {kHorizontal, kVertical}) {
    SlicedBloom filter({.kind = kind, .shape = {100'000, 4}, .slice_count = 10});
    std::uint64_t request_count = 0;
    for (const std::uint64_t key : random_keys(7, 5000)) {
      request_count += filter.test(key % 5 == 0 ? 1 : key, kParallel).site_count;
    }
    std::uint64_t load_sum = 0;
    for (const std::uint64_t load : filter.site_loads()) load_sum += load;
    EXPECT_EQ(load_sum, request_count);
    fairness[kind == kVertical ? 1 : 0] = jain_fairness(filter.site_loads());
  }
  EXPECT_LT(fairness[0] + 0.05, fairness[1]);
}

TEST(SlicedBloomTest, FairnessIsOneForEqualLoadsAndOneOfSForASingleOne) {
  EXPECT_DOUBLE_EQ(jain_fairness(std::array<std::uint64_t, 3>{7, 7, 7}), 1);
  EXPECT_DOUBLE_EQ(jain_fairness(std::array<std::uint64_t, 4>{0, 9, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(jain_fairness(std::array<std::uint64_t, 2>{1, 3}), 16.0 / 20);
  EXPECT_DOUBLE_EQ(jain_fairness(std::array<std::uint64_t, 2>{}), 1);
}

}  // namespace
}  // namespace weir::bloom
