// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/world.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weir::runtime::sim {

using protocol::Key;
using protocol::NodeId;
using protocol::chord::Peer;

namespace {

constexpr std::uint64_t kContactCount = 3;
constexpr std::uint64_t kWorldSalt = 0x776F726C64U;

}  // namespace

World::World(const Scenario& scenario)
    : maker_(scenario.members, scenario.work.adds > 0 || scenario.checks.sum),
      prng_(scenario.seed ^ kWorldSalt),
      sim_({.seed = scenario.seed, .link = scenario.link},
           [this](NodeId node, std::uint64_t seed) { return make(node, seed); }) {}

void World::start(const MemberOptions& options) {
  if (options.start == Start::kJoins) {
    add();
    join_later(options.join_every, options.count - 1);
    return;
  }
  for (std::uint64_t i = 0; i < options.count; ++i) add();
  for (const NodeId node : up_) maker_.settle(sim_.node(node), by_place_);
}

void World::join_later(base::Duration every, std::uint64_t left_count) {
  if (left_count == 0) return;
  sim_.at(sim_.now() + every, [this, every, left_count] {
    add();
    join_later(every, left_count - 1);
  });
}

NodeId World::add() {
  const NodeId node = sim_.add();
  set_up(node, true);
  return node;
}

void World::crash(NodeId node) {
  sim_.crash(node);
  leaving_.erase(node);
  if (is_up(node)) set_up(node, false);
}

void World::restart(NodeId node, bool keeps_state) {
  if (!keeps_state && on_forget_) on_forget_(node);
  sim_.restart(node, keeps_state);
  set_up(node, true);
}

void World::leave(NodeId node) {
  set_up(node, false);
  leaving_.insert(node);
  sim_.tell(node, maker_.leave_command());
}

void World::on_deliver(NodeId node, const protocol::Deliver& what) {
  if (!leaving_.contains(node) || !maker_.is_left(what)) return;
  // Its last words are still under way inside the simulator.
  sim_.at(sim_.now(), [this, node] {
    if (leaving_.contains(node)) crash(node);
  });
}

bool World::is_up(NodeId node) const { return std::ranges::binary_search(up_, node); }

std::vector<NodeId> World::draw(std::uint64_t count, base::Prng& prng) const {
  count = std::min<std::uint64_t>(count, up_.size());
  std::vector<NodeId> drawn;
  if (count * 4 < up_.size()) {
    std::set<NodeId> known;
    while (drawn.size() < count) {
      const NodeId node = up_[prng.next() % up_.size()];
      if (known.insert(node).second) drawn.push_back(node);
    }
    return drawn;
  }
  drawn = up_;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(drawn[i], drawn[i + (prng.next() % (drawn.size() - i))]);
  }
  drawn.resize(count);
  return drawn;
}

std::optional<NodeId> World::right_home(Key key) const {
  WEIR_CHECK(!up_.empty());
  if (maker_.overlay() != Overlay::kChord) return std::nullopt;
  return by_place_[place_of(key)].node;
}

std::vector<NodeId> World::right_homes(protocol::KeyArc arc) const {
  const std::vector<Peer>& peers = by_place_;
  const std::size_t first = place_of(maker_.ring().plus(arc.after, 1));
  const std::size_t last = place_of(arc.last);
  // An arc that begins and ends in the part of one member, but goes around, is everybody's.
  const bool is_all = first == last && !(maker_.ring().distance(arc.after, arc.last) - 1 <=
                                         maker_.ring().distance(arc.after, peers[first].id) - 1);
  std::vector<NodeId> homes{peers[first].node};
  for (std::size_t i = (first + 1) % peers.size();
       is_all ? i != first : homes.back() != peers[last].node; i = (i + 1) % peers.size()) {
    homes.push_back(peers[i].node);
  }
  return homes;
}

std::vector<NodeId> World::claimed_homes(Key key) {
  std::vector<NodeId> homes;
  for (const NodeId node : up_) {
    if (maker_.placement(sim_.node(node)).is_home(key)) homes.push_back(node);
  }
  return homes;
}

bool World::is_settled(Key key) {
  const std::vector<NodeId> claimed = claimed_homes(key);
  if (claimed.size() != 1) return false;
  const std::optional<NodeId> right = right_home(key);
  return !right || claimed[0] == *right;
}

std::unique_ptr<protocol::Node> World::make(NodeId node, std::uint64_t seed) {
  return maker_.make(node, seed, draw(kContactCount, prng_));
}

// The first at or after the key.
std::size_t World::place_of(Key key) const {
  const std::vector<Peer>& peers = by_place_;
  const auto found = std::ranges::lower_bound(peers, key, {}, &Peer::id);
  return found == peers.end() ? 0 : static_cast<std::size_t>(found - peers.begin());
}

void World::set_up(NodeId node, bool is_up_now) {
  const Peer peer{.node = node, .id = maker_.id_of(node)};
  const auto up_place = std::ranges::lower_bound(up_, node);
  const auto ring_place = std::ranges::lower_bound(by_place_, peer.id, {}, &Peer::id);
  if (is_up_now) {
    up_.insert(up_place, node);
    by_place_.insert(ring_place, peer);
  } else {
    up_.erase(up_place);
    by_place_.erase(ring_place);
  }
}

}  // namespace weir::runtime::sim
