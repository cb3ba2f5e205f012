// SPDX-License-Identifier: Apache-2.0
// NodeId: a member's address. A runtime assigns it and vouches for it as the source of a message.
#pragma once

#include "base/strong_id.h"

namespace weir::protocol {

using NodeId = base::StrongId<struct NodeTag>;

// The source of commands from a member's own user. No member has this address.
inline constexpr NodeId kUser{0};

}  // namespace weir::protocol
