// SPDX-License-Identifier: Apache-2.0
// Application: a protocol on top of an overlay. It is home of keys, and sends to the homes of
// others.
//
// The overlay (protocol/chord in thousands of simulated members, protocol/slots over NATS) hosts
// the application: it carries out Route and Multicast, and moves the items of keys to their new
// home when members come and go. It passes all other effects on unchanged.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "protocol/effects.h"
#include "protocol/key_item.h"
#include "protocol/placement.h"
#include "protocol/ring.h"

namespace weir::protocol {

// A message that reached this member as the home of keys.
struct Routed {
  NodeId origin;
  std::span<const Key> keys;      // its keys whose home is this member; none for an arc
  std::optional<KeyArc> segment;  // the whole arc of its destinations
  unsigned hops = 0;
  std::string_view message;
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
  // As in Node: the first call, and when the instant of the last WakeAt has come.
  virtual void on_wake(const Step& step) = 0;
  // The keys of this member, or its way to some key, may have changed.
  virtual void on_placement(const Step& step) = 0;

  // Hand-over to another member: the overlay collects the items of an arc and forgets them when the
  // other member has absorbed them. Absorbing an item twice must be the same as absorbing it once.
  virtual void collect(const Ring& ring, KeyArc arc, std::vector<KeyItem>& items) const = 0;
  virtual void absorb(const Step& step, std::span<const KeyItem> items) = 0;
  virtual void forget(const Step& step, std::span<const KeyItem> items) = 0;
};

}  // namespace weir::protocol
