// SPDX-License-Identifier: Apache-2.0
// TracedKeys: the keys that a message concerns and the hops that it has made, for traces.
//
// They come from the fields that the message's field list marks as traced() and hop_count().
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "protocol/ring.h"

namespace weir::protocol::catalogue {

struct TracedKeys {
  std::vector<Key> keys;
  std::vector<KeyArc> arcs;
  std::optional<unsigned> hops;

  bool concern(const Ring& ring, Key key) const;
};

// Returns the traced keys of a message of any protocol; nothing for bytes that cannot be decoded.
TracedKeys traced_keys(std::string_view message);

}  // namespace weir::protocol::catalogue
