// SPDX-License-Identifier: Apache-2.0
// weir subscriptions: looks at, makes and removes the subscriptions of a broker.
#pragma once

#include "cli/client_options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_subscriptions(const SubscriptionsOptions& options, Streams& streams);

}  // namespace weir::cli
