// SPDX-License-Identifier: Apache-2.0
// Placement: the homes of keys, as one member knows them. An overlay offers it to its application.
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/effects.h"
#include "protocol/ring.h"

namespace weir::protocol {

class Placement {
 public:
  Placement() = default;
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;
  virtual ~Placement() = default;

  virtual NodeId self() const = 0;
  // True while this member is the settled home of the key.
  virtual bool is_home(Key key) const = 0;
  // Returns the next member on the way to the key's home; nullopt if this is the home or no way is
  // known.
  virtual std::optional<NodeId> towards(Key key) const = 0;
  // Returns this member's distance to the key: 0 at the home, and less with each hop of the way.
  // Distances to different keys cannot be compared.
  virtual std::uint64_t distance_to(Key key) const = 0;
};

}  // namespace weir::protocol
