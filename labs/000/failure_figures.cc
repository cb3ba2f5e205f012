// SPDX-License-Identifier: Apache-2.0
// Figures 1(a), 1(b): false positives when sites fail, and into how many slices to cut; 5(d): how
// many live cells a duplicate should need.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "000/figures.h"
#include "base/prng.h"
#include "bloom/slice_sizing.h"
#include "bloom/sliced_bloom.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

using bloom::FailedFilter;
using bloom::SliceKind;

std::vector<std::uint32_t> sites_to_fail(std::uint32_t site_count, std::uint32_t failed_count,
                                         std::uint64_t seed) {
  base::Prng prng(seed);
  std::vector<std::uint32_t> sites(site_count);
  std::iota(sites.begin(), sites.end(), 0U);
  for (std::size_t i = sites.size(); i > 1; --i) std::swap(sites[i - 1], sites[prng.below(i)]);
  sites.resize(failed_count);
  return sites;
}

struct Failure {
  bloom::SlicePlanOptions options;
  std::uint32_t failed_count = 0;
  std::uint32_t live_probe_count_min = bloom::kFailedIsDuplicate;  // x
};

// A filter that has all keys when its sites fail; then all keys are asked for, and as many others.
Judgement judge_full_filter(const Failure& failure, const std::vector<std::uint64_t>& keys,
                            std::uint32_t repetition_count) {
  Judgement judgement;
  for (std::uint32_t i = 0; i < repetition_count; ++i) {
    bloom::SlicedBloom filter(failure.options, failure.live_probe_count_min);
    for (const std::uint64_t key : keys) filter.test_and_set(rekeyed(key, i));
    const std::uint32_t site_count = filter.plan().site_count();
    for (const std::uint32_t site : sites_to_fail(site_count, failure.failed_count, i)) {
      filter.fail_site(site);
    }
    for (const std::uint64_t key : keys) {
      judgement.add(filter.test(rekeyed(key, i)).distinct, false);
      judgement.add(filter.test(rekeyed(~key, i)).distinct, true);
    }
  }
  return judgement;
}

// The paper's words taken literally: a duplicate has at least x cells that are live and set, even
// if another live cell is unset.
Judgement judge_literally(const Failure& failure, const std::vector<std::uint64_t>& keys) {
  const bloom::SlicePlan plan(failure.options);
  bloom::SlicedBloom filter(failure.options);
  for (const std::uint64_t key : keys) filter.test_and_set(key);
  const auto failed = sites_to_fail(plan.site_count(), failure.failed_count, 0);
  std::vector<bloom::Placement> cells;
  const auto is_distinct = [&](std::uint64_t key) {
    plan.place(key, cells);
    const auto live_set_count = std::ranges::count_if(cells, [&](const bloom::Placement& cell) {
      return std::ranges::find(failed, cell.site_index) == failed.end() &&
             filter.site(cell.site_index).cell(cell.cell_index);
    });
    return std::cmp_less(live_set_count, failure.live_probe_count_min);
  };
  Judgement judgement;
  for (const std::uint64_t key : keys) {
    judgement.add(is_distinct(key), false);
    judgement.add(is_distinct(~key), true);
  }
  return judgement;
}

// The sites are down from the first event on.
Judgement judge_stream(const Failure& failure, const Workload& workload) {
  bloom::SlicedBloom filter(failure.options, failure.live_probe_count_min);
  for (const std::uint32_t site : sites_to_fail(kSiteCount, failure.failed_count, 0)) {
    filter.fail_site(site);
  }
  Judgement judgement;
  std::vector<std::uint64_t> distinct = workload.distinct_keys();
  std::size_t next = 0;
  for (const WorkloadEvent& event : workload.events) {
    const bool is_distinct = next < distinct.size() && event.key == distinct[next];
    if (is_distinct) ++next;
    judgement.add(filter.first_test_then_set(event.key).distinct, is_distinct);
  }
  return judgement;
}

