// SPDX-License-Identifier: Apache-2.0
// MessageAbout: which keys a message concerns and how far it has come, for traces.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "protocol/ring.h"
#include "protocol/slot.h"

namespace weir::protocol {

struct MessageAbout {
  std::vector<Key> keys;
  std::vector<KeyArc> arcs;
  std::optional<unsigned> hops;

  bool concerns(const Ring& ring, Key key) const;
  void add(const Destinations& destinations);
  // What a message carries is what it is about as well.
  void add_carried(std::string_view message);
};

// Nothing for what cannot be read.
MessageAbout about(std::string_view message);

}  // namespace weir::protocol
