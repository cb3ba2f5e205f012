// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/hand_over.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/slots/options.h"

namespace weir::protocol::slots {

namespace {

// Leaves room for the header and the counts of a message with one item.
constexpr std::size_t kItemBytesMax = kMessageBytesMax - 64;

}  // namespace

void HandOver::go_on(const Application::Step& step, const Membership& members,
                     base::Duration retry) {
  for (const NodeId id : members.active()) {
    if (id == self_) continue;
    Target& target = targets_[id];
    if (!target.sent) {
      fill(step, members, id, target);
    } else if (step.now - target.sent_at >= retry) {
      send(step, id, target);
    }
  }
}

bool HandOver::taken(const Application::Step& step, NodeId source, std::uint64_t number) {
  const auto found = targets_.find(source);
  if (found == targets_.end() || !found->second.sent || found->second.sent->number != number) {
    return false;
  }
  application_.forget(step, found->second.sent->items);
  found->second.sent.reset();
  return true;
}

bool HandOver::is_done() const {
  return std::ranges::all_of(targets_, [](const auto& entry) {
    const Target& target = entry.second;
    return target.next_slot == kSlotCount && target.items.empty() && !target.sent;
  });
}

void HandOver::send(const Application::Step& step, NodeId id, Target& target) {
  target.sent_at = step.now;
  step.effects.send(id, *target.sent);
}

void HandOver::fill(const Application::Step& step, const Membership& members, NodeId id,
                    Target& target) {
  while (target.items.size() < kChunkItemsMax && target.next_slot < kSlotCount) {
    if (members.owner(target.next_slot) == id) collect(step, target.next_slot, target);
    ++target.next_slot;
  }
  if (target.items.empty()) return;
  Items chunk{.number = ++number_, .items = {}};
  std::size_t bytes = 0;
  while (!target.items.empty() && chunk.items.size() < kChunkItemsMax) {
    bytes += target.items.front().bytes.size();
    if (bytes > kChunkBytesMax && !chunk.items.empty()) break;
    chunk.items.push_back(std::move(target.items.front()));
    target.items.pop_front();
  }
  target.sent = std::move(chunk);
  send(step, id, target);
}

void HandOver::collect(const Application::Step& step, std::uint32_t slot, Target& target) {
  std::vector<KeyItem> items;
  application_.collect(Ring(), arc_of(slot), items);
  std::ranges::sort(items, {}, &KeyItem::key);
  for (KeyItem& item : items) {
    if (item.bytes.size() > kItemBytesMax) {
      step.effects.drop(DropReason::kLimit);
    } else {
      target.items.push_back(std::move(item));
    }
  }
}

}  // namespace weir::protocol::slots
