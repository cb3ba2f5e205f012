// SPDX-License-Identifier: Apache-2.0
// The one header for programs that embed Weir: events, filters and the engine.
//
//   find_package(weir REQUIRED)
//   target_link_libraries(program PRIVATE weir::weir)
//
// examples/embed/main.cc shows it in use.
#pragma once

#include "engine/engine.h"        // IWYU pragma: export
#include "event/event.h"          // IWYU pragma: export
#include "event/event_builder.h"  // IWYU pragma: export
#include "filter/filter.h"        // IWYU pragma: export
#include "filter/print.h"         // IWYU pragma: export
