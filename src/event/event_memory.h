// SPDX-License-Identifier: Apache-2.0
// Memory that an event takes: an estimate from its text, rarely too low.
#pragma once

#include <cstddef>

#include "event/event.h"

namespace weir::event {

// The text and its index, which may be several times as long: `[1,1,1]` has a node of 16 bytes for
// every two bytes of text. Costs one pass over the text, some bytes in an instruction.
std::size_t memory_bytes(const Event& event);

}  // namespace weir::event