double fill_of(double target, std::uint32_t probe_count) {
  return std::pow(target, 1.0 / probe_count);
}

}  // namespace

bool write_failures(const Lab& lab) {
  CsvFile csv(lab.directory, "failures", "target,kind,failed_percent,theory,measured");
  const std::vector<std::uint64_t> keys = lab.web_logs[0].distinct_keys();
  for (const double target : kTargets) {
    for (const SliceKind kind : {SliceKind::kHorizontal, SliceKind::kVertical}) {
      for (std::uint32_t failed_count = 0; failed_count <= kSiteCount / 2; failed_count += 2) {
        const double share = static_cast<double>(failed_count) / kSiteCount;
        const FailedFilter filter{share, fill_of(target, kProbeCount), kProbeCount};
        const double theory = kind == SliceKind::kHorizontal
                                  ? horizontal_failed_as_duplicate(filter).false_positives
                                  : vertical_failed_as_duplicate(filter).false_positives;
        const Failure failure{{kind, shape_for(keys.size(), target, kProbeCount), kSiteCount},
                              failed_count};
        csv.row(target, name_of(kind), share * 100, theory,
                judge_full_filter(failure, keys, lab.repetition_count).false_positives.value());
      }
    }
  }
  return csv.ok();
}

bool write_slices_wanted(const Lab& lab) {
  CsvFile csv(lab.directory, "slices_wanted", "target,largest,failed,kind,slices,measured");
  const std::vector<std::uint64_t> keys = lab.web_logs[0].distinct_keys();
  for (const double target : kTargets) {
    for (const double largest : {0.1, 0.15, 0.2}) {
      for (const std::uint32_t failed_count : {1U, 2U, 4U, 6U, 8U}) {
        for (const SliceKind kind : {SliceKind::kHorizontal, SliceKind::kVertical}) {
          const bloom::FailureWish wish{failed_count, largest, fill_of(target, kProbeCount),
                                        kProbeCount};
          const std::optional<std::uint32_t> slice_count = kind == SliceKind::kHorizontal
                                                               ? horizontal_slice_count(wish)
                                                               : vertical_slice_count(wish);
          const bloom::BloomShape shape = shape_for(keys.size(), target, kProbeCount);
          if (!slice_count || *slice_count > shape.cell_count) continue;
          const Failure failure{{kind, shape, *slice_count}, failed_count};
          csv.row(target, largest, failed_count, name_of(kind), *slice_count,
                  judge_full_filter(failure, keys, lab.repetition_count).false_positives.value());
        }
      }
    }
  }
  return csv.ok();
}

bool write_live_threshold(const Lab& lab) {
  CsvFile csv(lab.directory, "live_threshold",
              "target,reading,threshold,false_positives_theory,false_negatives_theory,"
              "false_positives,false_negatives");
  const Workload& workload = lab.web_logs[0];
  const std::vector<std::uint64_t> keys = workload.distinct_keys();
  constexpr std::uint32_t kFailedCount = 8;
  for (const double target : kTargets) {
    const FailedFilter filter{static_cast<double>(kFailedCount) / kSiteCount,
                              fill_of(target, kThresholdProbeCount), kThresholdProbeCount};
    for (std::uint32_t x = 1; x <= kThresholdProbeCount; ++x) {
      const Failure failure{
          {SliceKind::kVertical, shape_for(keys.size(), target, kThresholdProbeCount), kSiteCount},
          kFailedCount,
          x};
      const bloom::ErrorRates theory = vertical_at_least(filter, x);
      const auto write = [&](const char* reading, const Judgement& judgement) {
        csv.row(target, reading, x, theory.false_positives, theory.false_negatives,
                judgement.false_positives.value(), judgement.false_negatives.value());
      };
      write("full", judge_full_filter(failure, keys, lab.repetition_count));
      write("stream", judge_stream(failure, workload));
      write("literal", judge_literally(failure, keys));
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
