// SPDX-License-Identifier: Apache-2.0
// SlotOptions and the limits of protocol/slots.
#pragma once

#include <cstddef>
#include <string>

#include "base/instant.h"
#include "protocol/effects.h"

namespace weir::protocol::slots {

inline constexpr std::size_t kMembersMax = 256;
inline constexpr std::size_t kNameBytesMax = 64;
inline constexpr unsigned kHopsMax = 16;
// Keys of one multicast.
inline constexpr std::size_t kKeysMax = 16'384;
// What one message of a hand-over holds; an item beyond the bytes goes alone.
inline constexpr std::size_t kChunkItemsMax = 256;
inline constexpr std::size_t kChunkBytesMax = std::size_t{256} * 1024;
// Deliveries that a repeated message is recognised by.
inline constexpr std::size_t kRecentMax = 16'384;
// Messages that an application sends to itself within one step.
inline constexpr std::size_t kLocalArrivalsMax = 10'000;

struct SlotOptions {
  NodeId self;
  std::string name;  // 1 to kNameBytesMax bytes
  base::Duration heartbeat_interval = base::Duration::milliseconds(500);
  // Who was not heard for this long is gone. Several heartbeats, so that some may be lost.
  base::Duration lease = base::Duration::milliseconds(2500);
  // An orderly leave gives up handing over after this long.
  base::Duration leave_timeout = base::Duration::seconds(30);
};

}  // namespace weir::protocol::slots
