// SPDX-License-Identifier: Apache-2.0
// EventValues: one event as filters see it: a code in every column, and the points that it has.
//
// begin() walks the event and the path trie together, once; only what some filter asks for is taken
// out. Where filters use many members of one object its members are looked up in the trie, one by
// one, beginning with the child that stood in that place the last time: events of one kind look
// alike. Where filters use few, those few are looked up in the object. So an event costs its own
// size, however many paths there are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/event.h"
#include "match/content/codes.h"
#include "match/content/ids.h"
#include "match/content/many_values.h"
#include "match/content/vocabulary.h"
#include "match/work_budget.h"

namespace weir::match::content {

class EventValues {
 public:
  explicit EventValues(const Vocabulary& vocabulary) : vocabulary_(vocabulary), many_(vocabulary) {}

  // The event must outlive what is asked about it; no slot may come or go in between.
  void begin(const event::Event& event);
  const event::Event& event() const { return *event_; }

  Code code(ColumnId column) const { return codes_[column]; }
  // Missing where the event has none, or may have several.
  const event::Value& value(SlotId slot) const { return values_[slot]; }
  // All values of any slot; none of them, or one, may be missing.
  std::span<const event::Value> all(SlotId slot) const {
    return vocabulary_.operands().is_many(slot) ? many_.values(slot) : std::span(&values_[slot], 1);
  }

  // All points that the event has, each once.
  std::span<const PointId> points() const { return points_; }
  // Whether the event has that point of a slot that may have several values.
  bool has_many_point(PointId point) const { return many_.has_point(point); }
  // The columns of numbers and times in which the event has a code, of those that filters use, but
  // for those that may have several values.
  std::span<const ColumnId> ordered_columns() const { return ordered_columns_; }
  // The others: the codes of each, ascending.
  std::span<const ManyValues::Column> many_columns() const { return many_.columns(); }

  // Work on the elements that a slot's path leads to is done for this owner too; null: for somebody
  // whom nobody limits. Each needs an end.
  void add_payer(SlotId slot, WorkBudget* payer);
  void remove_payer(SlotId slot, WorkBudget* payer);

  std::size_t memory_bytes() const;

 private:
  // For whom the elements at a node are looked at.
  struct NodeUse {
    std::vector<std::pair<WorkBudget*, std::uint32_t>> payers = {};
    std::uint32_t unlimited = 0;
  };
  template <typename Use>
  void for_each_element_node(SlotId slot, Use use);
  bool may_visit(NodeId id, const PathNode& node);
  void clear();
  void walk_attributes();
  void walk(NodeId id, event::JsonRef json);
  void walk_members(NodeId id, event::JsonRef json);
  void walk_elements(NodeId id, event::JsonRef json);
  void walk_every(NodeId id, event::JsonRef json);
  void walk_many(NodeId id, event::JsonRef json);
  void take_many();
  // Where a member or attribute of some name leads.
  struct Way {
    NodeId child = kNoId;
    SlotId only_slot = kNoId;  // the child is nothing but this slot, as it is
  };
  Way way_to(NodeId parent, std::string_view name, std::size_t place);
  Way learn_way(NodeId parent, std::string_view name, std::size_t place);
  Way find_way(NodeId parent, std::string_view name) const;
  void fill(const PathNode& node, event::JsonRef json);
  void take_all();
  void take(SlotId slot, const event::Value& value, const SlotUses& uses);
  void look_up_affixes(SlotId slot, std::string_view text, const SlotUses& uses);
  void look_up_value(SlotId slot, const event::Value& value);
  void look_up(const PointView& point);
  void finish_look_ups();
  void finish_integer_look_ups();
  void set_ordered(ColumnId column, Code code);

  // A point that is to be looked up: all are first asked for, then fetched.
  struct LookUp {
    PointView point = {};
    std::uint64_t hash = 0;
  };

  struct IntegerLookUp {
    std::uint64_t bits;
    std::uint64_t hash;
    SlotId slot;
  };

  const Vocabulary& vocabulary_;
  const event::Event* event_ = nullptr;
  std::vector<Code> codes_;           // by column
  std::vector<event::Value> values_;  // by slot
  std::vector<SlotId> filled_;        // slots with a value
  std::vector<LookUp> look_ups_;
  std::vector<IntegerLookUp> integer_look_ups_;
  std::vector<PointId> points_;
  std::vector<ColumnId> ordered_columns_;
  ManyValues many_;
  // What stood at some place in the members of a node, in the last event.
  struct Guess {
    std::string name;
    Way way = {};
  };
  std::vector<std::vector<Guess>> guesses_;  // by node and place; of one revision of the operands
  std::uint64_t revision_ = 0;
  std::vector<NodeUse> node_uses_;  // by node, of those behind [*]
};

}  // namespace weir::match::content
