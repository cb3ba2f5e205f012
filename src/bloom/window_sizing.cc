// SPDX-License-Identifier: Apache-2.0
#include "bloom/window_sizing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "bloom/block_sizing.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

constexpr std::uint32_t kAgeProbeCountMax = 48;
constexpr std::uint32_t kAgeGenerationCountMax = 96;

// The share of bits that are set in a slice at the end of a generation, which is the worst moment:
// the slice at this place has taken the keys of place + 1 generations, of at most k.
double slice_fill(std::uint32_t place, std::uint32_t probe_count) {
  const double generation_count = std::min(place + 1, probe_count);
  return 1 - std::exp2(-generation_count / probe_count);
}

}  // namespace

std::uint32_t timer_bits(TimerSpan span) {
  WEIR_CHECK(span.window.nanoseconds > 0 && span.tick.nanoseconds > 0);
  const std::int64_t tick_count = (span.window.nanoseconds - 1) / span.tick.nanoseconds + 1;
  return static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(tick_count)));
}

double timer_bits_per_live_key(TimerSpan span, double false_positives) {
  constexpr double kManyKeys = 1e9;  // so that whole cells are no matter
  const auto cell_count = static_cast<double>(classic_shape(kManyKeys, false_positives).cell_count);
  return timer_bits(span) * cell_count / kManyKeys;
}

double equal_timers_false_positives(const BloomShape& shape) {
  return classic_false_positives_approximate(shape, 1);
}

double rotating_bits_per_live_key(double false_positives) {
  check_false_positives(false_positives);
  // 1 - (1 - P')^2 = P.
  const double each = -std::expm1(std::log1p(-false_positives) / 2);
  return 2 * block_bits_per_key(each, 512);
}

double age_partitioned_false_positives(AgePartitionedShape shape) {
  const std::uint32_t k = shape.probe_count;
  WEIR_CHECK(k >= 1 && k <= kAgeProbeCountMax && shape.generation_count >= 1);
  // run[a]: nothing found yet, and exactly the last a slices had the key's bits.
  std::array<double, kAgeProbeCountMax> run{1};
  double found = 0;
  for (std::uint32_t place = 0; place < k + shape.generation_count; ++place) {
    const double fill = slice_fill(place, k);
    double broken = 0;
    found += run[k - 1] * fill;
    for (std::uint32_t a = k; a-- > 0;) {
      broken += run[a] * (1 - fill);
      run[a] = a > 0 ? run[a - 1] * fill : 0;
    }
    run[0] = broken;
  }
  return found;
}

double age_partitioned_bits_per_live_key(AgePartitionedShape shape) {
  const double k = shape.probe_count;
  const double l = shape.generation_count;
  return k * (k + l) / (l * std::numbers::ln2);
}

AgePartitionedShape age_partitioned_shape(double false_positives) {
  check_false_positives(false_positives);
  AgePartitionedShape best;
  double best_bits = std::numeric_limits<double>::infinity();
  for (std::uint32_t k = 1; k <= kAgeProbeCountMax; ++k) {
    for (std::uint32_t l = 1; l <= kAgeGenerationCountMax; ++l) {
      if (age_partitioned_false_positives({k, l}) > false_positives) break;
      const double bits = age_partitioned_bits_per_live_key({k, l});
      if (bits < best_bits) {
        best = {k, l};
        best_bits = bits;
      }
    }
  }
  return best;
}

}  // namespace weir::bloom
