// SPDX-License-Identifier: Apache-2.0
// OperandTable: every place in an event that some filter looks at, once, as a slot in a path trie.
//
//   type = 'a' and data.x.y > 1 and string(data.x.y) prefix '2'
//
//   attributes -- type (slot 0)
//   data ------- x -- y (slot 1: as it is, slot 2: string)
//
// A slot whose path has [*] may have several values in one event.
// A slot lives as long as a filter uses it; a node as long as a slot lies at it or below.
// Acquiring costs one hash look-up per step.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "filter/ast.h"
#include "match/content/ids.h"

namespace weir::match::content {

struct PathNode {
  NodeId parent = kNoId;
  event::Path::Step step = {};        // an attribute's or member's name, an index, or [*]
  std::vector<NodeId> children = {};  // but for [*]
  NodeId every = kNoId;               // the child [*]
  std::array<SlotId, 3> slots = {kNoId, kNoId, kNoId};  // by conversion, that to nothing first
  std::uint32_t use_count = 0;                          // slots and children
};

struct Slot {
  filter::Operand operand = {};
  NodeId node = kNoId;
  std::uint32_t use_count = 0;
};

class OperandTable {
 public:
  static constexpr NodeId kAttributes = 0;  // the parent of all attributes
  static constexpr NodeId kData = 1;        // the path `data`

  OperandTable();

  // Each acquire needs one release.
  SlotId acquire(const filter::Operand& operand);
  // As acquire(), for a slot that is in use.
  void acquire_again(SlotId id) { ++slots_[id].use_count; }
  void release(SlotId id);

  const Slot& slot(SlotId id) const { return slots_[id]; }
  // True if the slot may have several values.
  bool is_many(SlotId id) const { return slots_[id].operand.path.is_many(); }
  const PathNode& node(NodeId id) const { return nodes_[id]; }
  // The child of that name or index; kNoId if there is none.
  NodeId child(NodeId parent, std::string_view name) const;
  NodeId child(NodeId parent, std::uint32_t index) const;

  // One more than the largest id in use so far.
  std::size_t slot_bound() const { return slots_.size(); }
  std::size_t node_bound() const { return nodes_.size(); }
  std::size_t slot_count() const { return slots_.size() - free_slots_.size(); }
  // Grows whenever a node or slot comes or goes.
  std::uint64_t revision() const { return revision_; }
  std::size_t memory_bytes() const;

 private:
  struct NameRef {
    NodeId parent;
    std::string_view name;
  };
  struct Name {
    NodeId parent;
    std::string name;
  };
  struct NameHash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(const NameRef& ref) const;
    std::size_t operator()(const Name& name) const {
      return (*this)(NameRef{name.parent, name.name});
    }
  };
  struct NameEqual {
    using is_transparent = void;
    bool operator()(const auto& left, const auto& right) const {
      return left.parent == right.parent && left.name == right.name;
    }
  };

  NodeId child(NodeId parent, const event::Path::Step& step) const;
  NodeId make_node(const event::Path& path);
  NodeId make_child(NodeId parent, const event::Path::Step& step);
  void drop_unused(NodeId id);
  void unlink(NodeId id);

  std::vector<PathNode> nodes_;
  std::vector<NodeId> free_nodes_;
  std::vector<Slot> slots_;
  std::vector<SlotId> free_slots_;
  boost::unordered_flat_map<Name, NodeId, NameHash, NameEqual> names_;
  boost::unordered_flat_map<std::uint64_t, NodeId> indexes_;  // by parent and index
  std::uint64_t revision_ = 0;
};

}  // namespace weir::match::content
