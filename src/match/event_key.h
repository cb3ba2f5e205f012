// SPDX-License-Identifier: Apache-2.0
// Event keys: the values of some operands in an event, as bytes that are equal iff the values are.
//
// Numbers are equal by value (1 and 1.0 are one key), a missing value equals a missing value and
// nothing else, objects and arrays are equal if their texts are but for white space.
#pragma once

#include <string>
#include <vector>

#include "event/event.h"
#include "filter/ast.h"

namespace weir::match {

std::string event_key(const std::vector<filter::Operand>& operands, const event::Event& event);

}  // namespace weir::match
