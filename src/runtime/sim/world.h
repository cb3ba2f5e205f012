// SPDX-License-Identifier: Apache-2.0
// World: the members of a scenario's run, who of them is up, and what is true about keys whatever
// the members believe.
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

  // All members of the start, now or one after another.
  void start(const MemberOptions& options);
  protocol::NodeId add();
  void crash(protocol::NodeId node);
  void restart(protocol::NodeId node, bool keeps_state);
  // It is no longer up, and crashes when it says that it has left.
  void leave(protocol::NodeId node);
  // To be told of all that is delivered.
  void on_deliver(protocol::NodeId node, const protocol::Deliver& what);
  // A member has lost what it knew.
  void on_forget(std::function<void(protocol::NodeId)> observer) {
    on_forget_ = std::move(observer);
  }

  // Ascending by address; without those that leave.
  const std::vector<protocol::NodeId>& up() const { return up_; }
  bool is_up(protocol::NodeId node) const;
  std::vector<protocol::NodeId> draw(std::uint64_t count, base::Prng& prng) const;

  // By definition. Requires a member that is up; none in an overlay that decides by itself.
  std::optional<protocol::NodeId> right_home(protocol::Key key) const;
  // Those of the keys of an arc, ascending by place from its begin.
  std::vector<protocol::NodeId> right_homes(protocol::KeyArc arc) const;
  // All that are up, by place.
  const std::vector<protocol::chord::Peer>& by_place() const { return by_place_; }
  // Who says that it is the home.
  std::vector<protocol::NodeId> claimed_homes(protocol::Key key);
  // One does, and it is the right one.
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
