// SPDX-License-Identifier: Apache-2.0
// Support for tests of every message of a protocol.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <tuple>

#include "protocol/message_list.h"

namespace weir::protocol {

// Expects that the message is read back as it was written, and refused with one more byte or with
// any number of bytes missing.
template <typename Message>
void expect_same(const Message& message) {
  const std::string bytes = encode(message);
  const auto back = read<Message>(bytes);
  ASSERT_TRUE(back.has_value()) << Message::kType.name;
  EXPECT_EQ(encode(*back), bytes) << Message::kType.name;
  if constexpr (requires { message == *back; }) EXPECT_EQ(*back, message);
  EXPECT_FALSE(read<Message>(bytes + "x"));
  EXPECT_FALSE(read<Message>(bytes + '\0'));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read<Message>(bytes.substr(0, size))) << size;
  }
}

// Expects the same of each example, and that the list has an example of each message.
template <typename Messages, typename... Examples>
void expect_all_same(const std::tuple<Examples...>& examples) {
  std::apply([](const auto&... example) { (expect_same(example), ...); }, examples);
  const std::set<std::size_t> numbers{kind_of<Examples>().number...};
  EXPECT_EQ(numbers.size(), Messages::kCount) << "a message has no example";
}

// True if the bytes of this message are refused.
template <typename Message>
bool is_refused(const Message& message) {
  return !read<Message>(encode(message)).has_value();
}

}  // namespace weir::protocol
