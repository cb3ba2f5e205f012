// SPDX-License-Identifier: Apache-2.0
// ManyValues: what an event has at paths with [*], where it may have several values each.
//
//   begin: clear()   add() for each value that is met   finish(): then all can be asked
//
// Costs the number of values, times its logarithm; nothing where no filter has such a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "event/json_document.h"
#include "match/content/codes.h"
#include "match/content/ids.h"
#include "match/content/vocabulary.h"

namespace weir::match::content {

class ManyValues {
 public:
  explicit ManyValues(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  void clear();
  // A value at the node, by each of the conversions that filters use.
  void add(const PathNode& node, const event::JsonRef& json);
  bool empty() const { return added_.empty(); }
  void finish();

  // The slots that have a value, ascending.
  std::span<const SlotId> slots() const { return slots_; }
  // All values of a slot, in the order of the text.
  std::span<const event::Value> values(SlotId slot) const;
  // All points of these slots, ascending.
  std::span<const PointId> points() const { return points_; }
  bool has_point(PointId point) const;
  // A column of numbers or times that filters use: the codes there, ascending, at least one.
  struct Column {
    ColumnId id;
    std::span<const Code> codes;
  };
  std::span<const Column> columns() const { return columns_; }

  std::size_t memory_bytes() const;

 private:
  struct Added {
    SlotId slot;
    std::uint32_t order;
    event::Value value;
  };

  void take(SlotId slot, std::span<const event::Value> values);
  void take_point(const PointView& point);
  void take_codes(SlotId slot, std::span<const event::Value> values, ColumnKind kind);

  const Vocabulary& vocabulary_;
  std::vector<Added> added_;
  std::vector<event::Value> values_;  // by slot
  std::vector<SlotId> slots_;
  std::vector<std::size_t> ends_;  // of each slot's values
  std::vector<PointId> points_;
  std::vector<Code> codes_;  // of all columns
  std::vector<Column> columns_;
};

}  // namespace weir::match::content
