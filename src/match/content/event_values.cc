// SPDX-License-Identifier: Apache-2.0
#include "match/content/event_values.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "filter/evaluate.h"

namespace weir::match::content {
namespace {

using event::JsonKind;
using event::JsonRef;

// Up to so many children are looked up in the event rather than the event's members in the trie.
constexpr std::size_t kFewChildren = 8;

bool is_few(const PathNode& node) { return node.children.size() <= kFewChildren; }

JsonRef step_into(JsonRef json, const event::Path::Step& step) {
  if (!json) return {};
  const auto* const name = std::get_if<std::string>(&step);
  return name != nullptr ? json.member(*name) : json.element(std::get<std::uint32_t>(step));
}

}  // namespace

void EventValues::begin(const event::Event& event) {
  event_ = &event;
  next_epoch();
  present_.clear();
  found_.clear();
  walk_attributes();
  const PathNode& data = operands_.node(OperandTable::kData);
  if (data.access_count == 0 || event.data_kind() == event::DataKind::kNone) return;
  if (event.data()) {
    walk(OperandTable::kData, event.data());
  } else {
    list_slots(data);
  }
}

void EventValues::next_epoch() {
  cells_.resize(operands_.slot_bound());
  node_cells_.resize(operands_.node_bound());
  if (++epoch_ != 0) return;
  std::ranges::fill(cells_, Cell());
  std::ranges::fill(node_cells_, NodeCell());
  epoch_ = 1;
}

void EventValues::walk_attributes() {
  const PathNode& attributes = operands_.node(OperandTable::kAttributes);
  if (attributes.access_count == 0) return;
  if (is_few(attributes)) {
    for (const NodeId child : attributes.children) list_slots(operands_.node(child));
    return;
  }
  for (const event::Attribute& attribute : event_->attributes()) {
    const NodeId child = operands_.child(OperandTable::kAttributes, attribute.name);
    if (child != kNoId) list_slots(operands_.node(child));
  }
}

// The depth is that of the paths, which is bounded.
void EventValues::walk(NodeId id, JsonRef json) {
  const PathNode& node = operands_.node(id);
  set_json(id, json);
  list_slots(node);
  if (node.children.empty()) return;
  const auto walk_child = [&](NodeId child) {
    if (operands_.node(child).access_count == 0) return;
    if (const JsonRef there = json_at(child)) walk(child, there);
  };
  if (is_few(node)) {
    std::ranges::for_each(node.children, walk_child);
    return;
  }
  look_up_children(id, json);
  const auto [begin, end] = std::pair(node_cells_[id].found_begin, node_cells_[id].found_end);
  for (std::uint32_t i = begin; i < end; ++i) walk_child(found_[i]);
}

void EventValues::list_slots(const PathNode& node) {
  if (node.access_count == 0) return;
  for (const SlotId slot : node.slots) {
    if (slot == kNoId || operands_.slot(slot).access_count == 0) continue;
    if (!value(slot).missing()) present_.push_back(slot);
  }
}

void EventValues::set_json(NodeId id, JsonRef json) {
  node_cells_[id].json = json;
  node_cells_[id].epoch = epoch_;
}

JsonRef EventValues::json_at(NodeId id) {
  if (node_cells_[id].epoch == epoch_) return node_cells_[id].json;
  if (id == OperandTable::kData) {
    set_json(id, event_->data());
    return event_->data();
  }
  const PathNode& node = operands_.node(id);
  const JsonRef parent = json_at(node.parent);
  if (is_few(operands_.node(node.parent))) {
    set_json(id, step_into(parent, node.step));
  } else {
    look_up_children(node.parent, parent);
    if (node_cells_[id].epoch != epoch_) set_json(id, {});
  }
  return node_cells_[id].json;
}

void EventValues::look_up_children(NodeId id, JsonRef json) {
  if (node_cells_[id].children_epoch == epoch_) return;
  node_cells_[id].children_epoch = epoch_;
  node_cells_[id].found_begin = static_cast<std::uint32_t>(found_.size());
  const auto note = [&](NodeId child, JsonRef there) {
    if (child == kNoId) return;
    set_json(child, there);
    found_.push_back(child);
  };
  if (json && json.kind() == JsonKind::kObject) {
    json.for_each_member(
        [&](JsonRef name, JsonRef member) { note(operands_.child(id, name.string()), member); });
  } else if (json && json.kind() == JsonKind::kArray) {
    std::uint32_t index = 0;
    json.for_each_element([&](JsonRef element) { note(operands_.child(id, index++), element); });
  }
  node_cells_[id].found_end = static_cast<std::uint32_t>(found_.size());
}

void EventValues::fill(SlotId slot, Cell& cell) {
  const Slot& what = operands_.slot(slot);
  cell.epoch = epoch_;
  const bool inside_data = what.operand.path.is_data() && !what.operand.path.steps().empty();
  if (inside_data && what.operand.conversion == filter::Operand::Conversion::kNone) {
    const JsonRef json = json_at(what.node);
    cell.value = json ? json.value() : event::Value();
  } else {
    cell.value = filter::resolve(what.operand, *event_);
  }
}

void EventValues::fill_point(SlotId slot, Cell& cell) {
  const auto point = point_of(slot, value(slot));
  cell.point_epoch = epoch_;
  cell.point = point ? points_.find(*point) : kNoId;
}

}  // namespace weir::match::content
