// SPDX-License-Identifier: Apache-2.0
// Turn: one call of a node, passed to all parts of the node that take part in it.
#pragma once

#include "base/instant.h"
#include "protocol/effects.h"

namespace weir::protocol {

struct Turn {
  base::Instant now;
  Effects& effects;
};

}  // namespace weir::protocol
