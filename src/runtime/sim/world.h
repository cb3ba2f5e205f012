// SPDX-License-Identifier: Apache-2.0
// World: the members of a scenario's run, and the truth about them and the homes of keys, by global
// knowledge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "base/instant.h"
#include "base/prng.h"
#include "protocol/chord/peer.h"
#include "runtime/sim/overlay_maker.h"
#include "runtime/sim/scenario.h"
#include "runtime/sim/simulator.h"

namespace weir::runtime::sim {

class World {
 public:
  explicit World(const Scenario& scenario);

  Simulator& sim() { return sim_; }
  const OverlayMaker& maker() const { return maker_; }

  // Adds the initial members, at once or one after another.
  void start(const MemberOptions& options);
  protocol::NodeId add();
  void crash(protocol::NodeId node);
  void restart(protocol::NodeId node, bool keeps_state);
  // The member is no longer up, and crashes when it reports that it has left.
  void leave(protocol::NodeId node);
  // Must be called for every delivery.
  void on_deliver(protocol::NodeId node, const protocol::Deliver& what);
  // Sets a callback for members that lose their state.
  void on_forget(std::function<void(protocol::NodeId)> observer) {
    on_forget_ = std::move(observer);
  }

  // Members that are up and not leaving, ascending by address.
  const std::vector<protocol::NodeId>& up() const { return up_; }
  bool is_up(protocol::NodeId node) const;
  std::vector<protocol::NodeId> draw(std::uint64_t count, base::Prng& prng) const;

  // Returns the home by definition; nullopt for slots. Requires a member that is up.
  std::optional<protocol::NodeId> right_home(protocol::Key key) const;
  // Returns the homes of the keys of an arc, clockwise from its beginning.
  std::vector<protocol::NodeId> right_homes(protocol::KeyArc arc) const;
  // Members that are up, by place.
  const std::vector<protocol::chord::Peer>& by_place() const { return by_place_; }
  // Returns the members that claim to be the home.
  std::vector<protocol::NodeId> claimed_homes(protocol::Key key);
  // True if exactly one member claims the key, and rightly.
  bool is_settled(protocol::Key key);

 private:
  std::unique_ptr<protocol::Node> make(protocol::NodeId node, std::uint64_t seed);
  std::size_t place_of(protocol::Key key) const;
  void set_up(protocol::NodeId node, bool is_up);
  void join_later(base::Duration every, std::uint64_t left_count);

  OverlayMaker maker_;
  base::Prng prng_;
  std::vector<protocol::NodeId> up_;
  std::set<protocol::NodeId> leaving_;
  std::vector<protocol::chord::Peer> by_place_;
  std::function<void(protocol::NodeId)> on_forget_;
  Simulator sim_;
};

}  // namespace weir::runtime::sim
