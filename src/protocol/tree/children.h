// SPDX-License-Identifier: Apache-2.0
// Children: the members that report to this one, each until its lease ends.
//
// A child that left is kept as gone until its lease ends, so a late report does not bring it back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/instant.h"
#include "protocol/effects.h"

namespace weir::protocol::tree {

struct Child {
  std::uint64_t session = 0;
  std::uint64_t distance = 0;
  std::uint64_t number = 0;  // number of its last report
  std::uint64_t member_count = 0;
  std::string summary;
  base::Instant lease_until;
  std::optional<base::Instant> result_sent_at;
  bool is_gone = false;
};

class Children {
 public:
  explicit Children(std::size_t count_max) : count_max_(count_max) {}

  Child* find(NodeId node);
  bool has_room_for(NodeId node) const { return map_.size() < count_max_ || map_.contains(node); }
  // Adds or replaces the child. Requires room for it.
  Child& put(NodeId node, Child child);
  void renew(Child& child, base::Instant lease_until);

  // Both return true if they removed a child that was not gone.
  bool end_leases(base::Instant now);
  bool end_up_to_distance(std::uint64_t distance);

  // Returns an instant before which no lease ends; nullopt without children.
  std::optional<base::Instant> next_end() const { return next_end_; }
  const std::map<NodeId, Child>& map() const { return map_; }
  std::map<NodeId, Child>& map() { return map_; }

 private:
  void note_end(base::Instant lease_until);

  std::size_t count_max_;
  std::map<NodeId, Child> map_;
  std::optional<base::Instant> next_end_;
};

}  // namespace weir::protocol::tree
