// SPDX-License-Identifier: Apache-2.0
// Placement: where keys live, as one member believes; an overlay gives it to its application.
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
  // This member answers for the key, and has heard nothing that speaks against it for a while.
  virtual bool is_home(Key key) const = 0;
  // The next member on the way to the key's home; none if this is the home, or no way is known.
  virtual std::optional<NodeId> towards(Key key) const = 0;
  // How far from the key this member is: 0 at its home, and less at each further member of the way
  // than at the one before. Not comparable between keys.
  virtual std::uint64_t distance_to(Key key) const = 0;
};

}  // namespace weir::protocol
