// SPDX-License-Identifier: Apache-2.0
// Frame: what a NATS message holds: who sent it, and a message of a protocol.
//
//   u8 version (1) | u64 source | u64 number | message         little-endian
//
// The number is the same in the copies of one multicast, and no other of the source's frames has
// it.
//
// Core NATS does not say who published a message, so the source is what the publisher claims. A
// member refuses frames from kUser, from itself (the client does not get its own back) and longer
// than kMessageBytesMax; it cannot tell whether another member speaks for a third. Whoever may
// publish to the cluster's subjects is trusted to be who it says: keep others out by the server's
// accounts or permissions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/effects.h"

namespace weir::runtime::nats {

inline constexpr std::uint8_t kFrameVersion = 1;
inline constexpr std::size_t kFrameHeaderBytes = 17;

struct Frame {
  protocol::NodeId source;
  std::uint64_t number = 0;
  std::string_view message;
};

std::string encode(const Frame& frame);

// Nothing if it is no frame, or none that the member `self` may take.
std::optional<Frame> decode_frame(std::string_view bytes, protocol::NodeId self);

}  // namespace weir::runtime::nats
