// SPDX-License-Identifier: Apache-2.0
// ItemStore: the texts that a member keeps as the home of their keys. The newest version stays.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/application.h"
#include "protocol/probe/messages.h"

namespace weir::protocol::probe {

class ItemStore {
 public:
  using Step = Application::Step;

  explicit ItemStore(std::size_t count_max) : count_max_(count_max) {}

  // Returns false and drops kLimit if there is no room. An older version than the kept one counts
  // as kept.
  bool keep(const Step& step, Key key, Item item);
  std::optional<std::string> text_of(Key key) const;
  const std::map<Key, Item>& items() const { return items_; }

  // As in Application. Appends the items of an arc from its first key on, round the ring if needed.
  void collect(KeyArc arc, std::vector<KeyItem>& items) const;
  void absorb(const Step& step, std::span<const KeyItem> items);
  // Keeps a text that became newer after it was copied.
  void forget(const Step& step, std::span<const KeyItem> items);

 private:
  std::size_t count_max_;
  std::map<Key, Item> items_;
};

}  // namespace weir::protocol::probe
