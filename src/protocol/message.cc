// SPDX-License-Identifier: Apache-2.0
#include "protocol/message.h"

namespace weir::protocol {

namespace {

bool is_known(std::uint8_t protocol) { return protocol >= 1 && protocol <= kProtocolCount; }

}  // namespace

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
