// SPDX-License-Identifier: Apache-2.0
#include "server/http_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weir::server {
namespace {

TEST(HttpTextTest, ComparesInAnyCase) {
  EXPECT_TRUE(equals_in_any_case("Content-Type", "content-TYPE"));
  EXPECT_FALSE(equals_in_any_case("a", "ab"));
  EXPECT_FALSE(equals_in_any_case("[", "{"));
  EXPECT_TRUE(starts_with_in_any_case("CE-id", "ce-"));
  EXPECT_FALSE(starts_with_in_any_case("c", "ce-"));
}

TEST(HttpTextTest, ReadsLists) {
  std::vector<std::string> elements;
  for_each_in_list(" a, ,b ,\tc",
                   [&](std::string_view element) { elements.emplace_back(element); });
  EXPECT_EQ(elements, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(list_has("x, Weir.V1", "weir.v1"));
  EXPECT_FALSE(list_has("weir.v11", "weir.v1"));
}

TEST(HttpTextTest, DecodesPercentTriplets) {
  EXPECT_EQ(percent_decode("a%20b%2f").value(), "a b/");
  EXPECT_EQ(percent_decode("%00").value(), std::string(1, '\0'));
  for (const char* const bad : {"%", "%2", "%2g", "a%"}) {
    EXPECT_FALSE(percent_decode(bad).has_value()) << bad;
  }
}

TEST(HttpTextTest, ReadsMediaTypes) {
  const auto media = parse_media_type(" Text/Plain ; a=\"x;charset=no\"; charset=\"UTF-8\"");
  ASSERT_TRUE(media.has_value());
  EXPECT_EQ(media->type + "/" + media->subtype + " " + media->charset, "text/plain utf-8");
  EXPECT_TRUE(parse_media_type("a/b+json")->is_json());
  EXPECT_FALSE(parse_media_type("a/jsonx")->is_json());
  for (const char* const bad : {"", "text", "/", "a/", "a b/c", "a/b; c", "a/b/c"}) {
    EXPECT_FALSE(parse_media_type(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace weir::server
