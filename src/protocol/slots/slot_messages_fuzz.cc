// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of the slots: refused, or read and written back the same.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "protocol/slots/messages.h"

namespace {

using namespace weir::protocol;
using namespace weir::protocol::slots;

template <typename Message>
void expect_same(std::string_view bytes, const std::optional<Message>& message) {
  WEIR_CHECK(!message || encode(*message) == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const OpenMessage open = open_message(bytes);
  if (open.refused || open.kind.protocol != ProtocolId::kSlots) return 0;
  switch (static_cast<Kind>(open.kind.number)) {
    case Kind::kHeartbeat:
      expect_same(bytes, decode_heartbeat(open.body));
      break;
    case Kind::kEnvelope:
      expect_same(bytes, decode_envelope(open.body));
      break;
    case Kind::kItems:
      expect_same(bytes, decode_items(open.body));
      break;
    case Kind::kTaken:
      expect_same(bytes, decode_taken(open.body));
      break;
    case Kind::kLeft:
      expect_same(bytes, decode_left(open.body));
      break;
    case Kind::kView:
      expect_same(bytes, decode_view(open.body));
      break;
    case Kind::kLeave:
    case Kind::kShow:
      break;
  }
  return 0;
}
