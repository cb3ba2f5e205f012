// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of the probe, or as an item, are refused, or read and written back the
// same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "protocol/message_fuzz_testing.h"
#include "protocol/probe/messages.h"

namespace {

using namespace weir::protocol;
using namespace weir::protocol::probe;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_read_back(Messages{}, bytes);
  const auto item = read_fields<Item>(bytes);
  WEIR_CHECK(!item || encode_fields(*item) == bytes);
  return 0;
}
