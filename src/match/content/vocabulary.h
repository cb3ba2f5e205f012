// SPDX-License-Identifier: Apache-2.0
// Vocabulary: all that filters speak of: the operands, the values, and how a slot's value is asked.
//
// Everything is counted: what the last filter has released is gone. An event is taken apart by it:
// only what some filter asks for is looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "match/content/codes.h"
#include "match/content/ids.h"
#include "match/content/operand_table.h"
#include "match/content/point_index.h"

namespace weir::match::content {

// What filters ask about one slot.
struct SlotUses {
  struct Length {
    std::uint32_t bytes;
    std::uint32_t use_count;
  };

  std::uint32_t values = 0;  // points that are values
  std::uint32_t numbers = 0;
  std::uint32_t times = 0;
  PointId present = kNoId;            // the point that is any value
  std::vector<Length> prefixes = {};  // ascending
  std::vector<Length> suffixes = {};  // ascending
};

class Vocabulary {
 public:
  // Each acquire needs one release. A point and a column keep their slot.
  SlotId acquire_slot(const filter::Operand& operand);
  void release_slot(SlotId slot) { operands_.release(slot); }
  PointId acquire_point(const PointView& point);
  void release_point(PointId id);
  void acquire_column(ColumnId column);
  void release_column(ColumnId column);

  const OperandTable& operands() const { return operands_; }
  const PointIndex& points() const { return points_; }
  PointIndex& points() { return points_; }
  const SlotUses& uses(SlotId slot) const { return uses_[slot]; }
  std::size_t memory_bytes() const;

 private:
  SlotUses& uses_of(SlotId slot);
  void change_use(const PointView& point, bool acquired);

  OperandTable operands_;
  PointIndex points_;
  std::vector<SlotUses> uses_;  // by slot
};

}  // namespace weir::match::content
