// SPDX-License-Identifier: Apache-2.0
#include "protocol/message.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "protocol/chord/messages.h"
#include "protocol/probe/messages.h"
#include "protocol/slots/messages.h"
#include "protocol/tree/messages.h"

namespace weir::protocol {

namespace {

struct Names {
  std::string_view protocol;
  std::span<const std::string_view> kinds;
};

// In the order of ProtocolId, which begins with 1.
const std::array<Names, kProtocolCount> kNames{{
    {"probe", probe::kKindNames},
    {"chord", chord::kKindNames},
    {"tree", tree::kKindNames},
    {"slots", slots::kKindNames},
}};

bool is_known(std::uint8_t protocol) { return protocol >= 1 && protocol <= kProtocolCount; }

}  // namespace

std::string kind_name(MessageKind kind) {
  const Names& names = kNames[static_cast<std::size_t>(kind.protocol) - 1];
  if (kind.number < names.kinds.size()) {
    return fmt::format("{}.{}", names.protocol, names.kinds[kind.number]);
  }
  return fmt::format("{}.{}", names.protocol, kind.number);
}

base::ByteWriter begin_message(MessageKind kind) {
  base::ByteWriter writer;
  writer.u8(kMessageVersion);
  writer.u8(static_cast<std::uint8_t>(kind.protocol));
  writer.u8(kind.number);
  return writer;
}

OpenMessage open_message(std::string_view bytes) {
  OpenMessage message{.refused = {}, .kind = {}, .body = base::ByteReader(bytes)};
  const std::uint8_t version = message.body.u8();
  const std::uint8_t protocol = message.body.u8();
  const std::uint8_t number = message.body.u8();
  if (message.body.failed() || bytes.size() > kMessageBytesMax) {
    message.refused = DropReason::kMalformed;
  } else if (version != kMessageVersion) {
    message.refused = DropReason::kVersion;
  } else if (!is_known(protocol) || number >= kMessageKindsMax) {
    message.refused = DropReason::kUnknown;
  } else {
    message.kind = {.protocol = static_cast<ProtocolId>(protocol), .number = number};
  }
  return message;
}

}  // namespace weir::protocol
