// SPDX-License-Identifier: Apache-2.0
// What the tests of match/change share.
#pragma once

#include <ostream>
#include <vector>

#include "match/change/movement.h"

namespace weir::match {

// Every direction, absolute and in percent, strict and inclusive.
const std::vector<Movement>& all_movements();

std::ostream& operator<<(std::ostream& out, const Movement& movement);

}  // namespace weir::match
