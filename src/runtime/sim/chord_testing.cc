// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/chord_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace weir::runtime::sim {

using base::Duration;
using protocol::Key;
using protocol::NodeId;
using protocol::chord::ChordNode;
using protocol::chord::ChordOptions;
using protocol::chord::Finger;
using protocol::chord::Peer;
using protocol::chord::RingTable;
using protocol::probe::ProbeApplication;

namespace {

void sort_by_id(std::vector<Peer>& members) {
  std::sort(members.begin(), members.end(),
            [](const Peer& a, const Peer& b) { return a.id < b.id; });
}

}  // namespace

std::size_t home_index(const std::vector<Peer>& members, Key key) {
  const auto home = std::lower_bound(members.begin(), members.end(), key,
                                     [](const Peer& peer, Key wanted) { return peer.id < wanted; });
  return home == members.end() ? 0 : static_cast<std::size_t>(home - members.begin());
}

ChordWorld::ChordWorld(const Options& options) : options_(options) {
  using Made = std::unique_ptr<protocol::Node>;
  sim_ = std::make_unique<Simulator>(options.sim, [this](NodeId node, std::uint64_t seed) -> Made {
    if (stranger_) return std::move(stranger_);
    auto made = std::make_unique<ChordNode>(options_of(node), seed,
                                            std::make_unique<ProbeApplication>(options_.probe));
    if (!to_settle_.empty()) made->settle(to_settle_);
    return made;
  });
}

ChordOptions ChordWorld::options_of(NodeId node) const {
  ChordOptions options = options_.chord;
  options.self = node;
  options.name = fmt::format("member {}", node.value);
  for (std::size_t i = 1; i <= options_.contact_count; ++i) options.contacts.push_back({i});
  return options;
}

NodeId ChordWorld::add_stranger(std::unique_ptr<protocol::Node> stranger) {
  stranger_ = std::move(stranger);
  return sim_->add();
}

std::vector<Peer> ChordWorld::first_members(std::size_t count) const {
  std::vector<Peer> members;
  for (std::size_t i = 1; i <= count; ++i) members.push_back(peer({i}));
  sort_by_id(members);
  return members;
}

void ChordWorld::add_settled(std::size_t count) {
  to_settle_ = first_members(count);
  for (std::size_t i = 0; i < count; ++i) sim_->add();
  to_settle_.clear();
}

// Each member knows only its two neighbours in the loop.
void ChordWorld::add_loop(std::size_t count, std::size_t turn_count) {
  const std::vector<Peer> members = first_members(count);
  std::vector<Peer> loop;
  for (std::size_t turn = 0; turn < turn_count; ++turn) {
    for (std::size_t i = turn; i < count; i += turn_count) loop.push_back(members[i]);
  }
  for (std::size_t node = 1; node <= count; ++node) {
    const auto self = std::find(loop.begin(), loop.end(), peer({node}));
    const auto index = static_cast<std::size_t>(self - loop.begin());
    to_settle_ = {loop[(index + count - 1) % count], loop[index], loop[(index + 1) % count]};
    sort_by_id(to_settle_);
    sim_->add();
  }
  to_settle_.clear();
}

ChordNode& ChordWorld::node(NodeId node) const {
  return dynamic_cast<ChordNode&>(sim_->node(node));
}

ProbeApplication& ChordWorld::probe(NodeId node) const {
  return dynamic_cast<ProbeApplication&>(this->node(node).application());
}

bool ChordWorld::is_member(NodeId node) const {
  const auto* member = dynamic_cast<ChordNode*>(&sim_->node(node));
  return member != nullptr && sim_->is_up(node) && !member->has_left();
}

Peer ChordWorld::peer(NodeId node) const {
  const ChordOptions options = options_of(node);
  return {.node = node, .id = protocol::Ring(options.ring_bits).key_of(options.name)};
}

std::vector<Peer> ChordWorld::members() const {
  std::vector<Peer> members;
  for (std::size_t i = 1; i <= sim_->node_count(); ++i) {
    if (is_member({i})) members.push_back(peer({i}));
  }
  sort_by_id(members);
  return members;
}

namespace {

// By definition: the homes of the keys 2^i further on, without the member itself.
std::set<Peer> fingers_by_definition(const RingTable& table, const std::vector<Peer>& members) {
  std::set<Peer> fingers;
  for (unsigned i = 0; i < table.ring().bits(); ++i) {
    const Key key = table.ring().plus(table.self().id, std::uint64_t{1} << i);
    fingers.insert(members[home_index(members, key)]);
  }
  fingers.erase(table.self());
  return fingers;
}

std::set<Peer> fingers_of(const RingTable& table) {
  std::set<Peer> fingers;
  for (const Finger& finger : table.fingers()) fingers.insert(finger.peer);
  if (table.successor()) fingers.insert(*table.successor());
  return fingers;
}

}  // namespace

std::string ChordWorld::fault_of(const std::vector<Peer>& members, std::size_t index) const {
  const std::size_t count = members.size();
  const Peer self = members[index];
  const ChordNode& member = node(self.node);
  const RingTable& table = member.table();
  const auto at = [&](std::size_t i) { return members[i % count]; };
  std::vector<Peer> successors;
  for (std::size_t i = 1; i < count && i <= options_.chord.successors_max; ++i) {
    successors.push_back(at(index + i));
  }
  const std::optional<Peer> predecessor =
      count == 1 ? std::optional<Peer>{} : at(index + count - 1);
  const auto name = [](const std::optional<Peer>& peer) { return peer ? peer->node.value : 0; };
  if (table.predecessor() != predecessor) {
    return fmt::format("{}: predecessor {} is not {}", self.node.value, name(table.predecessor()),
                       name(predecessor));
  }
  if (table.successors() != successors) {
    return fmt::format("{}: its {} successors from {} on are not those from {} on", self.node.value,
                       table.successors().size(), name(table.successor()), name(at(index + 1)));
  }
  if (fingers_of(table) != fingers_by_definition(table, members)) {
    return fmt::format("{}: fingers", self.node.value);
  }
  for (const Finger& finger : table.fingers()) {
    const std::size_t home = home_index(members, finger.peer.id);
    if (finger.predecessor != at(home + count - 1).id) {
      return fmt::format("{}: the member before finger {}", self.node.value,
                         finger.peer.node.value);
    }
  }
  if (!member.is_settled()) return fmt::format("{}: not settled", self.node.value);
  return {};
}

std::string ChordWorld::fault() const {
  const std::vector<Peer> members = this->members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (std::string fault = fault_of(members, i); !fault.empty()) return fault;
  }
  return {};
}

std::string ChordWorld::overlap() const {
  const std::vector<Peer> members = this->members();
  for (const Peer& a : members) {
    for (const Peer& b : members) {
      // Both must not answer for the last key of one of them.
      if (a != b && node(a.node).is_home(a.id) && node(b.node).is_home(a.id)) {
        return fmt::format("{} and {} both answer", a.node.value, b.node.value);
      }
    }
  }
  return {};
}

std::string ChordWorld::run_until_ideal(Duration longest) {
  const base::Instant end = sim_->now() + longest;
  std::string fault = this->fault();
  while (!fault.empty() && sim_->now() < end) {
    run(Duration::seconds(1));
    fault = this->fault();
  }
  return fault;
}

}  // namespace weir::runtime::sim
