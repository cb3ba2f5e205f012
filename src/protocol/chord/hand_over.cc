// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/hand_over.h"

#include <cstddef>
#include <utility>

namespace weir::protocol::chord {

namespace {

constexpr std::size_t kItemOverheadBytes = 32;

bool is_too_large(const KeyItem& item) { return item.bytes.size() > kItemBytesMax; }

}  // namespace

std::vector<KeyItem> HandOver::collect(KeyArc arc) const {
  std::vector<KeyItem> items;
  std::as_const(application_).get().collect(member_.table.ring(), arc, items);
  std::erase_if(items, is_too_large);
  return items;
}

bool HandOver::go_on(const Turn& turn) {
  const RingTable& table = member_.table;
  if (member_.requests.has(Purpose::kChunk)) return false;
  const std::optional<Peer> predecessor = table.predecessor();
  const Key self = table.self().id;
  if (member_.phase == RingMember::Phase::kLeaving) {
    if (!table.successor() && !table.is_alone()) return false;
    if (table.successor()) send_chunk(turn, *table.successor(), {.after = self, .last = self});
    return !member_.requests.has(Purpose::kChunk);
  }
  if (predecessor && predecessors_keys_) {
    send_chunk(turn, *predecessor, *predecessors_keys_);
    if (member_.requests.has(Purpose::kChunk)) return false;
  }
  if (!member_.is_settled() || !predecessor || member_.requests.has(Purpose::kItemsHome)) {
    return false;
  }
  const std::vector<KeyItem> strays = collect({.after = self, .last = predecessor->id});
  if (!strays.empty()) questions_.find(turn, Purpose::kItemsHome, strays.front().key);
  return false;
}

void HandOver::send_chunk(const Turn& turn, const Peer& target, KeyArc arc) {
  if (member_.requests.has(Purpose::kChunk) || target.node == member_.options.self) return;
  std::size_t bytes = 0;
  std::vector<KeyItem> chunk;
  for (KeyItem& item : collect(arc)) {
    const std::size_t item_bytes = item.bytes.size() + kItemOverheadBytes;
    const bool fits = bytes + item_bytes <= member_.options.chunk_bytes_max || chunk.empty();
    if (!fits || chunk.size() == kItemsMax) break;
    bytes += item_bytes;
    chunk.push_back(std::move(item));
  }
  if (!chunk.empty()) questions_.send_chunk(turn, target, std::move(chunk));
}

void HandOver::on(const Turn& turn, NodeId source, const Items& message) {
  if (member_.phase != RingMember::Phase::kMember) return turn.effects.drop(DropReason::kHomeless);
  for (const KeyItem& item : message.items) {
    if (!member_.table.ring().has(item.key)) return turn.effects.drop(DropReason::kNonsense);
  }
  application_.run(turn.now, [&](Application& application, const auto& step) {
    application.absorb(step, message.items);
  });
  turn.effects.send(source, Kept{.number = message.number});
}

bool HandOver::on(const Turn& turn, NodeId source, const Kept& message) {
  const auto chunk = questions_.take(turn, source, message);
  if (!chunk) return false;
  application_.run(turn.now, [&](Application& application, const auto& step) {
    application.forget(step, *chunk);
  });
  return true;
}

}  // namespace weir::protocol::chord
