// SPDX-License-Identifier: Apache-2.0
// What tests expect of every kind of message.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "protocol/message.h"

namespace weir::protocol {

// Read as it was written; refused with a byte more, and with any number of bytes less.
template <typename Message>
void expect_same(const Message& message) {
  const std::string bytes = encode(message);
  EXPECT_EQ(read<Message>(bytes), message);
  EXPECT_FALSE(read<Message>(bytes + "x"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read<Message>(bytes.substr(0, size))) << size;
  }
}

}  // namespace weir::protocol
