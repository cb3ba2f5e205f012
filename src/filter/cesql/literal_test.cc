// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/literal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weir::filter::cesql {
namespace {

TEST(LiteralTest, EndsAtTheQuoteThatNoBackslashTakesAlong) {
  EXPECT_EQ(string_literal_bytes("'ab' rest"), 4U);
  EXPECT_EQ(string_literal_bytes("'a\\'b' rest"), 6U);
  EXPECT_EQ(string_literal_bytes("'a\\\\' rest"), 5U);
  EXPECT_EQ(string_literal_bytes("\"a'b\" rest"), 5U);
  EXPECT_EQ(string_literal_bytes("'open"), 0U);
  EXPECT_EQ(string_literal_bytes("'open\\'"), 0U);
  EXPECT_EQ(string_literal_bytes("'open\\"), 0U);
}

TEST(LiteralTest, UnescapesItsOwnQuoteOnly) {
  EXPECT_EQ(unquote("'a\\'b'"), "a'b");
  EXPECT_EQ(unquote("'a\\\"b'"), "a\\\"b");
  EXPECT_EQ(unquote("\"a\\\"b\""), "a\"b");
  EXPECT_EQ(unquote("'a\\\\b\\n'"), "a\\\\b\\n");
}

// All literals of up to six characters over quotes, backslash and a letter.
TEST(LiteralTest, QuotesEveryContentThatALiteralCanHave) {
  std::vector<std::string> bodies = {""};
  std::size_t literal_count = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string body = bodies[i];
    for (const char quote_mark : {'\'', '"'}) {
      const std::string literal = quote_mark + body + quote_mark;
      if (string_literal_bytes(literal) != literal.size()) continue;
      ++literal_count;
      const std::string content = unquote(literal);
      const std::string quoted = quote(content);
      EXPECT_EQ(string_literal_bytes(quoted), quoted.size()) << literal;
      EXPECT_EQ(unquote(quoted), content) << literal;
    }
    if (body.size() == 6) continue;
    for (const char c : {'\'', '"', '\\', 'x'}) bodies.push_back(body + c);
  }
  EXPECT_GT(literal_count, 1000U);
}

}  // namespace
}  // namespace weir::filter::cesql
