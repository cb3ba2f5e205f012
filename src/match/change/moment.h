// SPDX-License-Identifier: Apache-2.0
// Moment: an instant at which something is to be looked at.
#pragma once

#include <compare>
#include <cstdint>

#include "base/instant.h"

namespace weir::match {

struct Moment {
  base::Instant at;
  std::uint32_t slot = 0;

  auto operator<=>(const Moment&) const = default;
};

}  // namespace weir::match
