// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of the probe, or as an item: refused, or read and written back the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "protocol/probe/messages.h"

namespace {

using namespace weir::protocol::probe;

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
  try_all<Put, Get, Cast, Add, Stored, Got, Failed, Arrived, Sum, Store, Acknowledge, Fetch,
          Answer>(bytes);
  const auto item = decode_item(bytes);
  WEIR_CHECK(!item || encode_item(*item) == bytes);
  return 0;
}
