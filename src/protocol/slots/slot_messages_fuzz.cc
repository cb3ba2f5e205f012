// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of protocol/slots are refused, or read and written back the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/message_fuzz_testing.h"
#include "protocol/slots/messages.h"

namespace {

using namespace weir::protocol;
using namespace weir::protocol::slots;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_read_back(Messages{}, bytes);
  return 0;
}
