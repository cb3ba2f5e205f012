// SPDX-License-Identifier: Apache-2.0
// What an explanation says of a change term: its value, what was last delivered, how far the two
// are apart and how far they must be.
#pragma once

#include <string>

#include "filter/ast.h"
#include "match/change_filter.h"

namespace weir::engine {

std::string describe(const filter::Change& change, const match::ChangeReading& reading);

}  // namespace weir::engine
