// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of the probe, or as an item: refused, or read and written back the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "protocol/message_fuzz_testing.h"
#include "protocol/probe/messages.h"

namespace {

using namespace weir::protocol::probe;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  weir::protocol::check_read_back<Put, Get, Cast, Add, Stored, Got, Failed, Arrived, Sum, Store,
                                  Acknowledge, Fetch, Answer>(bytes);
  const auto item = decode_item(bytes);
  WEIR_CHECK(!item || encode_item(*item) == bytes);
  return 0;
}
