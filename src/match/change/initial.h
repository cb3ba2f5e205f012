// SPDX-License-Identifier: Apache-2.0
// Initial: what the first reading means to a subscriber that has been delivered nothing yet.
#pragma once

#include <cstdint>

namespace weir::match {

enum class Initial : std::uint8_t {
  kDeliver,  // it is delivered
  kNone,     // it is taken as the last value, without delivery
};

}  // namespace weir::match
