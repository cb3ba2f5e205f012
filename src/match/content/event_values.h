// SPDX-License-Identifier: Apache-2.0
// EventValues: the values of one event in the slots of the filters, each taken out at most once.
//
// begin() walks the event and the path trie together and lists the slots with access that the event
// has; all other slots are filled when a candidate asks. Where filters use many members of one
// object its members are looked up in the trie, one by one; where they use few, those few are
// looked up in the object. So an event costs its own size, however many paths there are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "event/event.h"
#include "match/content/ids.h"
#include "match/content/operand_table.h"
#include "match/content/point_index.h"

namespace weir::match::content {

class EventValues {
 public:
  EventValues(const OperandTable& operands, const PointIndex& points)
      : operands_(operands), points_(points) {}

  // The event must outlive what is asked about it; no slot may come or go in between.
  void begin(const event::Event& event);
  const event::Event& event() const { return *event_; }

  // The slots with access in which the event has a value.
  std::span<const SlotId> present() const { return present_; }

  const event::Value& value(SlotId slot) {
    Cell& cell = cells_[slot];
    if (cell.epoch != epoch_) fill(slot, cell);
    return cell.value;
  }
  // The point that the value is; kNoId if no filter names it.
  PointId point(SlotId slot) {
    Cell& cell = cells_[slot];
    if (cell.point_epoch != epoch_) fill_point(slot, cell);
    return cell.point;
  }

 private:
  // What was filled in another epoch is empty.
  struct Cell {
    event::Value value;
    std::uint32_t epoch = 0;
    std::uint32_t point_epoch = 0;
    PointId point = kNoId;
  };
  struct NodeCell {
    event::JsonRef json;
    std::uint32_t epoch = 0;
    std::uint32_t children_epoch = 0;  // when all children were looked up
    std::uint32_t found_begin = 0;     // then: those that the event has, in found_
    std::uint32_t found_end = 0;
  };

  void next_epoch();
  void fill(SlotId slot, Cell& cell);
  void fill_point(SlotId slot, Cell& cell);
  void walk_attributes();
  void walk(NodeId id, event::JsonRef json);
  void list_slots(const PathNode& node);
  event::JsonRef json_at(NodeId id);
  void look_up_children(NodeId id, event::JsonRef json);
  void set_json(NodeId id, event::JsonRef json);

  const OperandTable& operands_;
  const PointIndex& points_;
  const event::Event* event_ = nullptr;
  std::uint32_t epoch_ = 0;
  std::vector<Cell> cells_;           // by slot
  std::vector<NodeCell> node_cells_;  // by node
  std::vector<NodeId> found_;
  std::vector<SlotId> present_;
};

}  // namespace weir::match::content
