// SPDX-License-Identifier: Apache-2.0
// Events as requests bring them.
#pragma once

#include "base/result.h"
#include "event/event.h"
#include "server/event_headers.h"
#include "server/exchange.h"

namespace weir::server {

// What an event in a request may have.
event::EventLimits event_limits(const Exchange& exchange);

// The one event of a request that is in structured or binary mode.
base::Result<event::EventPtr> decode_one(const Exchange& exchange, ContentMode mode);

}  // namespace weir::server
