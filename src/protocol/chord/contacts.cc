// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/contacts.h"

#include <algorithm>
#include <cstdint>

namespace weir::protocol::chord {

namespace {

constexpr std::uint64_t kFirstTurnsMax = 1024;

}  // namespace

void Contacts::start() { turn_ = member_.prng.next() % kFirstTurnsMax; }

bool Contacts::is_founder() const {
  const std::vector<NodeId>& contacts = member_.options.contacts;
  const NodeId self = member_.options.self;
  return std::ranges::all_of(contacts, [self](NodeId node) { return node == self; }) ||
         contacts.front() == self;
}

std::optional<NodeId> Contacts::next() {
  std::vector<NodeId> contacts;
  for (const NodeId contact : member_.options.contacts) {
    if (contact != member_.options.self) contacts.push_back(contact);
  }
  std::vector<NodeId> others = remembered_;
  for (const Finger& finger : member_.table.fingers()) others.push_back(finger.peer.node);
  const std::size_t turn = turn_++;
  const bool is_contacts_turn = turn % 2 == 0 || others.empty();
  const std::vector<NodeId>& chosen = is_contacts_turn && !contacts.empty() ? contacts : others;
  if (chosen.empty()) return std::nullopt;
  return chosen[(others.empty() ? turn : turn / 2) % chosen.size()];
}

void Contacts::remember(NodeId node) {
  if (std::ranges::find(remembered_, node) != remembered_.end()) return;
  if (remembered_.size() == member_.options.remembered_max) {
    remembered_.erase(remembered_.begin() +
                      static_cast<std::ptrdiff_t>(member_.prng.next() % remembered_.size()));
  }
  remembered_.push_back(node);
}

void Contacts::forget(NodeId node) { std::erase(remembered_, node); }

}  // namespace weir::protocol::chord
