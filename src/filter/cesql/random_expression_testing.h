// SPDX-License-Identifier: Apache-2.0
// Random CESQL expressions for tests, and the events on which they are neither always right nor
// always wrong.
#pragma once

#include <vector>

#include "base/prng.h"
#include "event/event.h"
#include "filter/cesql/expression.h"

namespace weir::filter::cesql {

// Any node can stand in any place, so that every cast and every parenthesis occurs.
ExpressionPtr random_expression(base::Prng& prng);

std::vector<event::EventPtr> random_expression_events();

}  // namespace weir::filter::cesql
