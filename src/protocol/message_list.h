// SPDX-License-Identifier: Apache-2.0
// MessageList: all messages of one protocol, in the order of their numbers.
//
// Dispatch, names, traced keys, the tests of every message and the fuzzers follow from the list.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "protocol/codec.h"
#include "protocol/message.h"

namespace weir::protocol {

template <typename... Messages>
struct MessageList {
  static constexpr std::size_t kCount = sizeof...(Messages);
  static constexpr std::array<std::string_view, kCount> kNames{Messages::kType.name...};

  static constexpr bool has_numbers_in_order() {
    std::size_t next = 0;
    return ((Messages::kType.kind.number == next++) && ...);
  }
};

// Decodes the message and calls `handle` with its struct. Returns the reason if it is refused:
// kUnknown (a number that is not in the list), kNonsense (this message does not go this way) or
// kMalformed.
template <Way Allowed, typename... Messages, typename Handle>
std::optional<DropReason> dispatch(MessageList<Messages...> /*list*/, const OpenMessage& open,
                                   const Handle& handle) {
  static_assert(MessageList<Messages...>::has_numbers_in_order());
  std::optional<DropReason> refused = DropReason::kUnknown;
  const auto try_one = [&]<typename Message>(const Message* /*type*/) {
    if (open.kind.number != kind_of<Message>().number) return false;
    if constexpr (allows(Message::kType.ways, Allowed)) {
      Message message;
      refused = DropReason::kMalformed;
      if (!decode(open.body, message)) return true;
      refused.reset();
      handle(message);
    } else {
      refused = DropReason::kNonsense;
    }
    return true;
  };
  (try_one(static_cast<const Messages*>(nullptr)) || ...);
  return refused;
}

}  // namespace weir::protocol
