// SPDX-License-Identifier: Apache-2.0
#include "event/path.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error_testing.h"
#include "base/prng.h"

namespace weir::event {
namespace {

using base::describe;
using namespace std::string_literals;

Path path_of(std::string_view text) {
  auto path = parse_path(text);
  EXPECT_EQ(describe(path), "ok") << text;
  return path.value();
}

TEST(PathTest, NamesAnAttribute) {
  const Path type = path_of("type");
  EXPECT_FALSE(type.is_data());
  EXPECT_EQ(type.attribute_name(), "type");
  EXPECT_EQ(type.core(), CoreAttribute::kType);
  EXPECT_TRUE(type.steps().empty());

  const Path extension = path_of("myextension1");
  EXPECT_EQ(extension.attribute_name(), "myextension1");
  EXPECT_EQ(extension.core(), CoreAttribute::kNone);
}

TEST(PathTest, NamesAnAttributeInDoubleQuotes) {
  EXPECT_EQ(path_of("\"in\"").attribute_name(), "in");
  EXPECT_EQ(path_of("\"1st\"").attribute_name(), "1st");
  EXPECT_EQ(path_of("\"type\""), path_of("type"));
}

TEST(PathTest, KnowsTheCoreAttributes) {
  for (std::size_t i = 0; i < kCoreAttributeCount; ++i) {
    const auto attribute = static_cast<CoreAttribute>(i);
    EXPECT_EQ(core_attribute(to_string(attribute)), attribute);
    EXPECT_EQ(path_of(to_string(attribute)).core(), attribute);
  }
  for (const std::string_view name : {"", "data", "ids", "i", "Type", "typ", "types", "timed",
                                      "sources", "subjects", "specversions", "dataschemas"}) {
    EXPECT_EQ(core_attribute(name), CoreAttribute::kNone) << name;
  }
}

TEST(PathTest, LeadsIntoData) {
  EXPECT_TRUE(path_of("data").is_data());
  EXPECT_TRUE(path_of("data").steps().empty());
  EXPECT_EQ(path_of("data.a.b[0]").steps(),
            (std::vector<Path::Step>{"a"s, "b"s, std::uint32_t{0}}));
  EXPECT_EQ(path_of("data[4294967295]").steps(), (std::vector<Path::Step>{4294967295U}));
  EXPECT_EQ(path_of("data['odd name'].x").steps(), (std::vector<Path::Step>{"odd name"s, "x"s}));
  EXPECT_EQ(path_of("data['it''s']['']").steps(), (std::vector<Path::Step>{"it's"s, ""s}));
  EXPECT_EQ(path_of("data._A9.\xC3\xA9t\xC3\xA9").steps(),
            (std::vector<Path::Step>{"_A9"s, "\xC3\xA9t\xC3\xA9"s}));
  EXPECT_EQ(path_of("data['0']").steps(), (std::vector<Path::Step>{"0"s}));
  EXPECT_EQ(path_of("data.data").steps(), (std::vector<Path::Step>{"data"s}));
}

TEST(PathTest, MayLeadToEveryElement) {
  EXPECT_EQ(
      path_of("data.a[*].b[*][0]").steps(),
      (std::vector<Path::Step>{"a"s, EveryElement{}, "b"s, EveryElement{}, std::uint32_t{0}}));
  EXPECT_EQ(path_of("data['a'][*]['b']").to_string(), "data.a[*].b");
  EXPECT_TRUE(path_of("data[*]").is_many());
  EXPECT_FALSE(path_of("data['*']").is_many());
  EXPECT_FALSE(path_of("data.a[0]").is_many());
  EXPECT_NE(path_of("data[*]"), path_of("data['*']"));
  EXPECT_LT(path_of("data[7]"), path_of("data[*]"));
}

TEST(PathTest, IsWrittenInItsShortestForm) {
  using Sample = std::pair<std::string_view, std::string_view>;
  for (const auto& [text, canonical] :
       {Sample{"type", "type"}, Sample{"\"type\"", "type"}, Sample{"\"1st\"", "\"1st\""},
        Sample{"data", "data"}, Sample{"data['a'].b", "data.a.b"}, Sample{"data[007]", "data[7]"},
        Sample{"data['odd name']", "data['odd name']"}, Sample{"data['it''s']", "data['it''s']"},
        Sample{"data['1']", "data['1']"}, Sample{"data['']", "data['']"},
        Sample{"data['']['x']", "data[''].x"}}) {
    EXPECT_EQ(path_of(text).to_string(), canonical);
    EXPECT_EQ(path_of(canonical), path_of(text));
  }
}

TEST(PathTest, RejectsAnythingElseAndSaysWhy) {
  using Sample = std::pair<std::string_view, std::string_view>;
  for (const auto& [text, error] : {
           Sample{"", "1:1@0 expected an attribute or data, found the end of the text"},
           Sample{" type", "1:1@0 expected an attribute or data"},
           Sample{"'type'", "1:1@0 expected an attribute or data"},
           Sample{".a", "1:1@0 expected an attribute or data"},
           Sample{"type ", "1:5@4 expected the end of the path, '.' or '['"},
           Sample{"type.a", "1:5@4 expected the end of the path, '.' or '['"},
           Sample{"data.a b", "1:7@6 expected the end of the path, '.' or '['"},
           Sample{"data[0]x", "1:8@7 expected the end of the path, '.' or '['"},
           Sample{"TYPE", "1:1@0 attributes are written in lower case: did you mean 'type'?"},
           Sample{"Data.x", "1:1@0 attributes are written in lower case: did you mean 'data'?"},
           Sample{"my_ext",
                  "1:1@0 'my_ext' is no attribute: names have a-z and 0-9 only, quoted in double "
                  "quotes if they start with a digit; inside data write data.my_ext"},
           Sample{"\"\"", "1:2@1 expected a name of a-z and 0-9 and a closing '\"'"},
           Sample{"\"a_b\"", "1:3@2 expected a name of a-z and 0-9 and a closing '\"'"},
           Sample{"\"abc",
                  "1:5@4 expected a name of a-z and 0-9 and a closing '\"', found the end of the "
                  "text"},
           Sample{"\"data\"", "1:1@0 data is not an attribute: write it without quotes"},
           Sample{"data.",
                  "1:6@5 expected a member's name after '.' (write ['...'] for any other name), "
                  "found the end of the text"},
           Sample{"data.1",
                  "1:6@5 expected a member's name after '.' (write ['...'] for any other name)"},
           Sample{"data..a",
                  "1:6@5 expected a member's name after '.' (write ['...'] for any other name)"},
           Sample{"data[]",
                  "1:6@5 expected an index from 0 to 4294967295, * or a name in single quotes"},
           Sample{"data[-1]",
                  "1:6@5 expected an index from 0 to 4294967295, * or a name in single quotes"},
           Sample{"data[+1]",
                  "1:6@5 expected an index from 0 to 4294967295, * or a name in single quotes"},
           Sample{"data[4294967296]",
                  "1:6@5 expected an index from 0 to 4294967295, * or a name in single quotes"},
           Sample{"data[\"a\"]",
                  "1:6@5 expected an index from 0 to 4294967295, * or a name in single quotes"},
           Sample{"data[0", "1:7@6 expected ']', found the end of the text"},
           Sample{"data[0x]", "1:7@6 expected ']'"},
           Sample{"data['a'", "1:9@8 expected ']', found the end of the text"},
           Sample{"data['a", "1:8@7 expected a closing quote, found the end of the text"},
           Sample{"data['a'']", "1:11@10 expected a closing quote, found the end of the text"},
       }) {
    EXPECT_EQ(describe(parse_path(text)), fmt::format("path.syntax {}", error)) << text;
  }
}

TEST(PathTest, HasALimitOfSteps) {
  std::string text = "data";
  for (std::size_t i = 0; i < kPathStepCountMax; ++i) text += "[0]";
  EXPECT_EQ(path_of(text).steps().size(), kPathStepCountMax);
  EXPECT_EQ(describe(parse_path(text + ".a")),
            "path.too_long 1:101@100 a path has at most 32 steps");
}

TEST(PathTest, IsReadFromTheMiddleOfAText) {
  const auto prefix = parse_path_prefix("not data.price > 5", 4);
  ASSERT_TRUE(prefix.has_value());
  EXPECT_EQ(prefix->path.to_string(), "data.price");
  EXPECT_EQ(prefix->end_bytes, 14U);

  EXPECT_EQ(parse_path_prefix("subject='x'", 0).value().end_bytes, 7U);
  EXPECT_EQ(describe(parse_path_prefix("a =\n DATA", 5)),
            "path.syntax 2:2@5 attributes are written in lower case: did you mean 'data'?");
}

TEST(PathTest, IsOrderedAndEqualByWhatItNames) {
  EXPECT_EQ(path_of("data.a['b']"), path_of("data['a'].b"));
  EXPECT_NE(path_of("data['0']"), path_of("data[0]"));
  EXPECT_NE(path_of("data"), path_of("datum"));
  EXPECT_LT(path_of("id"), path_of("type"));
  EXPECT_LT(path_of("data.a"), path_of("data.a.b"));
  EXPECT_LT(path_of("data.a"), path_of("data.b"));
  EXPECT_EQ(path_of("data.a") <=> path_of("data['a']"), std::strong_ordering::equal);
}

Path random_path(base::Prng& prng) {
  constexpr std::string_view kLetters = "ab9Z_'.[]\" \xC3\xA9\n-";
  if (prng.chance(0.2)) {
    constexpr std::string_view kNameLetters = "az09";
    std::string name(1 + prng.below(4), '\0');
    for (char& c : name) c = kNameLetters[prng.below(kNameLetters.size())];
    return Path::attribute(name);
  }
  std::vector<Path::Step> steps(prng.below(6));
  for (Path::Step& step : steps) {
    if (prng.chance(0.3)) {
      step = static_cast<std::uint32_t>(prng.next() >> (32 + prng.below(32)));
      continue;
    }
    std::string name(prng.below(5), '\0');
    for (char& c : name) c = kLetters[prng.below(kLetters.size())];
    step = std::move(name);
  }
  return Path::data(std::move(steps));
}

TEST(PathTest, ReadsBackWhatItWrites) {
  constexpr std::uint64_t kSeed = 32;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  base::Prng prng(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const Path path = random_path(prng);
    const std::string text = path.to_string();
    const auto again = parse_path(text);
    ASSERT_EQ(describe(again), "ok") << text;
    ASSERT_EQ(*again, path) << text;
    ASSERT_EQ(again->to_string(), text);
  }
}

}  // namespace
}  // namespace weir::event
