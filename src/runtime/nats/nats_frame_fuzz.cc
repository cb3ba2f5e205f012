// SPDX-License-Identifier: Apache-2.0
// Any bytes as a frame are refused, or read and written back the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "runtime/nats/frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto frame = weir::runtime::nats::decode_frame(bytes, {8});
  WEIR_CHECK(!frame || encode(*frame) == bytes);
  return 0;
}
