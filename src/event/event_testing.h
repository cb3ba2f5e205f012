// SPDX-License-Identifier: Apache-2.0
// Events for tests: a JSON object with the required attributes filled in where it lacks them.
#pragma once

#include <string_view>

#include "event/event.h"

namespace weir::event {

// event_of(R"({"type":"quote","data":{"price":20}})"): specversion 1.0, id 1, source /test and
// type test are added unless given. Aborts if the result is no valid event.
EventPtr event_of(std::string_view json_object);

}  // namespace weir::event
