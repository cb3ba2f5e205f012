// SPDX-License-Identifier: Apache-2.0
// Figures 5(a), 7(a), 7(b): false positives of sliced filters over a whole stream.
#include <algorithm>
#include <cmath>

#include "000/figures.h"
#include "bloom/numeric.h"
#include "bloom/sizing.h"
#include "bloom/slice_sizing.h"
#include "bloom/sliced_bloom.h"
#include "shared/csv_file.h"

namespace weir::lab {

using bloom::BloomShape;
using bloom::SliceKind;

bloom::BloomShape shape_for(std::size_t key_count, double target, std::uint32_t probe_count) {
  return {
      .cell_count = bloom::classic_cell_count(static_cast<double>(key_count), target, probe_count),
      .probe_count = probe_count};
}

const char* name_of(SliceKind kind) {
  return kind == SliceKind::kHorizontal ? "horizontal" : "vertical";
}

namespace {

// The mean of a formula of the number of keys while a filter fills from none to all.
template <typename Formula>
double mean_while_filling(std::size_t key_count, Formula formula) {
  constexpr int kStepCount = 200;
  double sum = 0;
  for (int i = 0; i < kStepCount; ++i) {
    sum += formula(static_cast<double>(key_count) * (i + 0.5) / kStepCount);
  }
  return sum / kStepCount;
}

struct Theory {
  double even = 0;    // every slice has its share of the keys: eq. 3 and 4
  double uneven = 0;  // slices get as many as chance has it
};

Theory theory_of(SliceKind kind, const BloomShape& shape, std::uint32_t slice_count,
                 std::size_t key_count) {
  if (kind == SliceKind::kVertical) {
    const double rate = mean_while_filling(
        key_count, [&](double n) { return bloom::vertical_false_positives(shape, n); });
    return {rate, rate};
  }
  const BloomShape slice{shape.cell_count / slice_count, shape.probe_count};
  return {mean_while_filling(
              key_count,
              [&](double n) { return bloom::horizontal_false_positives(shape, slice_count, n); }),
          mean_while_filling(key_count, [&](double n) {
            return bloom::poisson_mean(n / slice_count, [&](std::uint64_t j) {
              return bloom::classic_false_positives(slice, static_cast<double>(j));
            });
          })};
}

struct Mean {
  double value = 0;
  double error = 0;  // standard error
};

Mean mean_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  double square_sum = 0;
  for (const double value : values) {
    sum += value;
    square_sum += value * value;
  }
  const double mean = sum / count;
  if (values.size() < 2) return {mean, 0};
  const double variance = std::max(0.0, (square_sum / count - mean * mean) / (count - 1));
  return {mean, std::sqrt(variance)};
}

Mean measure(const bloom::SlicePlanOptions& options, const std::vector<std::uint64_t>& keys,
             std::uint32_t repetition_count) {
  std::vector<double> rates;
  for (std::uint32_t i = 0; i < repetition_count; ++i) {
    bloom::SlicedBloom filter(options);
    Rate rate;
    for (const std::uint64_t key : keys) rate.add(!filter.test_and_set(rekeyed(key, i)).distinct);
    rates.push_back(rate.value());
  }
  return mean_of(rates);
}

void write_workload(const Lab& lab, const Workload& workload, CsvFile& csv) {
  // Later events of a key are duplicates and change nothing: only first ones can be judged wrongly.
  const std::vector<std::uint64_t> keys = workload.distinct_keys();
  for (const double target : kTargets) {
    const BloomShape shape = shape_for(keys.size(), target, kProbeCount);
    for (const SliceKind kind : {SliceKind::kHorizontal, SliceKind::kVertical}) {
      for (const std::uint32_t slice_count : kSliceCounts) {
        if (slice_count > shape.cell_count / 4) continue;
        const Theory theory = theory_of(kind, shape, slice_count, keys.size());
        const Mean measured = measure({.kind = kind, .shape = shape, .slice_count = slice_count},
                                      keys, lab.repetition_count);
        csv.row(workload.name, keys.size(), target, shape.cell_count, name_of(kind), slice_count,
                theory.even, theory.uneven, measured.value, measured.error);
      }
    }
  }
}

}  // namespace

bool write_false_positives(const Lab& lab) {
  CsvFile csv(lab.directory, "false_positives",
              "workload,distinct,target,cells,kind,slices,theory,theory_uneven,measured,error");
  for (const Workload& workload : lab.web_logs) write_workload(lab, workload, csv);
  for (const Workload& workload : lab.others) write_workload(lab, workload, csv);
  return csv.ok();
}

}  // namespace weir::lab
