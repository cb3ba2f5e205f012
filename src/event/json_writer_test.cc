// SPDX-License-Identifier: Apache-2.0
#include "event/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

#include "event/json_document.h"

namespace weir::event {
namespace {

TEST(JsonObjectTest, WritesMembersOfEveryType) {
  std::string out;
  JsonObject object(out);
  object.member("text", "a \"b\"");
  object.member("flag", true);
  object.member("count", std::uint64_t{18'446'744'073'709'551'615U});
  object.member("negative", -7);
  object.member("number", 0.5);
  object.member("list", std::vector<std::string>{"x", "y"});
  object.close();
  EXPECT_EQ(out, R"({"text":"a \"b\"","flag":true,"count":18446744073709551615,"negative":-7,)"
                 R"("number":0.5,"list":["x","y"]})");
}

TEST(JsonObjectTest, TakesWhatIsJsonAlready) {
  std::string out;
  JsonObject object(out);
  object.raw_members("");
  object.raw("a", "[1]");
  object.raw_members(R"("b":2,"c":3)");
  object.name("d");
  out += "null";
  object.close();
  EXPECT_EQ(out, R"({"a":[1],"b":2,"c":3,"d":null})");
}

TEST(JsonObjectTest, WritesAnEmptyObject) {
  std::string out;
  JsonObject(out).close();
  EXPECT_EQ(out, "{}");
}

TEST(AppendJsonTest, ReplacesWhatIsNotUtf8) {
  std::string out;
  append_json(std::string_view("a\xff\xc3"), out);
  EXPECT_EQ(out, "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(AppendJsonTest, KnowsNoInfinity) {
  std::string out;
  append_json(std::numeric_limits<double>::infinity(), out);
  EXPECT_EQ(out, "null");
}

TEST(AppendJsonTest, WritesJsonWhateverTheBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string bytes = {static_cast<char>(first), static_cast<char>(second)};
      std::string out;
      append_json(std::string_view(bytes), out);
      ASSERT_TRUE(JsonDocument::parse(out)) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace weir::event
