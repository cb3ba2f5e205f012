// SPDX-License-Identifier: Apache-2.0
#include "bloom/sizing.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace weir::bloom {
namespace {

using std::numbers::ln2;

// -ln(1 - P^(1/k)) / k: keys per cell at which a key's k cells are all set with probability P.
double keys_per_cell(double false_positives, double probe_count) {
  return -std::log1p(-std::pow(false_positives, 1 / probe_count)) / probe_count;
}

double cells_of(const BloomShape& shape) { return static_cast<double>(shape.cell_count); }

}  // namespace

void check_false_positives(double false_positives) {
  WEIR_CHECK(false_positives >= kFalsePositivesMin && false_positives <= kFalsePositivesMax);
}

double classic_false_positives(const BloomShape& shape, double key_count) {
  if (key_count <= 0) return 0;
  const double log_unset = shape.probe_count * key_count * std::log1p(-1 / cells_of(shape));
  return std::pow(-std::expm1(log_unset), shape.probe_count);
}

double classic_false_positives_approximate(const BloomShape& shape, double key_count) {
  return std::pow(classic_fill(shape, key_count), shape.probe_count);
}

double classic_fill(const BloomShape& shape, double key_count) {
  return -std::expm1(-(shape.probe_count * key_count / cells_of(shape)));
}

std::uint32_t optimal_probe_count(std::uint64_t cell_count, double key_count) {
  const double exact = key_count > 0 ? ln2 * static_cast<double>(cell_count) / key_count : 1;
  const double bounded = std::clamp(exact, 1.0, static_cast<double>(kProbeCountMax));
  const auto low = static_cast<std::uint32_t>(bounded);
  const std::uint32_t high = std::min(low + 1, kProbeCountMax);
  const bool low_is_better = classic_false_positives_approximate({cell_count, low}, key_count) <=
                             classic_false_positives_approximate({cell_count, high}, key_count);
  return low_is_better ? low : high;
}

double classic_bits_per_key(double false_positives) {
  return -std::log(false_positives) / (ln2 * ln2);
}

std::uint64_t classic_cell_count(double key_count, double false_positives,
                                 std::uint32_t probe_count) {
  WEIR_CHECK(key_count >= 0 && probe_count >= 1);
  check_false_positives(false_positives);
  const double wanted = key_count / keys_per_cell(false_positives, probe_count);
  // The exact formula has a little more false positives than its approximation, by at most what
  // one more cell makes good.
  const double cell_count = std::ceil(wanted) + 1;
  return static_cast<std::uint64_t>(std::min(cell_count, static_cast<double>(kCellCountMax)));
}

BloomShape classic_shape(double key_count, double false_positives) {
  check_false_positives(false_positives);
  const double exact = -std::log2(false_positives);  // k = ln 2 * m/n at the optimal m
  const auto low = static_cast<std::uint32_t>(std::max(1.0, std::floor(exact)));
  const bool low_is_better =
      keys_per_cell(false_positives, low) >= keys_per_cell(false_positives, low + 1);
  const std::uint32_t probe_count = low_is_better ? low : low + 1;
  return {classic_cell_count(key_count, false_positives, probe_count), probe_count};
}

double density_threshold(const BloomShape& shape, double false_positives) {
  return cells_of(shape) * std::pow(false_positives, 1.0 / shape.probe_count);
}

double cardinality_threshold(const BloomShape& shape, double false_positives) {
  const double set_share = std::pow(false_positives, 1.0 / shape.probe_count);
  return std::log1p(-set_share) / (shape.probe_count * std::log1p(-1 / cells_of(shape)));
}

std::vector<GrowthStage> growth_plan(const GrowthWish& wish) {
  WEIR_CHECK(wish.first_key_count >= 1);
  WEIR_CHECK(wish.stage_count >= 1 && wish.stage_count <= kGrowthStageCountMax);
  std::vector<GrowthStage> plan;
  double key_count = wish.first_key_count;
  for (std::uint32_t i = 0; i < wish.stage_count; ++i) {
    plan.push_back({key_count, classic_shape(key_count, wish.false_positives / wish.stage_count)});
    key_count *= 2;
  }
  return plan;
}

double growth_key_count(const std::vector<GrowthStage>& plan) {
  double sum = 0;
  for (const GrowthStage& stage : plan) sum += stage.key_count;
  return sum;
}

double growth_cell_count(const std::vector<GrowthStage>& plan, double key_count) {
  double cells = 0;
  double room = 0;
  for (const GrowthStage& stage : plan) {
    if (cells > 0 && key_count <= room) break;
    cells += cells_of(stage.shape);
    room += stage.key_count;
  }
  return cells;
}

double growth_cell_count_mean(const std::vector<GrowthStage>& plan) {
  double cells = 0;
  double sum = 0;
  for (const GrowthStage& stage : plan) {
    cells += cells_of(stage.shape);
    sum += cells * stage.key_count;
  }
  return sum / growth_key_count(plan);
}

}  // namespace weir::bloom
