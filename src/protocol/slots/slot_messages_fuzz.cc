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

template <typename... Messages>
void try_all(std::string_view bytes) {
  const auto try_one = [bytes]<typename Message>(const std::optional<Message>& message) {
    WEIR_CHECK(!message || encode(*message) == bytes);
  };
  (try_one(read<Messages>(bytes)), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_all<Heartbeat, Envelope, Items, Taken, Left, View>(bytes);
  return 0;
}
