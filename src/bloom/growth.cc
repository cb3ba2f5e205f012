// SPDX-License-Identifier: Apache-2.0
#include "bloom/growth.h"

#include <algorithm>

#include "base/check.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

std::uint32_t read_small(base::ByteReader& reader, std::uint32_t max) {
  const std::uint64_t value = reader.varint();
  if (value > max) reader.fail();
  return static_cast<std::uint32_t>(value);
}

}  // namespace

bool GrowingOptions::is_valid() const {
  return first_shape.cell_count >= 1 && first_shape.cell_count <= kCellCountMax &&
         first_shape.probe_count >= 1 && first_shape.probe_count <= kProbeCountMax &&
         stage_false_positive_rate > 0 && stage_false_positive_rate < 1 && factor >= 1 &&
         factor <= kGrowthFactorMax && stage_count_max >= 1 && stage_count_max <= kStageCountMax;
}

BloomShape GrowingOptions::shape_after(std::size_t stage_count) const {
  BloomShape shape = first_shape;
  if (factor == 1) return shape;
  for (std::size_t i = 0; i < stage_count && shape.cell_count < kCellCountMax; ++i) {
    shape.cell_count = std::min(kCellCountMax, shape.cell_count * factor);
  }
  return shape;
}

double GrowingOptions::full_count(const BloomShape& shape) const {
  return rule == GrowthRule::kCardinality ? cardinality_threshold(shape, stage_false_positive_rate)
                                          : density_threshold(shape, stage_false_positive_rate);
}

void GrowingOptions::write(base::ByteWriter& writer) const {
  writer.varint(first_shape.cell_count);
  writer.varint(first_shape.probe_count);
  writer.f64(stage_false_positive_rate);
  writer.u8(static_cast<std::uint8_t>(rule));
  writer.varint(factor);
  writer.varint(stage_count_max);
}

GrowingOptions GrowingOptions::read(base::ByteReader& reader) {
  GrowingOptions options;
  options.first_shape.cell_count = reader.varint();
  options.first_shape.probe_count = read_small(reader, kProbeCountMax);
  options.stage_false_positive_rate = reader.f64();
  const std::uint8_t rule = reader.u8();
  options.rule = rule == 0 ? GrowthRule::kDensity : GrowthRule::kCardinality;
  options.factor = read_small(reader, kGrowthFactorMax);
  options.stage_count_max = read_small(reader, kStageCountMax);
  if (rule > 1 || !options.is_valid()) reader.fail();
  return options;
}

GrowingOptions plan_growth(const GrowthPlan& plan) {
  WEIR_CHECK(plan.first_key_count >= 1 && plan.stage_count_max >= 1);
  const double rate = plan.false_positive_rate / plan.stage_count_max;
  return {.first_shape = classic_shape(static_cast<double>(plan.first_key_count), rate),
          .stage_false_positive_rate = rate,
          .rule = plan.rule,
          .factor = plan.factor,
          .stage_count_max = plan.stage_count_max};
}

}  // namespace weir::bloom
