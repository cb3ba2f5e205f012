// SPDX-License-Identifier: Apache-2.0
// KeyTrace: writes a line for every event that concerns one key:
//
//   1.204s  member 17  hears chord.find from 4, 2 hops
//   1.204s  member 17  sends chord.home to 3, 2 hops
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "protocol/ring.h"
#include "runtime/sim/simulator.h"

namespace weir::runtime::sim {

class KeyTrace final : public Observer {
 public:
  using Write = std::function<void(std::string line)>;

  KeyTrace(unsigned ring_bits, protocol::Key key, Write write);

  void on_hear(base::Instant at, protocol::NodeId node, protocol::NodeId source,
               std::string_view message) override;
  void on_effect(base::Instant at, protocol::NodeId node, const protocol::Effect& effect) override;
  // Crashes and restarts of all members are shown, since keys change their homes.
  void on_crash(base::Instant at, protocol::NodeId node) override;
  void on_restart(base::Instant at, protocol::NodeId node, bool keeps_state) override;

 private:
  // Writes a line if the message concerns the key.
  void tell(base::Instant at, protocol::NodeId node, std::string_view before,
            std::string_view message, const std::string& after);
  void write(base::Instant at, protocol::NodeId node, const std::string& what);

  protocol::Ring ring_;
  protocol::Key key_;
  Write write_;
};

}  // namespace weir::runtime::sim
