// SPDX-License-Identifier: Apache-2.0
// weir eval: the value of an expression on one event, and the errors it met.
//
//   {"value":false,"errors":["missingAttribute"],"messages":["..."]}
//
// In CESQL the value is a boolean, an integer or a string. In the other dialects it tells whether
// an engine that has seen nothing else would deliver the event.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code: that of the error if the expression does not parse, otherwise 0 whatever the
// value.
int run_eval(const EvalOptions& options, Streams& streams);

}  // namespace weir::cli
