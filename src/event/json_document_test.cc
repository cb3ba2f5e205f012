// SPDX-License-Identifier: Apache-2.0
#include "event/json_document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_testing.h"

namespace weir::event {
namespace {

using base::describe;
using namespace std::string_view_literals;

JsonDocument parsed(std::string_view text) {
  auto document = JsonDocument::parse(text);
  EXPECT_EQ(describe(document), "ok") << text;
  return std::move(document).value();
}

TEST(JsonDocumentTest, KnowsTheKindOfEveryValue) {
  const JsonDocument document = parsed(R"([null,true,false,1,-0,1.0,1e2,"s",{},[]])");
  std::vector<JsonKind> kinds;
  document.root().for_each_element([&](const JsonRef& value) { kinds.push_back(value.kind()); });
  using enum JsonKind;
  EXPECT_EQ(kinds, (std::vector{kNull, kTrue, kFalse, kInteger, kInteger, kFraction, kFraction,
                                kString, kObject, kArray}));
}

TEST(JsonDocumentTest, GivesTypedValues) {
  const JsonDocument document = parsed(R"([null,true,false,-7,2.5,"s",{},[]])");
  const auto at = [&](std::size_t index) { return document.root().element(index).value(); };
  EXPECT_EQ(at(0).kind(), ValueKind::kNull);
  EXPECT_TRUE(at(1).as_bool());
  EXPECT_FALSE(at(2).as_bool());
  EXPECT_EQ(at(3).as_int(), -7);
  EXPECT_EQ(at(4).as_double(), 2.5);
  EXPECT_EQ(at(5).as_string(), "s");
  EXPECT_EQ(at(6).kind(), ValueKind::kObject);
  EXPECT_EQ(at(7).kind(), ValueKind::kArray);
}

TEST(JsonDocumentTest, ReadsIntegersThatFit) {
  using Sample = std::pair<std::string_view, std::int64_t>;
  for (const auto& [text, integer] :
       {Sample{"0", 0}, Sample{"-0", 0}, Sample{"9223372036854775807", INT64_MAX},
        Sample{"-9223372036854775808", INT64_MIN}, Sample{"9007199254740993", 9007199254740993}}) {
    const Value value = parsed(text).root().value();
    ASSERT_EQ(value.kind(), ValueKind::kInt) << text;
    EXPECT_EQ(value.as_int(), integer) << text;
  }
}

TEST(JsonDocumentTest, ReadsAnyOtherNumberAsTheNearestDouble) {
  using Sample = std::pair<std::string, double>;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string zeros(400, '0');
  for (const auto& [text, number] : {Sample{"9223372036854775808", 0x1p63},
                                     Sample{"-9223372036854775809", -0x1p63},
                                     Sample{"18446744073709551616", 0x1p64},
                                     Sample{"0.1", 0.1},
                                     Sample{"-0.0", -0.0},
                                     Sample{"1e2", 100},
                                     Sample{"1E+2", 100},
                                     Sample{"1.5e-2", 0.015},
                                     Sample{"1.7976931348623157e308", 1.7976931348623157e308},
                                     Sample{"5e-324", 5e-324},
                                     Sample{"2.2250738585072011e-308", 2.2250738585072011e-308},
                                     Sample{"9007199254740993.0", 9007199254740992.0},
                                     Sample{"1e309", kInfinity},
                                     Sample{"-1e309", -kInfinity},
                                     Sample{"1.5e9999999999999999999", kInfinity},
                                     Sample{"1e-400", 0.0},
                                     Sample{"-1e-9999999999999999999", -0.0},
                                     Sample{"0e999999999", 0.0},
                                     Sample{"0.000e9999999999999999999", 0.0},
                                     Sample{"1" + zeros, kInfinity},
                                     Sample{"-1" + zeros, -kInfinity},
                                     Sample{"1" + zeros + "e-400", 1.0},
                                     Sample{"0." + zeros + "1", 0.0},
                                     Sample{"0." + zeros + "1e401", 1.0},
                                     Sample{"1" + zeros + "e-9999", 0.0},
                                     Sample{"0." + zeros + "1e9999", kInfinity}}) {
    const Value value = parsed(text).root().value();
    ASSERT_EQ(value.kind(), ValueKind::kDouble) << text;
    EXPECT_EQ(value.as_double(), number) << text;
    EXPECT_EQ(std::signbit(value.as_double()), std::signbit(number)) << text;
  }
}

TEST(JsonDocumentTest, KeepsTheTextOfANumberOfAnySize) {
  const std::string digits(10'000, '7');
  const std::string text = "[" + digits + "]";
  const JsonDocument document = parsed(text);
  EXPECT_EQ(document.root().element(0).raw(), digits);
}

TEST(JsonDocumentTest, UnescapesStrings) {
  using Sample = std::pair<std::string_view, std::string_view>;
  for (const auto& [text, string] : {
           Sample{R"("")", ""},
           Sample{R"("plain")", "plain"},
           Sample{R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
           Sample{R"("a\nb")", "a\nb"},
           Sample{R"("\n")", "\n"},
           Sample{R"("\u0041\u00e9\u00E9\u20ac\uFFFF")",
                  "A\xC3\xA9\xC3\xA9\xE2\x82\xAC\xEF\xBF\xBF"},
           Sample{R"("\ud83d\ude00\uD83D\uDE00")", "\xF0\x9F\x98\x80\xF0\x9F\x98\x80"},
           Sample{R"("\ud800\udc00\udbff\udfff")", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"},
           Sample{R"("x\u0000y")", "x\0y"sv},
           Sample{"\"\x7F\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
                  "\x7F\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
           Sample{R"("1234567\n12345678\t")", "1234567\n12345678\t"},
           Sample{R"("a\\\"b")", "a\\\"b"},
       }) {
    EXPECT_EQ(parsed(text).root().string(), string) << text;
    EXPECT_EQ(parsed(text).root().raw(), text);
  }
}

// Every length and place around the stride of the scan for special characters.
TEST(JsonDocumentTest, FindsAnEscapeAtEveryPlace) {
  for (std::size_t length = 0; length < 40; ++length) {
    for (std::size_t place = 0; place <= length; ++place) {
      std::string escaped(length, 'x');
      std::string plain = escaped;
      EXPECT_EQ(parsed("\"" + escaped + "\"").root().string(), plain);
      escaped.insert(place, "\\n");
      plain.insert(place, "\n");
      ASSERT_EQ(parsed("\"" + escaped + "\"").root().string(), plain);
    }
  }
}

TEST(JsonDocumentTest, AllowsEveryPlainCharacterInAString) {
  for (char c = 0x20; c < 0x7F; ++c) {
    if (c == '"' || c == '\\') continue;
    const std::string text = std::string(9, c) + "z";
    ASSERT_EQ(parsed("\"" + text + "\"").root().string(), text);
  }
}

TEST(JsonDocumentTest, FindsMembers) {
  const JsonDocument document =
      parsed(R"({"a":{"x":1,"y":[1,{"z":2}]},"b":"s","\u0063":3,"d":{}})");
  const JsonRef root = document.root();
  EXPECT_EQ(root.member("a").member("y").element(1).member("z").raw(), "2");
  EXPECT_EQ(root.member("b").string(), "s");
  EXPECT_EQ(root.member("c").raw(), "3");
  EXPECT_EQ(root.member("d").kind(), JsonKind::kObject);
  EXPECT_FALSE(root.member("x"));
  EXPECT_FALSE(root.member(""));
  EXPECT_FALSE(root.member("d").member("a"));
  EXPECT_FALSE(root.member("b").member("a"));
  EXPECT_FALSE(root.element(0));
}

TEST(JsonDocumentTest, FindsElements) {
  const JsonDocument document = parsed(R"([[],[1,2],{"a":[3]},"s"])");
  const JsonRef root = document.root();
  EXPECT_EQ(root.element(1).element(1).raw(), "2");
  EXPECT_EQ(root.element(2).member("a").element(0).raw(), "3");
  EXPECT_EQ(root.element(3).string(), "s");
  EXPECT_FALSE(root.element(4));
  EXPECT_FALSE(root.element(SIZE_MAX));
  EXPECT_FALSE(root.element(0).element(0));
  EXPECT_FALSE(root.element(3).element(0));
  EXPECT_FALSE(root.member("a"));
}

TEST(JsonDocumentTest, VisitsInTheOrderOfTheText) {
  const JsonDocument document = parsed(R"({"b":[1,[2]],"a":{"c":3},"d":4})");
  std::string seen;
  document.root().for_each_member([&](const JsonRef& name, const JsonRef& value) {
    seen += fmt::format("{}={} ", name.string(), value.raw());
  });
  EXPECT_EQ(seen, R"(b=[1,[2]] a={"c":3} d=4 )");
  seen.clear();
  document.root().member("b").for_each_element(
      [&](const JsonRef& value) { seen += fmt::format("{} ", value.raw()); });
  EXPECT_EQ(seen, "1 [2] ");
}

TEST(JsonDocumentTest, VisitsNothingInWhatIsEmpty) {
  const JsonDocument document = parsed("[{},[]]");
  int visits = 0;
  document.root().element(0).for_each_member([&](const JsonRef&, const JsonRef&) { ++visits; });
  document.root().element(1).for_each_element([&](const JsonRef&) { ++visits; });
  EXPECT_EQ(visits, 0);
}

TEST(JsonDocumentTest, KeepsEveryValueByteForByte) {
  const std::string_view text = "\t{ \"a\" : [ 1.50 , \"\\u0041\" ] ,\r\n \"b\":{ } } \n";
  const JsonDocument document = parsed(text);
  EXPECT_EQ(document.text(), "{ \"a\" : [ 1.50 , \"\\u0041\" ] ,\r\n \"b\":{ } }");
  EXPECT_EQ(document.root().raw(), document.text());
  EXPECT_EQ(document.root().member("a").raw(), "[ 1.50 , \"\\u0041\" ]");
  EXPECT_EQ(document.root().member("a").element(0).raw(), "1.50");
  EXPECT_EQ(document.root().member("b").raw(), "{ }");
  EXPECT_EQ(document.root().member("b").offset_bytes(), document.text().find("{ }"));
  EXPECT_EQ(document.text().data(), text.data() + 1);
}

TEST(JsonDocumentTest, MayBeMoved) {
  const std::string text = R"({"a":"plain","b":"esc\u0061ped","c":[1,2]})";
  JsonDocument document = parsed(text);
  const JsonDocument moved = std::move(document);
  EXPECT_EQ(moved.root().member("a").string(), "plain");
  EXPECT_EQ(moved.root().member("b").string(), "escaped");
  EXPECT_EQ(moved.root().member("c").element(1).raw(), "2");
}

TEST(JsonDocumentTest, ParsesAValueThatIsFollowedByOthers) {
  const std::string_view text = "  {\"a\":1} , [2] , 33x";
  const auto first = JsonDocument::parse_prefix(text, 0, {});
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->begin_bytes, 2U);
  EXPECT_EQ(first->end_bytes, 9U);
  EXPECT_EQ(first->document.root().member("a").raw(), "1");
  EXPECT_EQ(first->document.root().member("a").offset_bytes(), 5U);

  const auto second = JsonDocument::parse_prefix(text, 11, {});
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->document.text(), "[2]");
  EXPECT_EQ(second->document.root().offset_bytes(), 0U);
  EXPECT_EQ(second->end_bytes, 15U);

  EXPECT_EQ(JsonDocument::parse_prefix(text, 17, {}).value().document.text(), "33");
  EXPECT_EQ(describe(JsonDocument::parse_prefix(text, 10, {})),
            "json.syntax 1:11@10 expected a value, found ','");
  EXPECT_EQ(describe(JsonDocument::parse_prefix(text, text.size(), {})),
            "json.truncated 1:22@21 expected a value, found the end of the text");
}

std::string compact(std::string_view text) {
  const JsonDocument document = parsed(text);
  std::string out;
  append_compact(document.root(), out);
  return out;
}

TEST(JsonDocumentTest, IsCompactWithoutWhiteSpaceAndNeedlessEscapes) {
  EXPECT_EQ(compact(" { \"b\" : [ 1 , 2.50 , { } , [ ] ] , \"a\" : null } "),
            R"({"b":[1,2.50,{},[]],"a":null})");
  EXPECT_EQ(compact(R"("\u0041\/\u00e9\ud83d\ude00")"), "\"A/\xC3\xA9\xF0\x9F\x98\x80\"");
  EXPECT_EQ(compact(R"("\u0022\u005c\n\u0000\u001f\u007f")"),
            "\"\\\"\\\\\\u000a\\u0000\\u001f\x7F\"");
  EXPECT_EQ(compact(R"({"\u0061":true,"b":false})"), R"({"a":true,"b":false})");
  EXPECT_EQ(compact("1E+2"), "1E+2");
}

TEST(JsonDocumentTest, IsCompactTheSameWayTwice) {
  const std::string once = compact(R"( [ {"a\n":"\u20ac"} , -0.0 , "\\" ] )");
  EXPECT_EQ(compact(once), once);
}

TEST(JsonDocumentTest, WritesAStringThatReadsBack) {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all += static_cast<char>(c);
  all += "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  std::string text;
  append_json_string(all, text);
  EXPECT_EQ(parsed(text).root().string(), all);
  text = "x";
  append_json_string("", text);
  EXPECT_EQ(text, "x\"\"");
}

// Short ones are kept in their nodes, long ones are read when asked for.
TEST(JsonDocumentTest, IntegersOfEveryLengthKeepTheirValues) {
  std::int64_t magnitude = 0;
  for (int digits = 1; digits <= 18; ++digits) {
    magnitude = magnitude * 10 + 9;
    for (const std::int64_t integer : {magnitude, -magnitude, magnitude - 8, magnitude / 9}) {
      const std::string text = std::to_string(integer);
      const auto document = JsonDocument::parse(text);
      ASSERT_TRUE(document) << text;
      ASSERT_EQ(document->root().value().kind(), ValueKind::kInt) << text;
      EXPECT_EQ(document->root().value().as_int(), integer) << text;
    }
  }
  const std::string minus_zero = "-0";
  EXPECT_EQ(JsonDocument::parse(minus_zero)->root().value().as_int(), 0);
}

}  // namespace
}  // namespace weir::event
