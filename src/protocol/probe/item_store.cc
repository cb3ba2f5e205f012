// SPDX-License-Identifier: Apache-2.0
#include "protocol/probe/item_store.h"

#include <utility>

namespace weir::protocol::probe {

bool ItemStore::keep(const Step& step, Key key, Item item) {
  const auto found = items_.find(key);
  if (found != items_.end()) {
    if (found->second.version < item.version) found->second = std::move(item);
    return true;
  }
  if (items_.size() >= count_max_) {
    step.effects.drop(DropReason::kLimit);
    return false;
  }
  items_.emplace(key, std::move(item));
  return true;
}

std::optional<std::string> ItemStore::text_of(Key key) const {
  const auto found = items_.find(key);
  if (found == items_.end()) return {};
  return found->second.text;
}

void ItemStore::collect(KeyArc arc, std::vector<KeyItem>& items) const {
  const auto copy = [&](auto from, auto to) {
    for (; from != to; ++from) {
      items.push_back({.key = from->first, .bytes = encode_fields(from->second)});
    }
  };
  const auto first = items_.upper_bound(arc.after);
  const auto end = items_.upper_bound(arc.last);
  if (arc.after < arc.last) return copy(first, end);
  copy(first, items_.end());
  copy(items_.begin(), end);
}

void ItemStore::absorb(const Step& step, std::span<const KeyItem> items) {
  for (const KeyItem& item : items) {
    if (std::optional<Item> decoded = read_fields<Item>(item.bytes)) {
      keep(step, item.key, std::move(*decoded));
    } else {
      step.effects.drop(DropReason::kMalformed);
    }
  }
}

void ItemStore::forget(const Step& step, std::span<const KeyItem> items) {
  for (const KeyItem& item : items) {
    const std::optional<Item> copied = read_fields<Item>(item.bytes);
    if (!copied) {
      step.effects.drop(DropReason::kMalformed);
    } else if (const auto found = items_.find(item.key);
               found != items_.end() && found->second.version <= copied->version) {
      items_.erase(found);
    }
  }
}

}  // namespace weir::protocol::probe
