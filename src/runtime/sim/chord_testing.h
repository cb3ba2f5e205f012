// SPDX-License-Identifier: Apache-2.0
// ChordWorld: a simulated Chord ring with a probe on each member, judged by global knowledge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/chord/chord_node.h"
#include "protocol/probe/probe_application.h"
#include "runtime/sim/simulator.h"

namespace weir::runtime::sim {

class ChordWorld {
 public:
  struct Options {
    SimulatorOptions sim;
    protocol::chord::ChordOptions chord;  // without self, name and contacts
    std::size_t contact_count = 2;        // the first members are contacts of all
    protocol::probe::ProbeOptions probe = {.sum = {}};
  };

  explicit ChordWorld(const Options& options);

  Simulator& sim() { return *sim_; }
  void run(base::Duration duration) { sim_->run_until(sim_->now() + duration); }
  protocol::NodeId add() { return sim_->add(); }
  // Adds a node that is no honest member.
  protocol::NodeId add_stranger(std::unique_ptr<protocol::Node> stranger);
  // Adds members as if their ring had stabilised.
  void add_settled(std::size_t count);
  // Adds members whose chain of successors passes that many times round the ring.
  void add_loop(std::size_t count, std::size_t turn_count);

  protocol::chord::ChordNode& node(protocol::NodeId node) const;
  protocol::probe::ProbeApplication& probe(protocol::NodeId node) const;
  bool is_member(protocol::NodeId node) const;
  // Returns the members that are up and have not left, ascending by id.
  std::vector<protocol::chord::Peer> members() const;
  protocol::chord::Peer peer(protocol::NodeId node) const;

  // Returns the first difference between a member's tables and the definition; empty if none.
  std::string fault() const;
  // Names two members that both answer for one key; empty if there are none.
  std::string overlap() const;
  // Runs until there is no fault, at most for this time. Returns the fault that remains.
  std::string run_until_ideal(base::Duration longest);

 private:
  protocol::chord::ChordOptions options_of(protocol::NodeId node) const;
  std::string fault_of(const std::vector<protocol::chord::Peer>& members, std::size_t index) const;

  Options options_;
  std::unique_ptr<Simulator> sim_;
  std::vector<protocol::chord::Peer> first_members(std::size_t count) const;
  std::vector<protocol::chord::Peer> to_settle_;
  std::unique_ptr<protocol::Node> stranger_;  // to be added
};

// Returns the index of the home of a key. Members ascend by id.
std::size_t home_index(const std::vector<protocol::chord::Peer>& members, protocol::Key key);

}  // namespace weir::runtime::sim
