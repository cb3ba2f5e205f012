// SPDX-License-Identifier: Apache-2.0
// What is not JSON, or not JSON as it is wanted here: each mistake with its place and message.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_testing.h"
#include "base/prng.h"
#include "event/json_document.h"

namespace weir::event {
namespace {

using base::describe;
using namespace std::string_view_literals;

using Sample = std::pair<std::string_view, std::string_view>;  // text, error

std::string outcome(std::string_view text, const JsonLimits& limits = {}) {
  return describe(JsonDocument::parse(text, limits));
}

void expect(std::initializer_list<Sample> samples) {
  for (const auto& [text, error] : samples) EXPECT_EQ(outcome(text), error) << text;
}

TEST(JsonSyntaxTest, ExpectsAValue) {
  expect({
      {"", "json.truncated 1:1@0 expected a value, found the end of the text"},
      {" \n ", "json.truncated 2:2@3 expected a value, found the end of the text"},
      {"x", "json.syntax 1:1@0 expected a value, found 'x'"},
      {"\n ]", "json.syntax 2:2@2 expected a value, found ']'"},
      {"[1,]", "json.syntax 1:4@3 expected a value, found ']'"},
      {"[,1]", "json.syntax 1:2@1 expected a value, found ','"},
      {"{\"a\":}", "json.syntax 1:6@5 expected a value, found '}'"},
      {"{\"a\":,}", "json.syntax 1:6@5 expected a value, found ','"},
      {"+1", "json.syntax 1:1@0 expected a value, found '+'"},
      {".5", "json.syntax 1:1@0 expected a value, found '.'"},
      {"'a'", "json.syntax 1:1@0 expected a value, found '''"},
      {"NaN", "json.syntax 1:1@0 expected a value, found 'N'"},
      {"Infinity", "json.syntax 1:1@0 expected a value, found 'I'"},
      {"// c\n1", "json.syntax 1:1@0 expected a value, found '/'"},
      {"\xC3\xA9", "json.syntax 1:1@0 expected a value, found '\xC3\xA9'"},
      {"\xEF\xBB\xBF{}", "json.syntax 1:1@0 expected a value, found '\xEF\xBB\xBF'"},
      {"\xFF", "json.syntax 1:1@0 expected a value, found byte 0xff"},
      {"\0"sv, "json.syntax 1:1@0 expected a value, found U+0000"},
      {"\x7F", "json.syntax 1:1@0 expected a value, found U+007F"},
      {"\v1", "json.syntax 1:1@0 expected a value, found U+000B"},
      {"\f1", "json.syntax 1:1@0 expected a value, found U+000C"},
      {"\xC2\xA0", "json.syntax 1:1@0 expected a value, found '\xC2\xA0'"},
  });
}

TEST(JsonSyntaxTest, ExpectsCommasAndBrackets) {
  expect({
      {"[1 2]", "json.syntax 1:4@3 expected ',' or ']' after an element, found '2'"},
      {"[1}", "json.syntax 1:3@2 expected ',' or ']' after an element, found '}'"},
      {"[1:2]", "json.syntax 1:3@2 expected ',' or ']' after an element, found ':'"},
      {"[1",
       "json.truncated 1:3@2 expected ',' or ']' after an element, found the end of the "
       "text"},
      {"[[]",
       "json.truncated 1:4@3 expected ',' or ']' after an element, found the end of the "
       "text"},
      {"{\"a\":1 \"b\":2}", "json.syntax 1:8@7 expected ',' or '}' after a member, found '\"'"},
      {"{\"a\":1]", "json.syntax 1:7@6 expected ',' or '}' after a member, found ']'"},
      {"{\"a\":1",
       "json.truncated 1:7@6 expected ',' or '}' after a member, found the end of the "
       "text"},
      {"{\"a\":{}",
       "json.truncated 1:8@7 expected ',' or '}' after a member, found the end of "
       "the text"},
  });
}

TEST(JsonSyntaxTest, ExpectsNames) {
  expect({
      {"{",
       "json.truncated 1:2@1 expected a member's name in double quotes, found the end of the "
       "text"},
      {"{a:1}", "json.syntax 1:2@1 expected a member's name in double quotes, found 'a'"},
      {"{1:1}", "json.syntax 1:2@1 expected a member's name in double quotes, found '1'"},
      {"{'a':1}", "json.syntax 1:2@1 expected a member's name in double quotes, found '''"},
      {"{,}", "json.syntax 1:2@1 expected a member's name in double quotes, found ','"},
      {"{]", "json.syntax 1:2@1 expected a member's name in double quotes, found ']'"},
      {"{\"a\":1,}", "json.syntax 1:8@7 expected a member's name in double quotes, found '}'"},
      {"{\"a\":1,",
       "json.truncated 1:8@7 expected a member's name in double quotes, found the "
       "end of the text"},
      {"{\"a\"}", "json.syntax 1:5@4 expected ':' after a member's name, found '}'"},
      {"{\"a\" 1}", "json.syntax 1:6@5 expected ':' after a member's name, found '1'"},
      {"{\"a\"",
       "json.truncated 1:5@4 expected ':' after a member's name, found the end of the "
       "text"},
      {"{\"a\"=1}", "json.syntax 1:5@4 expected ':' after a member's name, found '='"},
  });
}

TEST(JsonSyntaxTest, ExpectsWords) {
  expect({
      {"tru", "json.truncated 1:4@3 expected true, found the end of the text"},
      {"trUe", "json.syntax 1:3@2 expected true, found 'U'"},
      {"fals3", "json.syntax 1:5@4 expected false, found '3'"},
      {"nul]", "json.syntax 1:4@3 expected null, found ']'"},
      {"[nulls]", "json.syntax 1:6@5 expected ',' or ']' after an element, found 's'"},
      {"True", "json.syntax 1:1@0 expected a value, found 'T'"},
  });
}

TEST(JsonSyntaxTest, ExpectsNumbers) {
  expect({
      {"-", "json.truncated 1:2@1 expected a digit, found the end of the text"},
      {"-x", "json.syntax 1:2@1 expected a digit, found 'x'"},
      {"--1", "json.syntax 1:2@1 expected a digit, found '-'"},
      {"01", "json.syntax 1:2@1 expected no digit after a leading 0, found '1'"},
      {"-012", "json.syntax 1:3@2 expected no digit after a leading 0, found '1'"},
      {"1.", "json.truncated 1:3@2 expected a digit, found the end of the text"},
      {"[1.]", "json.syntax 1:4@3 expected a digit, found ']'"},
      {"1.e5", "json.syntax 1:3@2 expected a digit, found 'e'"},
      {"1e", "json.truncated 1:3@2 expected a digit, found the end of the text"},
      {"1e+", "json.truncated 1:4@3 expected a digit, found the end of the text"},
      {"1E-x", "json.syntax 1:4@3 expected a digit, found 'x'"},
      {"1e5.5", "json.trailing_bytes 1:4@3 expected nothing after the value, found more bytes"},
      {"[0x1]", "json.syntax 1:3@2 expected ',' or ']' after an element, found 'x'"},
      {"[1_000]", "json.syntax 1:3@2 expected ',' or ']' after an element, found '_'"},
  });
}

TEST(JsonSyntaxTest, ExpectsStringsToEnd) {
  expect({
      {"\"",
       "json.truncated 1:2@1 expected '\"' at the end of a string, found the end of the "
       "text"},
      {"\"abcdefghij",
       "json.truncated 1:12@11 expected '\"' at the end of a string, found the "
       "end of the text"},
      {"\"a\\\"",
       "json.truncated 1:5@4 expected '\"' at the end of a string, found the end of "
       "the text"},
      {"\"a\nb\"",
       "json.syntax 1:3@2 expected a control character to be written as an escape, "
       "found U+000A"},
      {"\"\t\"",
       "json.syntax 1:2@1 expected a control character to be written as an escape, "
       "found U+0009"},
      {"\"12345678\x1F\"",
       "json.syntax 1:10@9 expected a control character to be written as an "
       "escape, found U+001F"},
      {"\"\0\""sv,
       "json.syntax 1:2@1 expected a control character to be written as an escape, "
       "found U+0000"},
  });
}

TEST(JsonSyntaxTest, ExpectsEscapes) {
  expect({
      {"\"\\",
       "json.truncated 1:3@2 expected one of \" \\ / b f n r t u after '\\', found the end of "
       "the text"},
      {"\"\\x41\"", "json.syntax 1:3@2 expected one of \" \\ / b f n r t u after '\\', found 'x'"},
      {"\"\\N\"", "json.syntax 1:3@2 expected one of \" \\ / b f n r t u after '\\', found 'N'"},
      {"\"\\\0\""sv,
       "json.syntax 1:3@2 expected one of \" \\ / b f n r t u after '\\', found U+0000"},
      {"\"\\u12",
       "json.truncated 1:6@5 expected four hexadecimal digits after \\u, found the end "
       "of the text"},
      {"\"\\u12g4\"", "json.syntax 1:6@5 expected four hexadecimal digits after \\u, found 'g'"},
      {"\"\\u 123\"", "json.syntax 1:4@3 expected four hexadecimal digits after \\u, found ' '"},
      {"\"\\U0041\"",
       "json.syntax 1:3@2 expected one of \" \\ / b f n r t u after '\\', found 'U'"},
  });
}

TEST(JsonSyntaxTest, ExpectsBothHalvesOfASurrogatePair) {
  constexpr std::string_view kLowMissing =
      "json.surrogate 1:3@2 \\ud83d is half of a surrogate pair: expected \\udc00 to \\udfff after "
      "it";
  constexpr std::string_view kHighMissing =
      "json.surrogate 1:3@2 \\ude00 is half of a surrogate pair: expected \\ud800 to \\udbff "
      "before it";
  expect({
      {"\"a\\ud83d\"", kLowMissing},
      {"\"a\\uD83D \\ude00\"", kLowMissing},
      {"\"a\\ud83d\\n\"", kLowMissing},
      {"\"a\\ud83d\\u0041\"", kLowMissing},
      {"\"a\\ud83d\\ud83d\"", kLowMissing},
      {"\"a\\ud83d\\ue000\"", kLowMissing},
      {"\"a\\ude00\"", kHighMissing},
      {"\"a\\ude00\\ud83d\"", kHighMissing},
      {"\"a\\ud83d\\ude0x\"",
       "json.syntax 1:14@13 expected four hexadecimal digits after \\u, found 'x'"},
  });
}

TEST(JsonSyntaxTest, ExpectsUtf8) {
  expect({
      {"\"\x80\"", "json.utf8 1:2@1 byte 0x80 begins no valid UTF-8 sequence"},
      {"\"abc\xFF\"", "json.utf8 1:5@4 byte 0xff begins no valid UTF-8 sequence"},
      {"\"\xC0\xAF\"", "json.utf8 1:2@1 byte 0xc0 begins no valid UTF-8 sequence"},
      {"\"\xC3\xA9\xC3\"", "json.utf8 1:3@3 byte 0xc3 begins no valid UTF-8 sequence"},
      {"\"\xED\xA0\x80\"", "json.utf8 1:2@1 byte 0xed begins no valid UTF-8 sequence"},
      {"\"\xF4\x90\x80\x80\"", "json.utf8 1:2@1 byte 0xf4 begins no valid UTF-8 sequence"},
      {"\"\xE2\x82\"", "json.utf8 1:2@1 byte 0xe2 begins no valid UTF-8 sequence"},
      {"{\"\xFF\":1}", "json.utf8 1:3@2 byte 0xff begins no valid UTF-8 sequence"},
  });
}

TEST(JsonSyntaxTest, ExpectsNothingAfterTheValue) {
  expect({
      {"1 2", "json.trailing_bytes 1:3@2 expected nothing after the value, found more bytes"},
      {"{}}", "json.trailing_bytes 1:3@2 expected nothing after the value, found more bytes"},
      {"\"a\"\n,", "json.trailing_bytes 2:1@4 expected nothing after the value, found more bytes"},
      {"[]\0"sv, "json.trailing_bytes 1:3@2 expected nothing after the value, found more bytes"},
      {"nulls", "json.trailing_bytes 1:5@4 expected nothing after the value, found more bytes"},
  });
}

TEST(JsonSyntaxTest, RejectsADuplicateMember) {
  expect({
      {"{\"a\":1,\"a\":2}",
       "json.duplicate_member 1:8@7 the member \"a\" stands twice in one object"},
      {"{\"a\":1,\"b\":{\"a\":1},\"\\u0061\":2}",
       "json.duplicate_member 1:20@19 the member \"\\u0061\" stands twice in one object"},
      {"{\"\\n\":1,\"\\u000A\":2}",
       "json.duplicate_member 1:9@8 the member \"\\u000A\" stands twice in one object"},
      {"{\"\":1,\"\":2}", "json.duplicate_member 1:7@6 the member \"\" stands twice in one object"},
      {"[{},{\"x\":{\"\xC3\xA9\":1,\"\\u00e9\":2}}]",
       "json.duplicate_member 1:17@17 the member \"\\u00e9\" stands twice in one object"},
  });
}

TEST(JsonSyntaxTest, AllowsANameInSeveralObjects) {
  EXPECT_EQ(outcome(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]})"), "ok");
  EXPECT_EQ(outcome(R"({"a":1,"A":2,"a ":3,"\u0000":4,"":5})"), "ok");
}

// Objects of every size around those where the search for duplicates changes its means; names that
// differ in their first bytes, or only in their last; the second one written plainly or escaped.
TEST(JsonSyntaxTest, RejectsADuplicateAmongAnyNumberOfMembers) {
  for (const std::string_view shape : {"{}name", "distinguished_name_{}"}) {
    for (std::size_t count = 2; count <= 70; ++count) {
      std::string members;
      for (std::size_t i = 0; i < count; ++i) {
        members += fmt::format("\"{}\":{{}},", fmt::format(fmt::runtime(shape), i));
      }
      EXPECT_EQ(outcome("{" + members + "\"last\":1}"), "ok") << count;
      for (const std::size_t twin : {std::size_t{0}, count / 2, count - 1}) {
        std::string name = fmt::format(fmt::runtime(shape), twin);
        for (const bool escaped : {false, true}) {
          if (escaped) name.replace(name.find("name"), 1, "\\u006e");
          const std::size_t offset = 1 + members.size();
          EXPECT_EQ(
              outcome(fmt::format("{{{}\"{}\":1}}", members, name)),
              fmt::format("json.duplicate_member 1:{}@{} the member \"{}\" stands twice in one "
                          "object",
                          offset + 1, offset, name));
        }
      }
    }
  }
}

std::string random_name(base::Prng& prng) {
  std::string name;
  for (std::uint64_t count = prng.below(3); count > 0; --count) {
    name += static_cast<char>('a' + prng.below(6));
  }
  return prng.chance(0.3) ? "long_prefix_" + name : name;
}

// The value nested in objects, each with some members by chance; counts as it goes whether one of
// them has a name twice.
std::string random_object(base::Prng& prng, int depth, bool& has_duplicate) {
  std::string text = "{";
  std::set<std::string> names;
  for (std::uint64_t count = prng.below(prng.chance(0.1) ? 40 : 5); count > 0; --count) {
    const std::string name = random_name(prng);
    has_duplicate |= !names.insert(name).second;
    std::string written = name;
    if (prng.chance(0.05) && name.starts_with('l')) written = "\\u006c" + name.substr(1);
    const bool deeper = depth > 0 && prng.chance(0.4);
    text += fmt::format("\"{}\":{},", written,
                        deeper ? random_object(prng, depth - 1, has_duplicate) : "[{}]");
  }
  if (text.ends_with(',')) text.pop_back();
  return text + "}";
}

TEST(JsonSyntaxTest, AgreesWithASetOnDuplicates) {
  constexpr std::uint64_t kSeed = 105;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  base::Prng prng(kSeed);
  int duplicates = 0;
  for (int i = 0; i < 20'000; ++i) {
    bool has_duplicate = false;
    const std::string text = random_object(prng, 3, has_duplicate);
    const auto document = JsonDocument::parse(text);
    ASSERT_EQ(document.has_value(), !has_duplicate) << text << '\n' << describe(document);
    duplicates += has_duplicate ? 1 : 0;
  }
  EXPECT_GT(duplicates, 1'000);
  EXPECT_LT(duplicates, 19'000);
}

TEST(JsonSyntaxTest, RejectsADuplicateAtAnyDepth) {
  for (std::size_t depth = 0; depth < 200; ++depth) {
    std::string open;
    for (std::size_t i = 0; i < depth; ++i) open += "{\"a\":";
    const std::string close(depth, '}');
    const JsonLimits limits{.depth_max = 300};
    EXPECT_EQ(outcome(open + R"({"a":1,"b":2})" + close, limits), "ok");
    const auto twice = JsonDocument::parse(open + R"({"a":1,"a":2})" + close, limits);
    ASSERT_FALSE(twice.has_value()) << depth;
    EXPECT_EQ(twice.error().id, base::ErrorId::kJsonDuplicateMember);
    EXPECT_EQ(twice.error().position->offset_bytes, open.size() + 7);
  }
}

TEST(JsonSyntaxTest, LimitsTheDepth) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(outcome(nested(64)), "ok");
  EXPECT_EQ(outcome(nested(65)),
            "json.too_deep 1:65@64 arrays and objects are nested deeper than 64");
  EXPECT_EQ(outcome("[[{\"a\":[", {.depth_max = 3}),
            "json.too_deep 1:8@7 arrays and objects are nested deeper than 3");
  EXPECT_EQ(outcome("[[{\"a\":1}],[{}]]", {.depth_max = 3}), "ok");
  EXPECT_EQ(outcome("1", {.depth_max = 0}), "ok");
  EXPECT_EQ(outcome("[]", {.depth_max = 0}),
            "json.too_deep 1:1@0 arrays and objects are nested deeper than 0");
}

TEST(JsonSyntaxTest, LimitsTheLength) {
  EXPECT_EQ(outcome("[1,2]", {.text_bytes_max = 5}), "ok");
  EXPECT_EQ(outcome("[1,2] ", {.text_bytes_max = 5}),
            "json.too_long - the text has 6 bytes, the limit is 5");
}

// A text that breaks off anywhere is told from one that is wrong.
TEST(JsonSyntaxTest, TellsEveryProperPrefixAsTruncated) {
  const std::string_view text =
      " {\"a\":[1,-2.5e+10,true,false,null,{}],\"\xC3\xA9\\n\\u00e9\\ud83d\\ude00\":"
      "\"\xE2\x82\xAC \xF0\x9F\x98\x80\",\"b\":{\"c\":\"x\"} }";
  EXPECT_EQ(outcome(text), "ok");
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto document = JsonDocument::parse(text.substr(0, length));
    ASSERT_FALSE(document.has_value()) << length;
    EXPECT_EQ(document.error().id, base::ErrorId::kJsonTruncated) << describe(document);
    EXPECT_TRUE(document.error().message.ends_with(", found the end of the text"))
        << describe(document);
    EXPECT_EQ(document.error().position->offset_bytes, length) << describe(document);
  }
}

TEST(JsonSyntaxTest, TakesTheShorterNumberFromATruncatedOne) {
  EXPECT_EQ(outcome("12"), "ok");
  EXPECT_EQ(outcome("1"), "ok");
}

TEST(JsonSyntaxTest, TellsOfALongNameInAShortMessage) {
  const std::string name(1'000'000, 'n');
  const auto document = JsonDocument::parse(fmt::format("{{\"{}\":1,\"{}\":2}}", name, name));
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().id, base::ErrorId::kJsonDuplicateMember);
  EXPECT_LT(document.error().message.size(), 200U);
}

}  // namespace
}  // namespace weir::event
