// SPDX-License-Identifier: Apache-2.0
#include "broker/token_text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace weir::broker {
namespace {

constexpr std::string_view kToken =
    "weir_0123456789abcdef_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno-_";

TEST(TokenTextTest, HasALookupAndASecret) {
  const auto parts = split_token(kToken);
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->lookup, "0123456789abcdef");
  EXPECT_EQ(parts->secret, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno-_");
}

TEST(TokenTextTest, RefusesOtherShapes) {
  const std::string token(kToken);
  EXPECT_FALSE(split_token(""));
  EXPECT_FALSE(split_token("weir_"));
  EXPECT_FALSE(split_token(token + "A"));
  EXPECT_FALSE(split_token(token.substr(0, token.size() - 1)));
  EXPECT_FALSE(split_token(" " + token.substr(1)));
  for (const std::size_t place : {0U, 4U, 5U, 20U, 21U, 22U, 64U}) {
    for (const char c : {' ', '=', '+', '/', '\0', '\n', '\x80'}) {
      std::string other = token;
      other[place] = c;
      EXPECT_FALSE(split_token(other)) << place;
    }
  }
  std::string upper_case = token;
  upper_case[20] = 'F';
  EXPECT_FALSE(split_token(upper_case));
}

TEST(TokenTextTest, IsNewEachTime) {
  std::set<std::string> lookups;
  std::set<std::string> secrets;
  for (int i = 0; i < 100; ++i) {
    const std::string text = make_token_text();
    const auto parts = split_token(text);
    ASSERT_TRUE(parts.has_value()) << text;
    lookups.emplace(parts->lookup);
    secrets.emplace(parts->secret);
  }
  EXPECT_EQ(lookups.size(), 100U);
  EXPECT_EQ(secrets.size(), 100U);
}

TEST(TokenTextTest, KnowsNames) {
  for (const std::string& name :
       {std::string("a"), std::string("Desk-7_b.9"), std::string(64, 'x')}) {
    EXPECT_TRUE(is_token_name(name)) << name;
  }
  for (const std::string& name : {std::string(), std::string(65, 'x'), std::string("a b"),
                                  std::string("a/b"), std::string("ü"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(is_token_name(name)) << name;
  }
}

}  // namespace
}  // namespace weir::broker
