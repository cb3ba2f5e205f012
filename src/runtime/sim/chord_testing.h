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
    protocol::chord::ChordOptions chord;  // but self, name and contacts
    std::size_t contact_count = 2;        // the first members are everybody's contacts
    protocol::probe::ProbeOptions probe = {.sum = {}};
  };

  explicit ChordWorld(const Options& options);

  Simulator& sim() { return *sim_; }
  void run(base::Duration duration) { sim_->run_until(sim_->now() + duration); }
  protocol::NodeId add() { return sim_->add(); }
  // Somebody that is no honest member.
  protocol::NodeId add_stranger(std::unique_ptr<protocol::Node> stranger);
  // As many members as if their ring had stabilised.
  void add_settled(std::size_t count);
  // As many members whose successors, followed, pass so often round the ring before they come back.
  void add_loop(std::size_t count, std::size_t turn_count);

  protocol::chord::ChordNode& node(protocol::NodeId node) const;
  protocol::probe::ProbeApplication& probe(protocol::NodeId node) const;
  bool is_member(protocol::NodeId node) const;
  // Those that are up and have not left, ascending by id.
  std::vector<protocol::chord::Peer> members() const;
  protocol::chord::Peer peer(protocol::NodeId node) const;

  // The first thing in which a member's tables are not what they should be by definition, or
  // nothing.
  std::string fault() const;
  // Two members that both answer for a key, or nothing.
  std::string overlap() const;
  // Runs until there is no fault, at most this long, and gives what is still wrong then.
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

// The home of a key among members ascending by id.
std::size_t home_index(const std::vector<protocol::chord::Peer>& members, protocol::Key key);

}  // namespace weir::runtime::sim
