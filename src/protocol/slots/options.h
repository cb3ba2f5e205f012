// SPDX-License-Identifier: Apache-2.0
// SlotOptions and the limits of protocol/slots.
#pragma once

#include <cstddef>
#include <string>

#include "base/instant.h"
#include "protocol/node_id.h"

namespace weir::protocol::slots {

inline constexpr std::size_t kMembersMax = 256;
inline constexpr std::size_t kNameBytesMax = 64;
inline constexpr unsigned kHopsMax = 16;
// Limits of one message of a hand-over; an item larger than the bytes travels alone.
inline constexpr std::size_t kChunkItemsMax = 256;
inline constexpr std::size_t kChunkBytesMax = std::size_t{256} * 1024;
// Deliveries that are remembered, to recognise repeated messages.
inline constexpr std::size_t kRecentMax = 16'384;
// The most messages that an application can send to itself within one turn.
inline constexpr std::size_t kLocalArrivalsMax = 10'000;

struct SlotOptions {
  NodeId self;
  std::string name;  // 1 to kNameBytesMax bytes
  base::Duration heartbeat_interval = base::Duration::milliseconds(500);
  // A member that was not heard for this time is gone. Longer than several heartbeats, so that some
  // may be lost.
  base::Duration lease = base::Duration::milliseconds(2500);
  // A leaving member gives up handing over after this time.
  base::Duration leave_timeout = base::Duration::seconds(30);
};

}  // namespace weir::protocol::slots
