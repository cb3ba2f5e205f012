// SPDX-License-Identifier: Apache-2.0
// All protocols: the name and the messages of each.
#pragma once

#include <string_view>

#include "protocol/chord/messages.h"
#include "protocol/message.h"
#include "protocol/probe/messages.h"
#include "protocol/slots/messages.h"
#include "protocol/tree/messages.h"

namespace weir::protocol::catalogue {

// Calls `act` with the name and the MessageList of the protocol.
template <typename Act>
void with_messages(ProtocolId protocol, const Act& act) {
  switch (protocol) {
    case ProtocolId::kProbe:
      return act("probe", probe::Messages{});
    case ProtocolId::kChord:
      return act("chord", chord::Messages{});
    case ProtocolId::kTree:
      return act("tree", tree::Messages{});
    case ProtocolId::kSlots:
      return act("slots", slots::Messages{});
  }
}

}  // namespace weir::protocol::catalogue
