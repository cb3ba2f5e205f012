// SPDX-License-Identifier: Apache-2.0
// weir explain: whether an event would be delivered, and which parts of the filter decided; of a
// filter, or of a subscription as it stands in a broker.
//
//   Not delivered: the filter is about other events.
//
//       ✗ type = 'quote' and data.price > 20
//         ✓ type = 'quote'  [type is 'quote']
//     →   ✗ data.price > 20  [data.price is 12.5]
//
// An arrow marks the parts that decided; on a terminal they are bold too.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code: 0 if the event would be delivered, 1 if not.
int run_explain(const ExplainOptions& options, Streams& streams);

}  // namespace weir::cli
