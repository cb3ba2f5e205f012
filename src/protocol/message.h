// SPDX-License-Identifier: Apache-2.0
// Messages: what all protocols' messages begin with, and how they are opened.
//
//   u8 version | u8 protocol | u8 kind | body, by the protocol's own messages.h
//
// Decoders are bounded: they never read beyond the bytes, never make room for more than the bytes
// can hold, and refuse what no encoder writes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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
inline constexpr std::uint8_t kMessageVersion = 1;
// A NATS server takes messages of 1 MB unless it is told otherwise.
inline constexpr std::size_t kMessageBytesMax = 1'000'000;

// "chord.find", for tables and traces; "chord.31" for one without a name.
std::string kind_name(MessageKind kind);

// A writer that has the header written.
base::ByteWriter begin_message(MessageKind kind);

// A message whose header was understood; otherwise why it is to be dropped.
struct OpenMessage {
  std::optional<DropReason> refused;
  MessageKind kind;
  base::ByteReader body{{}};
};
OpenMessage open_message(std::string_view bytes);

// A whole message, header and body, as a struct of its protocol's messages.h; none if it is of
// another kind, or no encoder wrote it.
template <typename Message>
std::optional<Message> read(std::string_view bytes) {
  const OpenMessage open = open_message(bytes);
  std::optional<Message> message;
  if (open.refused || open.kind != kind_of(Message::kKind)) return message;
  if (!decode(open.body, message.emplace())) message.reset();
  return message;
}

}  // namespace weir::protocol
