// SPDX-License-Identifier: Apache-2.0
#include "protocol/tree/children.h"

#include <utility>

#include "base/check.h"

namespace weir::protocol::tree {

namespace {

// Removes the children that satisfy `is_ended`. Returns true if one of them was not gone.
template <typename Condition>
bool remove_if(std::map<NodeId, Child>& map, const Condition& is_ended) {
  bool has_ended = false;
  std::erase_if(map, [&](const auto& entry) {
    const Child& child = entry.second;
    if (!is_ended(child)) return false;
    has_ended |= !child.is_gone;
    return true;
  });
  return has_ended;
}

}  // namespace

Child* Children::find(NodeId node) {
  const auto found = map_.find(node);
  return found == map_.end() ? nullptr : &found->second;
}

Child& Children::put(NodeId node, Child child) {
  WEIR_CHECK(has_room_for(node));
  note_end(child.lease_until);
  return map_[node] = std::move(child);
}

void Children::renew(Child& child, base::Instant lease_until) {
  child.lease_until = lease_until;
  note_end(lease_until);
}

bool Children::end_leases(base::Instant now) {
  if (!next_end_ || now < *next_end_) return false;
  const bool has_ended =
      remove_if(map_, [now](const Child& child) { return child.lease_until <= now; });
  next_end_.reset();
  for (const auto& [node, child] : map_) note_end(child.lease_until);
  return has_ended;
}

bool Children::end_up_to_distance(std::uint64_t distance) {
  return remove_if(map_, [distance](const Child& child) { return child.distance <= distance; });
}

void Children::note_end(base::Instant lease_until) {
  if (!next_end_ || lease_until < *next_end_) next_end_ = lease_until;
}

}  // namespace weir::protocol::tree
