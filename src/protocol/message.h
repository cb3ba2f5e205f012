// SPDX-License-Identifier: Apache-2.0
// The header that every message of every protocol begins with.
//
//   u8 version | u8 protocol | u8 kind | body, by the message's field list (codec.h)
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "protocol/drop_reason.h"

namespace weir::protocol {

enum class ProtocolId : std::uint8_t { kProbe = 1, kChord = 2, kTree = 3, kSlots = 4 };

inline constexpr std::size_t kProtocolCount = 4;

struct MessageKind {
  ProtocolId protocol{};
  std::uint8_t number = 0;

  auto operator<=>(const MessageKind&) const = default;
};

// Kinds of one protocol have numbers below this one.
inline constexpr std::uint8_t kMessageKindsMax = 32;
inline constexpr std::uint8_t kMessageVersion = 2;
// A NATS server accepts messages of 1 MB by default.
inline constexpr std::size_t kMessageBytesMax = 1'000'000;

// The sender and the receiver of a message.
enum class Way : std::uint8_t {
  kCommand = 1,  // a user to its own member
  kDirect = 2,   // a member to a member
  kRouted = 4,   // a member to the home of a key, carried by the overlay
  kTold = 8,     // a member to its own user
};
constexpr Way operator|(Way a, Way b) {
  return static_cast<Way>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool allows(Way ways, Way way) {
  return (static_cast<std::uint8_t>(ways) & static_cast<std::uint8_t>(way)) != 0;
}

// Each message struct has one as `kType`.
struct MessageType {
  MessageKind kind;
  std::string_view name;  // in tables and traces, behind the protocol's name
  Way ways{};             // all others are refused
};

template <typename Message>
constexpr MessageKind kind_of() {
  return Message::kType.kind;
}

// Returns a writer that holds the header.
base::ByteWriter begin_message(MessageKind kind);

// A message with a valid header, or the reason to drop it.
struct OpenMessage {
  std::optional<DropReason> refused;
  MessageKind kind;
  base::ByteReader body{{}};
};
OpenMessage open_message(std::string_view bytes);

}  // namespace weir::protocol
