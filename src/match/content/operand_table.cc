// SPDX-License-Identifier: Apache-2.0
#include "match/content/operand_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/heap_bytes.h"

namespace weir::match::content {
namespace {

template <typename Item>
std::uint32_t take_place(std::vector<Item>& items, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    items.emplace_back();
    return static_cast<std::uint32_t>(items.size() - 1);
  }
  const std::uint32_t id = free.back();
  free.pop_back();
  return id;
}

std::uint64_t index_key(NodeId parent, std::uint32_t index) {
  return (std::uint64_t{parent} << 32U) | index;
}

std::size_t conversion_of(const filter::Operand& operand) {
  return static_cast<std::size_t>(operand.conversion);
}

std::size_t bytes_of(const event::Path::Step& step) {
  const auto* const name = std::get_if<std::string>(&step);
  return name == nullptr ? 0 : base::heap_bytes(*name);
}

std::size_t bytes_of(const event::Path& path) {
  std::size_t bytes = base::heap_bytes(path.attribute_name()) + base::heap_bytes(path.steps());
  for (const event::Path::Step& step : path.steps()) bytes += bytes_of(step);
  return bytes;
}

}  // namespace

std::size_t OperandTable::NameHash::operator()(const NameRef& ref) const {
  return static_cast<std::size_t>(base::hash_bytes(ref.name, ref.parent));
}

OperandTable::OperandTable() : nodes_(2) {}

SlotId OperandTable::acquire(const filter::Operand& operand) {
  const NodeId node = make_node(operand.path);
  const std::size_t conversion = conversion_of(operand);
  SlotId id = nodes_[node].slots[conversion];
  if (id == kNoId) {
    id = take_place(slots_, free_slots_);
    slots_[id] = {.operand = operand, .node = node};
    nodes_[node].slots[conversion] = id;
    ++nodes_[node].use_count;
    ++revision_;
  }
  ++slots_[id].use_count;
  return id;
}

void OperandTable::release(SlotId id) {
  Slot& slot = slots_[id];
  WEIR_CHECK(slot.use_count > 0);
  if (--slot.use_count > 0) return;
  const NodeId node = slot.node;
  nodes_[node].slots[conversion_of(slot.operand)] = kNoId;
  --nodes_[node].use_count;
  slot = {};
  free_slots_.push_back(id);
  ++revision_;
  drop_unused(node);
}

NodeId OperandTable::child(NodeId parent, std::string_view name) const {
  const auto found = names_.find(NameRef{parent, name});
  return found == names_.end() ? kNoId : found->second;
}

NodeId OperandTable::child(NodeId parent, std::uint32_t index) const {
  const auto found = indexes_.find(index_key(parent, index));
  return found == indexes_.end() ? kNoId : found->second;
}

NodeId OperandTable::child(NodeId parent, const event::Path::Step& step) const {
  if (const auto* const name = std::get_if<std::string>(&step)) {
    return child(parent, std::string_view(*name));
  }
  const auto* const index = std::get_if<std::uint32_t>(&step);
  return index != nullptr ? child(parent, *index) : nodes_[parent].every;
}

NodeId OperandTable::make_node(const event::Path& path) {
  if (!path.is_data()) return make_child(kAttributes, path.attribute_name());
  NodeId here = kData;
  for (const event::Path::Step& step : path.steps()) here = make_child(here, step);
  return here;
}

NodeId OperandTable::make_child(NodeId parent, const event::Path::Step& step) {
  if (const NodeId found = child(parent, step); found != kNoId) return found;
  ++revision_;
  const NodeId id = take_place(nodes_, free_nodes_);
  nodes_[id] = {.parent = parent, .step = step};
  ++nodes_[parent].use_count;
  if (std::holds_alternative<event::EveryElement>(step)) {
    nodes_[parent].every = id;
    return id;
  }
  nodes_[parent].children.push_back(id);
  if (const auto* const name = std::get_if<std::string>(&step)) {
    names_.emplace(Name{parent, *name}, id);
  } else {
    indexes_.emplace(index_key(parent, std::get<std::uint32_t>(step)), id);
  }
  return id;
}

void OperandTable::drop_unused(NodeId id) {
  while (nodes_[id].use_count == 0 && nodes_[id].parent != kNoId) {
    const NodeId parent = nodes_[id].parent;
    unlink(id);
    nodes_[id] = {};
    free_nodes_.push_back(id);
    id = parent;
  }
}

void OperandTable::unlink(NodeId id) {
  ++revision_;
  const PathNode& node = nodes_[id];
  PathNode& parent = nodes_[node.parent];
  --parent.use_count;
  if (std::holds_alternative<event::EveryElement>(node.step)) {
    parent.every = kNoId;
    return;
  }
  if (const auto* const name = std::get_if<std::string>(&node.step)) {
    names_.erase(names_.find(NameRef{node.parent, *name}));
  } else {
    indexes_.erase(index_key(node.parent, std::get<std::uint32_t>(node.step)));
  }
  *std::ranges::find(parent.children, id) = parent.children.back();
  parent.children.pop_back();
}

std::size_t OperandTable::memory_bytes() const {
  std::size_t bytes = base::heap_bytes(nodes_) + base::heap_bytes(free_nodes_) +
                      base::heap_bytes(slots_) + base::heap_bytes(free_slots_) +
                      base::heap_bytes(names_) + base::heap_bytes(indexes_);
  // A name stands in its node and among the names.
  for (const PathNode& node : nodes_)
    bytes += base::heap_bytes(node.children) + 2 * bytes_of(node.step);
  for (const Slot& slot : slots_) bytes += bytes_of(slot.operand.path);
  return bytes;
}

}  // namespace weir::match::content
