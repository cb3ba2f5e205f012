// SPDX-License-Identifier: Apache-2.0
// Frame: the content of a NATS message: its source and a message of a protocol.
//
//   u8 version (1) | u64 source | u64 number | message         little-endian
//
// All copies of one multicast have the same number. No other frame of the source has it.
//
// Core NATS does not name the publisher of a message, so the source is a claim of the publisher. A
// member refuses frames from kUser, from itself (the client does not receive its own) and frames
// longer than kMessageBytesMax. It cannot detect that one member sends in the name of another.
// Every publisher on the cluster's subjects is trusted: keep others out by the server's accounts or
// permissions.
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

// Returns the frame; nullopt if the bytes are no frame or the member `self` must refuse it.
std::optional<Frame> decode_frame(std::string_view bytes, protocol::NodeId self);

}  // namespace weir::runtime::nats
