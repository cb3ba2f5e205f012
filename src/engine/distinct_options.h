// SPDX-License-Identifier: Apache-2.0
// The window that an engine gives to a filter with a distinct clause.
#pragma once

#include "engine/engine.h"
#include "filter/filter.h"
#include "match/distinct_window.h"

namespace weir::engine {

// Requires a filter with a distinct clause.
match::DistinctWindowOptions distinct_window_options(const filter::FilterPtr& filter,
                                                     const EngineOptions& limits);

}  // namespace weir::engine
