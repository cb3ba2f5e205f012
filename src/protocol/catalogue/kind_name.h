// SPDX-License-Identifier: Apache-2.0
// Names of message kinds, for tables and traces.
#pragma once

#include <string>

#include "protocol/message.h"

namespace weir::protocol::catalogue {

// Returns "chord.find"; "chord.31" if the protocol has no message with this number.
std::string kind_name(MessageKind kind);

}  // namespace weir::protocol::catalogue
