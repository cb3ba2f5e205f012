// SPDX-License-Identifier: Apache-2.0
// Hand-over: what lies here and belongs elsewhere goes to its home, a chunk at a time.
//
// A chunk is repeated until it is acknowledged, and forgotten only then. The predecessor says which
// keys are its own, and is not settled before it has got them; for the rest, as after a merge, the
// home of the first item is looked up. A leaver's items go to its successor. What is larger than
// kItemBytesMax stays where it is.
#include <utility>

#include "protocol/chord/chord_node.h"

namespace weir::protocol::chord {

namespace {

constexpr std::size_t kItemOverheadBytes = 32;

bool is_too_large(const KeyItem& item) { return item.bytes.size() > kItemBytesMax; }

}  // namespace

std::vector<KeyItem> ChordNode::collect(KeyArc arc) const {
  std::vector<KeyItem> items;
  application_->collect(table_.ring(), arc, items);
  std::erase_if(items, is_too_large);
  return items;
}

void ChordNode::move_items() {
  if (requests_.has(Purpose::kChunk)) return;
  const std::optional<Peer> predecessor = table_.predecessor();
  const Key self = table_.self().id;
  if (state_ == State::kLeaving) {
    if (!table_.successor() && !table_.is_alone()) return;
    if (table_.successor()) send_chunk(*table_.successor(), {.after = self, .last = self});
    if (!requests_.has(Purpose::kChunk)) say_goodbye();
    return;
  }
  if (predecessor && predecessors_keys_) {
    send_chunk(*predecessor, *predecessors_keys_);
    if (requests_.has(Purpose::kChunk)) return;
  }
  if (!is_settled() || !predecessor || requests_.has(Purpose::kItemsHome)) return;
  const std::vector<KeyItem> strays = collect({.after = self, .last = predecessor->id});
  if (!strays.empty()) find(Purpose::kItemsHome, strays.front().key);
}

// Nothing is sent if nothing lies there.
void ChordNode::send_chunk(const Peer& target, KeyArc arc) {
  if (requests_.has(Purpose::kChunk) || target.node == options_.self) return;
  std::size_t bytes = 0;
  chunk_.clear();
  for (KeyItem& item : collect(arc)) {
    const std::size_t item_bytes = item.bytes.size() + kItemOverheadBytes;
    const bool fits = bytes + item_bytes <= options_.chunk_bytes_max || chunk_.empty();
    if (!fits || chunk_.size() == kItemsMax) break;
    bytes += item_bytes;
    chunk_.push_back(std::move(item));
  }
  if (!chunk_.empty()) ask(Purpose::kChunk, target);
}

void ChordNode::on(NodeId source, const Items& message) {
  if (state_ != State::kMember) return drop(DropReason::kHomeless);
  for (const KeyItem& item : message.items) {
    if (!table_.ring().has(item.key)) return drop(DropReason::kNonsense);
  }
  application_->absorb(step(), message.items);
  send(source, Kept{.number = message.number});
}

void ChordNode::on(NodeId source, const Kept& message) {
  const Request* pending = requests_.find(message.number);
  if (pending == nullptr || pending->purpose != Purpose::kChunk || pending->target.node != source) {
    return drop(DropReason::kStale);
  }
  requests_.remove(message.number);
  application_->forget(step(), chunk_);
  chunk_.clear();
  move_items();
}

}  // namespace weir::protocol::chord
