// SPDX-License-Identifier: Apache-2.0
#include "bloom/slice_sizing.h"

#include <cmath>

#include "base/check.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

double cells_per_slice(const BloomShape& shape, double slice_count) {
  const double cells = static_cast<double>(shape.cell_count) / slice_count;
  WEIR_CHECK(slice_count >= 1 && cells >= 1);
  return cells;
}

double sliced_false_positives(const BloomShape& shape, double slice_count, double key_count) {
  if (key_count <= 0) return 0;
  const double log_unset = shape.probe_count * key_count / slice_count *
                           std::log1p(-1 / cells_per_slice(shape, slice_count));
  return std::pow(-std::expm1(log_unset), shape.probe_count);
}

double filter_false_positives(const FailedFilter& filter) {
  return std::pow(filter.fill, filter.probe_count);
}

std::optional<std::uint32_t> whole_slices(double slice_count) {
  // More sites than anyone has; also what remains of a division by almost nothing.
  constexpr double kSliceCountMax = 1e9;
  if (!(slice_count >= 0 && slice_count <= kSliceCountMax)) return std::nullopt;
  return static_cast<std::uint32_t>(std::ceil(slice_count));
}

}  // namespace

double horizontal_false_positives(const BloomShape& shape, std::uint32_t slice_count,
                                  double key_count) {
  return sliced_false_positives(shape, slice_count, key_count);
}

double vertical_false_positives(const BloomShape& shape, double key_count) {
  return classic_false_positives(shape, key_count);
}

double horizontal_vertical_false_positives(const BloomShape& shape, DicedSlices slices,
                                           double key_count) {
  return sliced_false_positives(shape, slices.outer_count, key_count);
}

double vertical_horizontal_false_positives(const BloomShape& shape, DicedSlices slices,
                                           double key_count) {
  const double site_count = static_cast<double>(slices.outer_count) * slices.inner_count;
  return sliced_false_positives(shape, site_count, key_count);
}

ErrorRates horizontal_failed_as_duplicate(const FailedFilter& filter) {
  const double a = filter.failed_share;
  return {a + (1 - a) * filter_false_positives(filter), 0};
}

ErrorRates vertical_failed_as_duplicate(const FailedFilter& filter) {
  const double a = filter.failed_share;
  return {std::pow(a + (1 - a) * filter.fill, filter.probe_count), 0};
}

ErrorRates horizontal_failed_as_distinct(const FailedFilter& filter) {
  const double a = filter.failed_share;
  return {(1 - a) * filter_false_positives(filter), a};
}

ErrorRates vertical_failed_as_distinct(const FailedFilter& filter) {
  const double live = 1 - filter.failed_share;
  return {std::pow(live * filter.fill, filter.probe_count), 1 - std::pow(live, filter.probe_count)};
}

ErrorRates vertical_at_least(const FailedFilter& filter, std::uint32_t live_count_min) {
  const double live = 1 - filter.failed_share;
  const std::uint32_t k = filter.probe_count;
  ErrorRates rates;
  double binomial = 1;
  for (std::uint32_t i = 0; i <= k; ++i) {
    const double failed = binomial * std::pow(filter.failed_share, k - i);
    if (i >= live_count_min) rates.false_positives += failed * std::pow(live * filter.fill, i);
    if (i < live_count_min) rates.false_negatives += failed * std::pow(live, i);
    binomial = binomial * (k - i) / (i + 1);
  }
  return rates;
}

std::optional<std::uint32_t> horizontal_slice_count(const FailureWish& wish) {
  const double p = std::pow(wish.fill, wish.probe_count);
  if (p >= wish.false_positives_max) return std::nullopt;
  return whole_slices(wish.failed_count * (1 - p) / (wish.false_positives_max - p));
}

std::optional<std::uint32_t> vertical_slice_count(const FailureWish& wish) {
  const double fill_max = std::pow(wish.false_positives_max, 1.0 / wish.probe_count);
  if (wish.fill >= fill_max) return std::nullopt;
  return whole_slices(wish.failed_count * (1 - wish.fill) / (fill_max - wish.fill));
}

double message_bits(const BloomShape& shape) { return sliced_message_bits(shape, 1); }

double sliced_message_bits(const BloomShape& shape, std::uint32_t slice_count) {
  return shape.probe_count * std::log2(cells_per_slice(shape, slice_count));
}

double vertical_site_count(std::uint32_t slice_count, std::uint32_t probe_count) {
  const double s = slice_count;
  return s * (1 - std::pow(1 - 1 / s, probe_count));
}

double pipelined_cell_count(double fill, std::uint32_t probe_count) {
  if (fill >= 1) return probe_count;
  return (1 - std::pow(fill, probe_count)) / (1 - fill);
}

}  // namespace weir::bloom
