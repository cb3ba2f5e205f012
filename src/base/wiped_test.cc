// SPDX-License-Identifier: Apache-2.0
#include "base/wiped.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace weir::base {
namespace {

// The bytes that a string had, while it still holds the memory.
bool is_zero(const std::string& text, std::size_t byte_count) {
  return std::all_of(text.data(), text.data() + byte_count, [](char c) { return c == 0; });
}

TEST(WipedTest, OverwritesAllThatAStringHadAllocated) {
  for (const std::size_t size : {std::size_t{5}, std::size_t{1000}}) {
    std::string secret(size, 's');
    secret.resize(size / 2);
    wipe(secret);
    EXPECT_TRUE(secret.empty());
    EXPECT_TRUE(is_zero(secret, size)) << size;
  }
}

TEST(WipedTest, OverwritesAtTheEndOfTheBlockWhatTheStringHoldsThen) {
  std::string secret = "a";
  secret.reserve(100);
  {
    const Wiped wiped(secret);
    secret = "another secret, longer than what a string holds in itself";
  }
  EXPECT_TRUE(secret.empty());
  EXPECT_TRUE(is_zero(secret, 100));
}

}  // namespace
}  // namespace weir::base
