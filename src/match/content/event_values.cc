// SPDX-License-Identifier: Apache-2.0
#include "match/content/event_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <string>
#include <variant>

#include "base/heap_bytes.h"
#include "filter/evaluate.h"

namespace weir::match::content {
namespace {

using event::JsonKind;
using event::JsonRef;
using event::Value;
using event::ValueKind;

// Up to so many children are looked up in the event rather than the event's members in the trie.
constexpr std::size_t kFewChildren = 4;
// So many places of an object are remembered, with names of up to this length.
constexpr std::size_t kPlaceCountMax = 256;
constexpr std::size_t kNameBytesMax = 64;

bool is_few(const PathNode& node) { return node.children.size() <= kFewChildren; }

template <typename Word>
bool ends_are_same(const char* left, const char* right, std::size_t size) {
  const auto load = [](const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
  };
  const std::size_t last = size - sizeof(Word);
  return load(left) == load(right) && load(left + last) == load(right + last);
}

// As ==, without a call for the short names that most members have.
bool is_same(std::string_view left, std::string_view right) {
  const std::size_t size = left.size();
  if (size != right.size()) return false;
  if (size >= 2 && size <= 4) return ends_are_same<std::uint16_t>(left.data(), right.data(), size);
  if (size >= 5 && size <= 8) return ends_are_same<std::uint32_t>(left.data(), right.data(), size);
  return left == right;
}

}  // namespace

void EventValues::begin(const event::Event& event) {
  event_ = &event;
  clear();
  walk_attributes();
  const PathNode& data = vocabulary_.operands().node(OperandTable::kData);
  if (data.use_count > 0 && event.data()) {
    walk(OperandTable::kData, event.data());
  } else if (data.use_count > 0 && event.data_kind() != event::DataKind::kNone) {
    fill(data, {});
  }
  take_all();
  finish_look_ups();
  if (!many_.empty()) take_many();
}

void EventValues::clear() {
  for (const SlotId slot : filled_) {
    values_[slot] = {};
    for (std::uint32_t kind = 0; kind < kColumnKindCount; ++kind) {
      codes_[slot * kColumnKindCount + kind] = kMissingCode;
    }
  }
  filled_.clear();
  if (!many_.empty()) many_.clear();
  points_.clear();
  ordered_columns_.clear();
  const OperandTable& operands = vocabulary_.operands();
  if (values_.size() < operands.slot_bound()) {
    values_.resize(operands.slot_bound());
    codes_.resize(operands.slot_bound() * kColumnKindCount);
  }
  if (revision_ != operands.revision()) {
    revision_ = operands.revision();
    guesses_.assign(operands.node_bound(), {});
  }
}

inline EventValues::Way EventValues::way_to(NodeId parent, std::string_view name,
                                            std::size_t place) {
  const std::vector<Guess>& guesses = guesses_[parent];
  if (place < guesses.size() && is_same(guesses[place].name, name)) return guesses[place].way;
  return learn_way(parent, name, place);
}

void EventValues::walk_attributes() {
  const OperandTable& operands = vocabulary_.operands();
  const PathNode& attributes = operands.node(OperandTable::kAttributes);
  if (is_few(attributes)) {
    for (const NodeId child : attributes.children) fill(operands.node(child), {});
    return;
  }
  std::size_t place = 0;
  for (const event::Attribute& attribute : event_->attributes()) {
    const Way way = way_to(OperandTable::kAttributes, attribute.name, place++);
    if (way.child != kNoId) fill(operands.node(way.child), {});
  }
}

// The depth is that of the paths, which is bounded.
void EventValues::walk(NodeId id, JsonRef json) {
  const OperandTable& operands = vocabulary_.operands();
  const PathNode& node = operands.node(id);
  fill(node, json);
  if (node.every != kNoId) walk_every(node.every, json);
  if (node.children.empty()) return;
  if (is_few(node)) {
    for (const NodeId child : node.children) {
      if (const JsonRef there = json.step(operands.node(child).step)) walk(child, there);
    }
  } else if (json.kind() == JsonKind::kObject) {
    walk_members(id, json);
  } else if (json.kind() == JsonKind::kArray) {
    walk_elements(id, json);
  }
}

void EventValues::walk_members(NodeId id, JsonRef json) {
  std::size_t place = 0;
  json.for_each_member([&](JsonRef name, JsonRef member) {
    const Way way = way_to(id, name.string(), place++);
    if (way.only_slot != kNoId) {
      // Made where it stays: values are too short-lived to be copied.
      ::new (&values_[way.only_slot]) Value(member.value());
      filled_.push_back(way.only_slot);
    } else if (way.child != kNoId) {
      walk(way.child, member);
    }
  });
}

void EventValues::walk_elements(NodeId id, JsonRef json) {
  std::uint32_t index = 0;
  json.for_each_element([&](JsonRef element) {
    const NodeId child = vocabulary_.operands().child(id, index++);
    if (child != kNoId) walk(child, element);
  });
}

// Elements, and all below them: there may be several of each.
void EventValues::walk_every(NodeId id, JsonRef json) {
  if (json.kind() != JsonKind::kArray) return;
  json.for_each_element([&](JsonRef element) { walk_many(id, element); });
}

void EventValues::walk_many(NodeId id, JsonRef json) {
  const OperandTable& operands = vocabulary_.operands();
  const PathNode& node = operands.node(id);
  if (!may_visit(id, node)) return;
  many_.add(node, json);
  if (node.every != kNoId) walk_every(node.every, json);
  if (is_few(node)) {
    for (const NodeId child : node.children) {
      if (const JsonRef there = json.step(operands.node(child).step)) walk_many(child, there);
    }
  } else if (json.kind() == JsonKind::kObject) {
    json.for_each_member([&](JsonRef name, JsonRef member) {
      const NodeId child = operands.child(id, name.string());
      if (child != kNoId) walk_many(child, member);
    });
  } else if (json.kind() == JsonKind::kArray) {
    std::uint32_t index = 0;
    json.for_each_element([&](JsonRef element) {
      const NodeId child = operands.child(id, index++);
      if (child != kNoId) walk_many(child, element);
    });
  }
}

// Nodes of the slot's path from the first [*] on.
template <typename Use>
void EventValues::for_each_element_node(SlotId slot, Use use) {
  const OperandTable& operands = vocabulary_.operands();
  std::vector<NodeId> way;
  std::size_t first = 0;  // one past the outermost [*]
  for (NodeId id = operands.slot(slot).node; id != OperandTable::kData;
       id = operands.node(id).parent) {
    way.push_back(id);
    if (operands.node(operands.node(id).parent).every == id) first = way.size();
  }
  if (node_uses_.size() < operands.node_bound()) node_uses_.resize(operands.node_bound());
  for (std::size_t i = 0; i < first; ++i) use(node_uses_[way[i]]);
}

void EventValues::add_payer(SlotId slot, WorkBudget* payer) {
  for_each_element_node(slot, [&](NodeUse& node) {
    if (payer == nullptr) {
      ++node.unlimited;
      return;
    }
    const auto found =
        std::ranges::find(node.payers, payer, &decltype(node.payers)::value_type::first);
    if (found != node.payers.end()) {
      ++found->second;
    } else {
      node.payers.emplace_back(payer, 1);
    }
  });
}

void EventValues::remove_payer(SlotId slot, WorkBudget* payer) {
  for_each_element_node(slot, [&](NodeUse& node) {
    if (payer == nullptr) {
      --node.unlimited;
      return;
    }
    const auto found =
        std::ranges::find(node.payers, payer, &decltype(node.payers)::value_type::first);
    if (--found->second == 0) node.payers.erase(found);
  });
}

// Whether somebody pays for a look at one more element.
bool EventValues::may_visit(NodeId id, const PathNode& node) {
  if (id >= node_uses_.size()) return true;
  const NodeUse& use = node_uses_[id];
  if (use.payers.empty()) return true;
  std::uint64_t cost = steps::kElement;
  for (const SlotId slot : node.slots) cost += slot != kNoId ? steps::kValue : 0;
  bool is_paid = use.unlimited > 0;
  for (const auto& [payer, count] : use.payers) is_paid = payer->charge(cost) || is_paid;
  return is_paid;
}

// Says all that filters may ask about slots of several values.
void EventValues::take_many() {
  many_.finish();
  points_.insert(points_.end(), many_.points().begin(), many_.points().end());
  for (const SlotId slot : many_.slots()) {
    codes_[column_of(slot, ColumnKind::kPoint)] = kOtherCode;
    filled_.push_back(slot);
  }
  for (const ManyValues::Column& column : many_.columns()) codes_[column.id] = kManyCode;
}

EventValues::Way EventValues::learn_way(NodeId parent, std::string_view name, std::size_t place) {
  std::vector<Guess>& guesses = guesses_[parent];
  const Way way = find_way(parent, name);
  if (place >= kPlaceCountMax || name.size() > kNameBytesMax) return way;
  if (place >= guesses.size()) guesses.resize(place + 1);
  guesses[place] = {std::string(name), way};
  return way;
}

EventValues::Way EventValues::find_way(NodeId parent, std::string_view name) const {
  const NodeId child = vocabulary_.operands().child(parent, name);
  if (child == kNoId) return {};
  const PathNode& node = vocabulary_.operands().node(child);
  const bool has_only_one = node.use_count == 1 && node.slots[0] != kNoId;
  return {child, has_only_one ? node.slots[0] : kNoId};
}

// The slots of a node; of its own JSON value, if it lies inside data.
void EventValues::fill(const PathNode& node, JsonRef json) {
  const bool is_inside = json && node.parent != kNoId;
  for (std::size_t i = 0; i < node.slots.size(); ++i) {
    const SlotId slot = node.slots[i];
    if (slot == kNoId) continue;
    // Made where it stays: values are too short-lived to be copied.
    if (i == 0 && is_inside) {
      ::new (&values_[slot]) Value(json.value());
    } else {
      ::new (&values_[slot])
          Value(filter::resolve(vocabulary_.operands().slot(slot).operand, *event_));
    }
    if (!values_[slot].missing()) filled_.push_back(slot);
  }
}

// Says all that filters may ask about the values that are there. Integers, of which there are most,
// are all looked up here.
void EventValues::take_all() {
  const PointIndex& points = vocabulary_.points();
  integer_look_ups_.resize(filled_.size());
  IntegerLookUp* asked = integer_look_ups_.data();
  for (const SlotId slot : filled_) {
    const SlotUses& uses = vocabulary_.uses(slot);
    const Value& value = values_[slot];
    codes_[column_of(slot, ColumnKind::kPoint)] = kOtherCode;
    if (uses.present != kNoId) points_.push_back(uses.present);
    if (value.kind() != ValueKind::kInt) {
      take(slot, value, uses);
      continue;
    }
    if (uses.numbers > 0) set_ordered(column_of(slot, ColumnKind::kNumber), number_code(value));
    if (uses.values == 0) continue;
    const auto bits = static_cast<std::uint64_t>(value.as_int());
    const std::uint64_t hash = PointIndex::hash_of_integer(slot, bits);
    points.prefetch(hash);
    *asked++ = {bits, hash, slot};
  }
  integer_look_ups_.resize(static_cast<std::size_t>(asked - integer_look_ups_.data()));
}

// The same for any value but an integer.
void EventValues::take(SlotId slot, const Value& value, const SlotUses& uses) {
  if (uses.values > 0) look_up_value(slot, value);
  if (uses.numbers > 0 && value.kind() == ValueKind::kDouble && !std::isnan(value.as_double())) {
    set_ordered(column_of(slot, ColumnKind::kNumber), number_code(value));
  } else if (uses.times > 0 && value.kind() == ValueKind::kTimestamp) {
    set_ordered(column_of(slot, ColumnKind::kTime), time_code(value.as_timestamp()));
  } else if (value.kind() == ValueKind::kString) {
    look_up_affixes(slot, value.as_string(), uses);
  }
}

void EventValues::look_up_affixes(SlotId slot, std::string_view text, const SlotUses& uses) {
  for (const SlotUses::Length& length : uses.prefixes) {
    if (length.bytes > text.size()) break;
    look_up(prefix_point(slot, text.substr(0, length.bytes)));
  }
  for (const SlotUses::Length& length : uses.suffixes) {
    if (length.bytes > text.size()) break;
    look_up(suffix_point(slot, text.substr(text.size() - length.bytes)));
  }
}

void EventValues::look_up_value(SlotId slot, const Value& value) {
  LookUp& asked = look_ups_.emplace_back();
  if (!make_point(slot, value, asked.point)) return look_ups_.pop_back();
  asked.hash = asked.point.hash();
  vocabulary_.points().prefetch(asked.hash);
}

void EventValues::look_up(const PointView& point) {
  look_ups_.push_back({point, point.hash()});
  vocabulary_.points().prefetch(look_ups_.back().hash);
}

void EventValues::finish_look_ups() {
  for (const LookUp& asked : look_ups_) {
    const PointId found = vocabulary_.points().find(asked.point, asked.hash);
    if (found == kNoId) continue;
    points_.push_back(found);
    if (asked.point.kind > PointView::Kind::kString) continue;
    codes_[column_of(asked.point.slot, ColumnKind::kPoint)] = point_code(found);
  }
  look_ups_.clear();
  finish_integer_look_ups();
}

// Without a branch on whether a filter names the integer, which is hard to foresee.
void EventValues::finish_integer_look_ups() {
  std::size_t count = points_.size();
  points_.resize(count + integer_look_ups_.size());
  for (const auto& [bits, hash, slot] : integer_look_ups_) {
    const PointId found = vocabulary_.points().find_integer(slot, bits, hash);
    points_[count] = found;
    count += found != kNoId ? 1U : 0U;
    codes_[column_of(slot, ColumnKind::kPoint)] = found != kNoId ? point_code(found) : kOtherCode;
  }
  points_.resize(count);
  integer_look_ups_.clear();
}

void EventValues::set_ordered(ColumnId column, Code code) {
  codes_[column] = code;
  ordered_columns_.push_back(column);
}

std::size_t EventValues::memory_bytes() const {
  std::size_t bytes = base::heap_bytes(codes_) + base::heap_bytes(values_) +
                      base::heap_bytes(filled_) + base::heap_bytes(look_ups_) +
                      base::heap_bytes(integer_look_ups_) + base::heap_bytes(points_) +
                      base::heap_bytes(ordered_columns_) + base::heap_bytes(guesses_) +
                      many_.memory_bytes();
  for (const auto& guesses : guesses_) {
    bytes += base::heap_bytes(guesses);
    for (const Guess& guess : guesses) bytes += base::heap_bytes(guess.name);
  }
  return bytes;
}

}  // namespace weir::match::content
