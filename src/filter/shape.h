// SPDX-License-Identifier: Apache-2.0
// Shapes: what filters have in common that differ only in how far something must move.
//
// Filters of one shape look at the same sources and remember the same things of them, so that one
// can go on where another was.
#pragma once

#include <string>

#include "filter/filter.h"

namespace weir::filter {

// The canonical text of a normal form with 0 for every threshold of a change; levels stay.
std::string shape_of(const Conjunction& conjunction);
std::string shape_of(const Filter& filter);

}  // namespace weir::filter
