// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of the tree: refused, or read and written back the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "protocol/tree/messages.h"

namespace {

using namespace weir::protocol::tree;

template <typename... Messages>
void try_all(std::string_view bytes) {
  const auto try_one = [bytes]<typename Message>(const std::optional<Message>& message) {
    WEIR_CHECK(!message || encode(*message) == bytes);
  };
  (try_one(read<Messages>(bytes)), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try_all<Report, Renew, Leave, Again, Result>({reinterpret_cast<const char*>(data), size});
  return 0;
}
