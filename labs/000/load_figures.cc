// SPDX-License-Identifier: Apache-2.0
// Figures 5(b), 5(c), 8: how evenly slices are loaded; 7(c): how many a lookup contacts.
#include <algorithm>
#include <numeric>
#include <span>

#include "000/figures.h"
#include "000/generator.h"
#include "bloom/sliced_bloom.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

using bloom::SliceKind;
using bloom::SliceLookup;

struct Load {
  double fairness = 0;
  double largest_share = 0;
};

// Requests per site if every event is looked up once at every site of its cells.
Load measure(const bloom::SlicePlanOptions& options, const Workload& workload,
             std::uint32_t repetition) {
  const bloom::SlicePlan plan(options);
  std::vector<std::uint64_t> loads(plan.site_count());
  std::vector<bloom::Placement> placements;
  for (const WorkloadEvent& event : workload.events) {
    plan.place(rekeyed(event.key, repetition), placements);
    std::span<const bloom::Placement> rest = placements;
    while (!rest.empty()) {
      ++loads[rest[0].site_index];
      rest = rest.subspan(bloom::leading_site(rest).size());
    }
  }
  const std::uint64_t sum = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  return {bloom::jain_fairness(loads),
          static_cast<double>(*std::ranges::max_element(loads)) / static_cast<double>(sum)};
}

void write_workload(const Lab& lab, const Workload& workload, CsvFile& csv) {
  constexpr std::uint32_t kRepetitionCountMax = 5;
  const std::uint32_t repetition_count = std::min(lab.repetition_count, kRepetitionCountMax);
  const bloom::BloomShape shape =
      shape_for(workload.distinct_keys().size(), kTargets[0], kProbeCount);
  for (const SliceKind kind : {SliceKind::kHorizontal, SliceKind::kVertical}) {
    for (const std::uint32_t slice_count : kSliceCounts) {
      if (slice_count > std::min<std::uint64_t>(200, shape.cell_count)) continue;
      Load mean;
      for (std::uint32_t i = 0; i < repetition_count; ++i) {
        const Load load =
            measure({.kind = kind, .shape = shape, .slice_count = slice_count}, workload, i);
        mean.fairness += load.fairness / repetition_count;
        mean.largest_share += load.largest_share / repetition_count;
      }
      csv.row(workload.name, name_of(kind), slice_count, mean.fairness, mean.largest_share);
    }
  }
}

double sites_per_lookup(const Workload& workload, const bloom::SlicePlanOptions& options,
                        SliceLookup lookup) {
  bloom::SlicedBloom filter(options);
  std::uint64_t site_count = 0;
  for (const WorkloadEvent& event : workload.events) {
    const bloom::SliceAnswer answer = filter.test(event.key, lookup);
    site_count += answer.site_count;
    if (answer.distinct) filter.test_and_set(event.key);
  }
  return static_cast<double>(site_count) / static_cast<double>(workload.events.size());
}

}  // namespace

bool write_load(const Lab& lab) {
  CsvFile csv(lab.directory, "load", "workload,kind,slices,fairness,largest_share");
  for (const Workload& workload : lab.web_logs) write_workload(lab, workload, csv);
  for (const Workload& workload : lab.others) write_workload(lab, workload, csv);
  return csv.ok();
}

bool write_sites_contacted(const Lab& lab) {
  CsvFile csv(lab.directory, "sites_contacted", "distinct_percent,slices,lookup,sites");
  const std::size_t event_count = lab.web_logs[0].events.size();
  for (const std::uint32_t percent : {80U, 50U, 20U}) {
    const std::size_t distinct_count = event_count * percent / 100;
    const Workload workload = make_synthetic({.name = "replicated",
                                              .event_count = event_count,
                                              .distinct_count = distinct_count,
                                              .exponent = 0});
    const bloom::BloomShape shape = shape_for(distinct_count, kTargets[0], kProbeCount);
    for (const std::uint32_t slice_count : {2U, 5U, 10U, 20U, 50U, 100U}) {
      const bloom::SlicePlanOptions options{.shape = shape, .slice_count = slice_count};
      csv.row(percent, slice_count, "parallel",
              sites_per_lookup(workload, options, SliceLookup::kParallel));
      csv.row(percent, slice_count, "pipelined",
              sites_per_lookup(workload, options, SliceLookup::kPipelined));
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
