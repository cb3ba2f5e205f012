// SPDX-License-Identifier: Apache-2.0
// How large a classic filter must be, how often it errs, and when it is full (paper 000, sections
// 2 and 5). Pure functions; the paper's symbols stand in the comments.
//
//   wanted P    k    bits per key (m / n)
//     10 %      3     4.81
//      1 %      7     9.59
//      0.1 %   10    14.38
//
// Other structures: slice_sizing.h, block_sizing.h, generational_sizing.h, window_sizing.h.
#pragma once

#include <cstdint>
#include <vector>

#include "bloom/probe.h"

namespace weir::bloom {

// What a filter may be asked for; below, hashes of 64 bits begin to matter, above, nothing works.
inline constexpr double kFalsePositivesMin = 1e-14;
inline constexpr double kFalsePositivesMax = 0.5;

// Aborts unless the wanted rate is within the limits above.
void check_false_positives(double false_positives);

// (1 - (1 - 1/m)^(kn))^k, eq. 1; key_count is n.
double classic_false_positives(const BloomShape& shape, double key_count);
// (1 - e^(-kn/m))^k, eq. 2.
double classic_false_positives_approximate(const BloomShape& shape, double key_count);
// The share of cells that are set: q = 1 - e^(-kn/m).
double classic_fill(const BloomShape& shape, double key_count);

// ln 2 * m/n, rounded to the better of its neighbours, within [1, kProbeCountMax].
std::uint32_t optimal_probe_count(std::uint64_t cell_count, double key_count);
// -ln P / (ln 2)^2: m/n if k could be any number.
double classic_bits_per_key(double false_positives);
// The fewest cells that hold the keys, and the number of probes that makes it so. At least one cell
// and at most kCellCountMax. Requires key_count >= 0 and a wanted rate within the limits above.
BloomShape classic_shape(double key_count, double false_positives);
// The same for a number of probes that is given.
std::uint64_t classic_cell_count(double key_count, double false_positives,
                                 std::uint32_t probe_count);

// z* = m P^(1/k): a filter with more cells set than this is full.
double density_threshold(const BloomShape& shape, double false_positives);
// n* = ln(1 - P^(1/k)) / (k ln(1 - 1/m)): a filter with more keys than this is full. The inverse of
// classic_false_positives().
double cardinality_threshold(const BloomShape& shape, double false_positives);

// One filter of a growing row: it holds key_count keys before the next is begun.
struct GrowthStage {
  double key_count = 0;
  BloomShape shape;
};

inline constexpr std::uint32_t kGrowthStageCountMax = 32;

// A growing row of filters, each for twice the keys of the one before. Each is sized for P/J with
// J = stage_count, so that a lookup, which asks all of them, errs with at most P. Requires
// first_key_count >= 1, 1 <= stage_count <= kGrowthStageCountMax, and P/J within the limits above.
struct GrowthWish {
  double first_key_count = 0;
  double false_positives = 0;
  std::uint32_t stage_count = 0;
};
std::vector<GrowthStage> growth_plan(const GrowthWish& wish);

// The keys that all stages together hold.
double growth_key_count(const std::vector<GrowthStage>& plan);
// The cells of the stages that have begun once key_count keys are set; all, when there are more.
double growth_cell_count(const std::vector<GrowthStage>& plan, double key_count);
// Its mean over all key counts up to what the plan holds.
double growth_cell_count_mean(const std::vector<GrowthStage>& plan);

}  // namespace weir::bloom
