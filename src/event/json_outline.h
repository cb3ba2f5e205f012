// SPDX-License-Identifier: Apache-2.0
// The outline of a JSON value: its quotes and brackets, without what they hold. By it, a value that
// is no JSON inside can be passed over, and what comes after it read.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace weir::event {

// Where the value at `offset_bytes` ends, if its outline leaves no doubt: brackets match, strings
// end, and two values never stand side by side, as they would after a quote too few or too many.
// Costs one pass over the value, and a bit of memory for each bracket that is open.
std::optional<std::size_t> outline_end(std::string_view text, std::size_t offset_bytes);

}  // namespace weir::event
