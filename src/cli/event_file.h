// SPDX-License-Identifier: Apache-2.0
// An event from a file of its own: one JSON object, laid out in any way.
#pragma once

#include <string>

#include "cli/failure.h"
#include "event/event.h"

namespace weir::cli {

// "-" is standard input.
Attempt<event::EventPtr> read_event(const std::string& path);

// An event with nothing but what every event has.
event::EventPtr minimal_event();

}  // namespace weir::cli
