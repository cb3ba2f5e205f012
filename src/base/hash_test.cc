// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <unordered_map>

namespace weir::base {
namespace {

using namespace std::string_view_literals;

TEST(HashTest, IsXxh3ForEver) {
  EXPECT_EQ(hash_bytes(""), 0x2D06800538D394C2U);
  EXPECT_EQ(hash_bytes("a"), 0xE6C632B61E964E1FU);
  EXPECT_EQ(hash_bytes("abc"), 0x78AF5F94892F3950U);
  EXPECT_EQ(hash_bytes("abc", 1), 0x6B4467B443C76228U);
  EXPECT_EQ(hash_bytes(std::string(1000, 'w')), 0x4AC08EE5DA1C44C7U);
}

TEST(HashTest, TakesAViewOfNothing) { EXPECT_EQ(hash_bytes(std::string_view()), hash_bytes("")); }

TEST(HashTest, CountsEveryByteAndTheSeed) {
  EXPECT_NE(hash_bytes("a\0"sv), hash_bytes("a"));
  EXPECT_NE(hash_bytes("a", 1), hash_bytes("a", 2));
}

// Lengths at which XXH3 takes another path: each prefix of one text hashes to its own value.
TEST(HashTest, TellsPrefixesApart) {
  const std::string text(600, 'x');
  std::set<std::uint64_t> hashes;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    hashes.insert(hash_bytes(std::string_view(text).substr(0, length), 7));
  }
  EXPECT_EQ(hashes.size(), text.size() + 1);
}

TEST(HashTest, FindsInAMapByAView) {
  std::unordered_map<std::string, int, StringHash, std::equal_to<>> map(0, StringHash{.seed = 3});
  map.emplace("storm", 1);
  EXPECT_TRUE(map.find("storm"sv) != map.end());
  EXPECT_TRUE(map.find("flood"sv) == map.end());
}

}  // namespace
}  // namespace weir::base
