// SPDX-License-Identifier: Apache-2.0
// What fuzzers check of every kind of message.
#pragma once

#include <optional>
#include <string_view>

#include "base/check.h"
#include "protocol/message.h"

namespace weir::protocol {

// As each of these kinds, the bytes are refused, or read and written back the same.
template <typename... Messages>
void check_read_back(std::string_view bytes) {
  const auto check_one = [bytes]<typename Message>(const std::optional<Message>& message) {
    WEIR_CHECK(!message || encode(*message) == bytes);
  };
  (check_one(read<Messages>(bytes)), ...);
}

}  // namespace weir::protocol
