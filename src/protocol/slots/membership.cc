// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/membership.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "protocol/slots/options.h"

namespace weir::protocol::slots {

Membership::News Membership::hear(base::Instant now, NodeId source, const Heartbeat& heartbeat) {
  const auto known = members_.find(source);
  const bool is_new = known == members_.end() || heartbeat.incarnation > known->second.incarnation;
  if (!is_new && std::tie(heartbeat.incarnation, heartbeat.beat) <=
                     std::tie(known->second.incarnation, known->second.beat)) {
    return News::kStale;
  }
  if (known == members_.end() && members_.size() >= kMembersMax) return News::kTooMany;
  Member& member = members_[source];
  if (is_new) member.taken_number = 0;
  member.name = heartbeat.name;
  member.incarnation = heartbeat.incarnation;
  member.beat = heartbeat.beat;
  member.state = heartbeat.state;
  member.view = heartbeat.view;
  member.heard_at = now;
  return is_new ? News::kNew : News::kKnown;
}

void Membership::expire(base::Instant now, base::Duration lease, NodeId self) {
  for (auto entry = members_.begin(); entry != members_.end();) {
    auto& [id, member] = *entry;
    // A clock that was set back must not extend a lease.
    member.heard_at = std::min(member.heard_at, now);
    const bool is_gone = id != self && now - member.heard_at > lease;
    entry = is_gone ? members_.erase(entry) : std::next(entry);
  }
}

void Membership::clear() {
  members_.clear();
  active_.clear();
  owners_.clear();
  view_ = 0;
}

const Member* Membership::find(NodeId id) const {
  const auto found = members_.find(id);
  return found != members_.end() ? &found->second : nullptr;
}

Member* Membership::find(NodeId id) {
  const auto found = members_.find(id);
  return found != members_.end() ? &found->second : nullptr;
}

bool Membership::update_view() {
  active_.clear();
  for (const auto& [id, member] : members_) {
    if (member.state == MemberState::kActive) active_.push_back(id);
  }
  std::ranges::sort(active_, {}, [this](NodeId id) {
    return std::pair<std::string_view, NodeId>(members_.at(id).name, id);
  });
  const std::uint64_t view = hash_of_active();
  if (view == view_) return false;
  view_ = view;
  owners_.clear();
  for (std::uint32_t slot = 0; slot < kSlotCount && !active_.empty(); ++slot) {
    owners_.push_back(owner_by_weight(slot));
  }
  return true;
}

bool Membership::agrees() const {
  return std::ranges::all_of(active_, [this](NodeId id) { return members_.at(id).view == view_; });
}

std::optional<NodeId> Membership::owner(std::uint32_t slot) const {
  if (owners_.empty()) return {};
  return owners_[slot];
}

std::uint64_t Membership::hash_of_active() const {
  if (active_.empty()) return 0;
  base::ByteWriter writer;
  for (const NodeId id : active_) {
    writer.u64(id.value);
    writer.u64(members_.at(id).incarnation);
    writer.text(members_.at(id).name);
  }
  return base::hash_bytes(writer.bytes());
}

NodeId Membership::owner_by_weight(std::uint32_t slot) const {
  const auto weight = [&](NodeId id) {
    return std::tuple(base::hash_bytes(members_.at(id).name, slot), id);
  };
  return *std::ranges::max_element(active_, {}, weight);
}

}  // namespace weir::protocol::slots
