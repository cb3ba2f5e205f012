// SPDX-License-Identifier: Apache-2.0
// Events as they come back from the log.
#pragma once

#include "base/result.h"
#include "event/event.h"
#include "store/event_log.h"

namespace weir::broker {

// With its sequence. Fails with kStoreCorrupt: what is in the log was an event once.
base::Result<event::EventPtr> decode_logged(const store::LogRecord& record);

// The event of that sequence; null if it is gone, or cannot be read.
event::EventPtr find_logged(const store::EventLog& log, std::uint64_t sequence);

}  // namespace weir::broker
