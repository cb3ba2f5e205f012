// SPDX-License-Identifier: Apache-2.0
#include "event/json_outline.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace weir::event {
namespace {

// What is passed over, or "in doubt".
std::string passed(std::string_view text) {
  const auto end = outline_end(text, 0);
  return end ? std::string(text.substr(0, *end)) : "in doubt";
}

TEST(JsonOutlineTest, EndsWhereAValueEnds) {
  for (const std::string_view value :
       {"1", "true", "\"a\"", "{}", "[]", R"({"a":[1,{"b":"}"}],"c":"\"]"})", " [ 1 , 2 ] "}) {
    const std::string_view own = value.substr(0, value.find_last_not_of(' ') + 1);
    for (const std::string_view rest : {"", ",1", "]", " ,", "}", "\n"}) {
      EXPECT_EQ(passed(std::string(value) + std::string(rest)), own) << value << rest;
    }
  }
}

TEST(JsonOutlineTest, PassesOverWhatIsMalformedInside) {
  for (const std::string_view value :
       {"tru", "01", "1.e+", "\"\xFF\"", "\"\\q\"", "\"a\nb\"", R"({"a":1,"a":2})", R"({"a":tru})",
        R"({"a":1,})", R"({"a",})", "[,,]", R"({1:2})", R"("\ud800")"}) {
    EXPECT_EQ(passed(std::string(value) + ",1"), value);
  }
  EXPECT_EQ(passed(std::string(1000, '[') + std::string(1000, ']') + ",").size(), 2000U);
}

TEST(JsonOutlineTest, IsInDoubtWithoutMatchingQuotesAndBrackets) {
  for (const std::string_view text :
       {"", " ", ",", "]", ":1", "\"", "\"a", "\"\\\"", "{", "[1", "[1}", "{]", "[[]",
        R"({"a":"x"y","b":1})", R"({"a":"x, "b":1})", "[1 2]", R"(["a" {}])", "[{} []]", "[\"\\"}) {
    EXPECT_EQ(passed(text), "in doubt") << text;
  }
}

TEST(JsonOutlineTest, BeginsWhereItIsTold) { EXPECT_EQ(outline_end("[1,[2],3]", 3), 6U); }

}  // namespace
}  // namespace weir::event
