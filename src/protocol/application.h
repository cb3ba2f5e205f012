// SPDX-License-Identifier: Apache-2.0
// Application: what stands on an overlay: it is home of keys, and speaks to the homes of others.
//
// The overlay (protocol/chord in thousands of simulated members, protocol/slots over NATS) hosts
// it: carries out its Route and Multicast, and moves what it keeps for keys to their new home when
// members come and go. Its other effects go on as they are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "protocol/effects.h"
#include "protocol/placement.h"
#include "protocol/ring.h"

namespace weir::protocol {

// A message that came to this member as the home of keys.
struct Routed {
  NodeId origin;
  std::span<const Key> keys;      // those of its keys that this is the home of; none for an arc
  std::optional<KeyArc> segment;  // the whole arc that it went to
  unsigned hops = 0;
  std::string_view message;
};

// What an application keeps for one key, in its own format.
struct KeyItem {
  Key key;
  std::string bytes;
};

class Application {
 public:
  struct Step {
    base::Instant now;
    const Placement& placement;
    Effects& effects;
  };

  Application() = default;
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
  virtual ~Application() = default;

  virtual void on_message(const Step& step, NodeId source, std::string_view message) = 0;
  virtual void on_routed(const Step& step, const Routed& routed) = 0;
  // As for a Node: the first call, and when its last WakeAt has come.
  virtual void on_wake(const Step& step) = 0;
  // What this member is home of, or its way to some key, may have changed.
  virtual void on_placement(const Step& step) = 0;

  // Hand-over to another member: what is kept for the keys of an arc is copied, and forgotten when
  // the other has it. Absorbing may happen twice, and must then change nothing the second time.
  virtual void collect(const Ring& ring, KeyArc arc, std::vector<KeyItem>& items) const = 0;
  virtual void absorb(const Step& step, std::span<const KeyItem> items) = 0;
  virtual void forget(const Step& step, std::span<const KeyItem> items) = 0;
};

}  // namespace weir::protocol
