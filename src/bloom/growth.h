// SPDX-License-Identifier: Apache-2.0
// When a growing filter adds a stage, and which: the thresholds of paper 000, section 5.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "bloom/probe.h"

namespace weir::bloom {

enum class GrowthRule : std::uint8_t {
  // Full with more than z* = m P^(1/k) cells that are set, or alive: the better rule for windows.
  kDensity = 0,
  // Full after more than n* = ln(1 - P^(1/k)) / (k ln(1 - 1/m)) keys; keys that a window forgets
  // still count, so that even a steady stream fluctuates between one stage and two.
  kCardinality = 1,
};

inline constexpr std::uint32_t kStageCountMax = 1024;
inline constexpr std::uint32_t kGrowthFactorMax = 16;

struct GrowingOptions {
  BloomShape first_shape;
  double stage_false_positive_rate = 0.01;  // P per stage, in (0, 1)
  GrowthRule rule = GrowthRule::kDensity;
  std::uint32_t factor = 1;  // cells of the next stage to those of the one before
  std::uint32_t stage_count_max = 16;

  bool operator==(const GrowingOptions&) const = default;

  // Whether all of them are in their ranges.
  bool is_valid() const;
  // Of a stage that is added to so many: the first shape's cells times factor^stage_count, at most
  // kCellCountMax.
  BloomShape shape_after(std::size_t stage_count) const;
  // Above so many cells or keys, by the rule, a stage of this shape is full.
  double full_count(const BloomShape& shape) const;
  // Pieces of a frame's body; reading fails where they are not valid.
  void write(base::ByteWriter& writer) const;
  static GrowingOptions read(base::ByteReader& reader);
};

struct GrowthPlan {
  std::uint64_t first_key_count = 1000;  // keys that the first stage takes
  double false_positive_rate = 0.01;     // of all stages together
  GrowthRule rule = GrowthRule::kDensity;
  std::uint32_t factor = 2;
  std::uint32_t stage_count_max = 16;
};

// Gives each of the stages an even share of the false positives, and the k that needs the fewest
// cells for it. Requires a share within the limits of sizing.h, first_key_count >= 1 and
// stage_count_max >= 1.
GrowingOptions plan_growth(const GrowthPlan& plan);

}  // namespace weir::bloom
