// SPDX-License-Identifier: Apache-2.0
// Support for fuzzers of messages.
#pragma once

#include <optional>
#include <string_view>

#include "base/check.h"
#include "protocol/message_list.h"

namespace weir::protocol {

// Checks for each message of the list that the bytes are refused, or read and written back the
// same.
template <typename... Messages>
void check_read_back(MessageList<Messages...> /*list*/, std::string_view bytes) {
  const auto check_one = [bytes]<typename Message>(const std::optional<Message>& message) {
    WEIR_CHECK(!message || encode(*message) == bytes);
  };
  (check_one(read<Messages>(bytes)), ...);
}

}  // namespace weir::protocol
